"""A corpus in what stands in for Qdrant, from the command line: added, asked, shown, moved, lost and removed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.encyclopedia.faces.cli.command import OFF, Command
from tests.qdrant_server import KEY, Server, running
from tests.scenarios.test_cli_engine import NOTES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def server() -> Iterator[Server]:
    with running() as made:
        yield made


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path, {**OFF, "QDRANT_KEY": KEY})


@pytest.mark.spec("ENC-ENGINE-6")
def test_a_corpus_in_qdrant_answers_as_one_in_a_folder(command: Command, server: Server) -> None:
    folder, address = command.notes(**NOTES), server.address()
    added = command.json("corpus", "add", "shared", str(folder), "--engine", address)
    assert (added["corpus"]["engine"], added["indexed"]["added"], added["indexed"]["passages"]) == (address, 2, 3)
    command.json("corpus", "add", "own", str(folder))
    for question, scope in (("rotate the signing keys", ()), ("revoke a lost key", ("--tag", "ops")), ("who deploys", ())):
        shared, own = (command.json("search", question, "--corpus", name, *scope)["results"] for name in ("shared", "own"))
        assert [each["locator"] | {"corpus": ""} for each in shared] == [each["locator"] | {"corpus": ""} for each in own]
        assert [each["content"] for each in shared] == [each["content"] for each in own]
    (folder / "keys.md").write_text("# Signing keys\n\nKeep the signing keys in the safe.\n")
    found = command.json("search", "signing keys safe", "--corpus", "shared")
    assert "in the safe" in found["results"][0]["content"]
    row = command.json("corpus", "show", "shared")
    assert (row["engine"], row["documents"], row["problems"]) == (address, 2, [])
    assert command("corpus", "check", "shared").returncode == 0
    (told,) = [each for each in command.json("doctor")["checks"] if each["check"] == "corpus shared"]
    assert (told["status"], told["detail"]) == ("ok", f"2 documents on {address}")
    assert set(server.shards) == {"encyclopedia_shared"}
    command.json("corpus", "remove", "shared")
    assert not server.shards


@pytest.mark.spec("ENC-ENGINE-7")
def test_a_corpus_is_moved_to_qdrant_and_back_without_its_files(command: Command, server: Server) -> None:
    folder, address = command.notes(**NOTES), server.address(more="/mine")
    command.json("corpus", "add", "notes", str(folder))
    before = command.json("search", "rotate the signing keys", "--corpus", "notes")["results"]
    folder.rename(command.folder / "not there")
    moved = command.json("corpus", "move", "notes", "--to", address)["moved"]
    assert (moved["engine"], moved["documents"], moved["passages"]) == (address, 2, 3)
    assert set(server.shards) == {"mine"}
    (command.folder / "not there").rename(folder)
    row = command.json("corpus", "show", "notes")
    assert (row["engine"], row["changed"], row["added"], row["document_tags"]) == (address, 0, 0, {"ops": 1})
    found = command.json("search", "rotate the signing keys", "--corpus", "notes", "--no-cache")["results"]
    assert [each["locator"] for each in found] == [each["locator"] for each in before]
    assert command.json("corpus", "move", "notes", "--to", "embedded")["moved"]["engine"] == "embedded"
    assert not server.shards


@pytest.mark.spec("ENC-ENGINE-3")
def test_qdrant_that_is_gone_costs_no_other_source_anything(command: Command, server: Server) -> None:
    folder = command.notes(**NOTES)
    command.json("corpus", "add", "lost", str(folder), "--engine", server.address())
    server.stop()
    command.json("corpus", "add", "own", str(folder))
    found = command.json("search", "rotate the signing keys", "--corpus", "lost", "--corpus", "own")
    assert found["results"][0]["locator"]["corpus"] == "own"
    (outcome,) = [each for each in found["outcomes"] if each["source"] == "lost"]
    assert (outcome["status"], "cannot be reached" in outcome["reason"]) == ("unavailable", True)
    failed = command.json("corpus", "index", "lost", code=1)
    assert "cannot be reached" in failed["message"]
    assert KEY not in json.dumps([found, failed])


@pytest.mark.spec("ENC-ENGINE-4")
def test_an_address_with_a_key_in_it_is_refused(command: Command) -> None:
    folder = command.notes(**NOTES)
    failed = command.json("corpus", "add", "x", str(folder), "--engine", "qdrant+https://:hunter2@host", code=1)
    assert "hunter2" not in json.dumps(failed)
    assert "${NAME}" in failed["hint"]
