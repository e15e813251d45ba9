"""Credentials are known by their shape; texts that only speak of them are not taken for one."""

from __future__ import annotations

import random
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia_adapters.shared.secrets import entropy, secret_lines

FIXTURES = Path(__file__).parents[2] / "fixtures"
LETTERS = string.ascii_letters + string.digits


def made(length, alphabet=LETTERS, seed=7):
    """Text of a credential's form; put together here so that no scanner takes this file for a leak."""
    return "".join(random.Random(seed).choices(alphabet, k=length))


SECRETS = {
    "aws": "AK" + "IA" + made(16, string.ascii_uppercase + "234567"),
    "github": "gh" + "p_" + made(36),
    "github fine": "github" + "_pat_" + made(82),
    "gitlab": "gl" + "pat-" + made(20),
    "slack": "xo" + "xb-" + made(12, string.digits) + "-" + made(24),
    "slack hook": "https://hooks.slack.com/" + f"services/T{made(8)}/B{made(8)}/{made(24)}",
    "google": "AI" + "za" + made(35),
    "stripe": "sk" + "_live_" + made(24),
    "npm": "np" + "m_" + made(36),
    "hub": "h" + "f_" + made(34),
    "jwt": f"ey{'J'}{made(20)}.ey{'J'}{made(40)}.{made(43)}",
    "model": "s" + "k-proj-" + made(40),
    "assigned": 'password = "Tr0ub4dor&3"',
    "environment": "DB_PASSWORD=kX93mLq0zz",
    "yaml": "api_key: " + made(32),
    "table": "| password | x9!kfPq27z |",
    "sentence": "The password is Tr0ub4dor&3, do not tell.",
    "german": "Passwort: Sommer2024!",
    "address": "postgres://app:kX93mLq0z@db.example.org/x",
}


@pytest.mark.spec("ENC-SECRET-3")
@pytest.mark.parametrize("name", SECRETS)
def test_a_credential_is_found_in_its_line(name):
    assert secret_lines(f"first line\n{SECRETS[name]}\nlast line") == {1}


@pytest.mark.spec("ENC-SECRET-3")
def test_a_private_key_takes_all_its_lines():
    lines = ["before", "-----BEGIN RSA PRIVATE " + "KEY-----", made(64), made(64), "-----END RSA PRIVATE KEY-----", "after"]
    assert secret_lines("\n".join(lines)) == {1, 2, 3, 4}
    assert secret_lines("\n".join(lines[:3])) == {1, 2}


@pytest.mark.spec("ENC-SECRET-3")
@pytest.mark.parametrize(
    "text",
    [
        "AKIAIOSFODNN7EXAMPLE",
        "password = os.environ['X1']",
        "password = base64.b16encode(raw1)",
        "token: ${TOKEN_1234}",
        "the token = the thing",
        "https://user:password@host/",
        "password: <your password 1>",
        "a file with -----BEGIN PRIVATE KEY----- at its top",
        "token_type: bearer",
        "password=changeme123",
        "tokens: 1234567890",
        "sk-circle-fade-dot-spinner-long-name",
        "commit 9f56a23523ff9eafc9cd770c731f9ee2dafb385f",
        "",
    ],
)
def test_what_only_looks_like_one_is_not(text):
    assert secret_lines(text) == set()


@pytest.mark.spec("ENC-SECRET-3")
def test_real_notes_manuals_and_decisions_hold_none():
    texts = [
        path
        for folder in ("vault-kepano", "vault-foam", "adr-govuk", "adr-madr", "kg-java-patterns")
        for path in (FIXTURES / folder).rglob("*.md")
    ]
    assert len(texts) > 200
    assert {path.name: lines for path in texts if (lines := secret_lines(path.read_text()))} == {}


@given(st.text())
def test_any_text_is_scanned(text):
    assert all(0 <= line <= text.count("\n") for line in secret_lines(text))


def test_a_hostile_text_takes_no_longer_than_its_length():
    for text in (
        "password " * 50_000,
        "eyJ" * 100_000,
        "://a:" * 100_000,
        "-----BEGIN " * 50_000 + "PRIVATE KEY",
        "sk-" * 100_000,
    ):
        assert secret_lines(text) == set()


@pytest.mark.parametrize(("text", "bits"), [("aaaa", 0.0), ("abab", 1.0), ("abcd", 2.0)])
def test_entropy_is_bits_for_each_character(text, bits):
    assert entropy(text) == pytest.approx(bits)
