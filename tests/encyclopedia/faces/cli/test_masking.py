from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.faces.cli.masking import MASK, masked

KEPT = [
    ("timeout", 1.0),
    ("sources.wiki.enabled", False),
    ("sources.wiki.url", "https://wiki.example.org/api?q={query}&n={limit}"),
    ("sources.wiki.url", "https://wiki.example.org/api?q={query}&api_key=${WIKI_KEY}"),
    ("sources.wiki.headers", {"Authorization": "Bearer ${WIKI_TOKEN}", "Accept": "application/json"}),
    ("sources.wiki.headers", {"X-Api-Key": "${WIKI_KEY}"}),
    ("corpora.notes.tags", ["own", "work"]),
    ("contact", "me@example.org"),
    ("sources.wiki.api_key", ""),
]
HIDDEN = [
    ("sources.wiki.headers", {"Authorization": "Bearer s3cr3t"}),
    ("sources.wiki.headers", {"X-Api-Key": "s3cr3t", "Accept": "text/html"}),
    ("sources.wiki.headers", {"Cookie": "session=s3cr3t"}),
    ("sources.wiki.api_key", "s3cr3t"),
    ("sources.wiki.token", "s3cr3t ${NAME}"),
    ("sources.wiki.url", "https://me:s3cr3t@wiki.example.org/"),
    ("sources.wiki.url", "https://wiki.example.org/?q={query}&access_token=s3cr3t&n=1"),
    ("sources.wiki.password", ["s3cr3t"]),
]


@pytest.mark.spec("ENC-CLI-20")
@pytest.mark.parametrize(("name", "value"), KEPT)
def test_ordinary_values_and_references_are_shown(name: str, value: object) -> None:
    assert masked(name, value) == value


@pytest.mark.spec("ENC-CLI-20")
@pytest.mark.parametrize(("name", "value"), HIDDEN)
def test_credentials_are_not(name: str, value: object) -> None:
    shown = json.dumps(masked(name, value), ensure_ascii=False)
    assert "s3cr3t" not in shown
    assert MASK in shown


@given(
    st.text(min_size=8, alphabet="abcdef0123456789"),
    st.sampled_from(["api_key", "Authorization", "x-auth-token", "client_secret"]),
)
def test_no_credential_gets_through_under_a_telling_name(secret: str, name: str) -> None:
    assert secret not in str(masked(f"sources.x.{name}", secret))
    assert secret not in str(masked("sources.x.headers", {name: f"Bearer {secret}"}))
    assert secret not in str(masked("sources.x.url", f"https://example.org/?{name}={secret}"))
