"""The rules for clients: those that ship, those of the owner over them, and what no owner can allow."""

from __future__ import annotations

from pathlib import Path

import pytest

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.label import Label
from encyclopedia.wiring.governance import policy

USUAL = ("search", "fetch", "ask_corpus", "status")


def rules(home: Path, text: str) -> str:
    (home / "governance.toml").write_text(text)
    return str(home)


@pytest.mark.spec("ENC-GOVERN-1")
def test_who_is_not_declared_sees_what_is_internal_and_gets_only_tools_that_read(tmp_path: Path) -> None:
    for name in ("", "cursor", "default"):
        found = policy(str(tmp_path), name)
        assert (found.declared, found.local, found.label, found.tools) == (False, False, Label.INTERNAL, USUAL)
        assert found.remote is Label.INTERNAL


@pytest.mark.spec("ENC-GOVERN-1")
def test_a_client_that_is_declared_local_sees_what_is_personal(tmp_path: Path) -> None:
    home = rules(tmp_path, '[clients.desk]\nlocal = true\ntools = ["load"]\n[clients.public]\nlabel = "public"\n')
    desk = policy(home, "desk")
    assert (desk.declared, desk.local, desk.label, desk.tools) == (True, True, Label.PERSONAL, (*USUAL, "load"))
    assert policy(home, "public").label is Label.PUBLIC
    assert policy(home, "other").label is Label.INTERNAL


@pytest.mark.spec("ENC-GOVERN-2")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[clients.desk]\nlocal = true\nlabel = "secret"', "cannot be shown what is secret"),
        ('[clients.desk]\nlabel = "personal"', "not declared local"),
        ('[clients.desk]\nlabel = "privat"', "cannot be 'privat'"),
        ('[clients.desk]\nlocal = "yes"', "cannot be 'yes'"),
        ("[clients.desk]\nlocall = true", "unknown rule 'locall'"),
        ("client = 1", "unknown rule 'client'"),
        ("clients = 1", "one table for each client"),
        ("[clients]\ndesk = 1", "must be a table"),
        ('tools = "search"', "list of names"),
        ('public_url = "ftp://a"', "public_url cannot be"),
        ("remote = 3", "remote cannot be 3"),
        ("= ", "not valid TOML"),
    ],
)
def test_what_cannot_be_is_refused_with_the_remedy(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(ConfigurationError, match=told) as caught:
        policy(rules(tmp_path, text), "desk")
    assert caught.value.hint


@pytest.mark.spec("ENC-GOVERN-2")
def test_the_owner_s_lines_win_and_the_rest_stays(tmp_path: Path) -> None:
    home = rules(tmp_path, 'remote = "public"\ntools = ["search"]\npublic_url = "https://docs.example.org/"\n')
    found = policy(home)
    assert (found.remote, found.tools, found.public_url) == (Label.PUBLIC, ("search",), "https://docs.example.org")
    assert found.label is Label.INTERNAL
