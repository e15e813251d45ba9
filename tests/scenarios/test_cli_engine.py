"""A corpus on a real PostgreSQL from the command line: added, asked, shown, looked after, lost and removed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.encyclopedia.faces.cli.command import OFF, Command
from tests.postgres_server import PASSWORD, Server, running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOTES = {
    "keys": "---\ntags: [ops]\n---\n# Signing keys\n\nRotate the signing keys every quarter.\n\n## Lost\n\nRevoke a lost key.\n",
    "deploy": "# Deploying\n\nThe release manager deploys on Tuesdays.\n",
}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running() as made:
        yield made


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path, {**OFF, "PG_PASSWORD": PASSWORD})


@pytest.mark.spec("ENC-ENGINE-6")
def test_a_corpus_on_an_engine_answers_as_one_in_a_folder(command: Command, server: Server) -> None:
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
    shown = command("corpus", "show", "shared", "--text").stdout
    assert f"engine         {address}" in shown
    (told,) = [each for each in command.json("doctor")["checks"] if each["check"] == "corpus shared"]
    assert (told["status"], told["detail"]) == ("ok", f"2 documents on {address}")
    assert not list((command.home / "corpora" / "shared").glob("segments*"))
    with server.connect() as connection:
        there = "SELECT count(*) FROM pg_namespace WHERE nspname = 'encyclopedia_shared'"
        assert connection.execute(there).fetchone() == (1,)
        command.json("corpus", "remove", "shared")
        assert connection.execute(there).fetchone() == (0,)
    assert (folder / "deploy.md").exists()


@pytest.mark.spec("ENC-ENGINE-3")
def test_an_engine_that_is_gone_costs_no_other_source_anything(command: Command, tmp_path: Path) -> None:
    folder = command.notes(**NOTES)
    with running() as server:
        command.json("corpus", "add", "lost", str(folder), "--engine", server.address())
    command.json("corpus", "add", "own", str(folder))
    found = command.json("search", "rotate the signing keys", "--corpus", "lost", "--corpus", "own")
    assert found["results"][0]["locator"]["corpus"] == "own"
    outcomes = {each["source"]: each for each in found["outcomes"]}
    assert outcomes["lost"]["status"] == "unavailable"
    assert "cannot be reached" in outcomes["lost"]["reason"]
    assert PASSWORD not in json.dumps(found)
    alone = command.json("search", "rotate the signing keys", "--corpus", "lost", code=3)
    assert "cannot be reached" in json.dumps(alone)
    (row,) = [each for each in command.json("corpus", "list")["corpora"] if each["name"] == "lost"]
    assert (row["documents"], "cannot be reached" in row["problems"][0]) == (None, True)
    (told,) = [each for each in command.json("doctor")["checks"] if each["check"] == "corpus lost"]
    assert (told["status"], "cannot be reached" in told["detail"]) == ("warn", True)
    failed = command.json("corpus", "index", "lost", code=1)
    assert "cannot be reached" in failed["message"]
    kept = command.json("corpus", "remove", "lost", code=1)
    assert "cannot be removed" in kept["message"]


@pytest.mark.spec("ENC-ENGINE-4")
def test_an_address_with_a_password_in_it_is_refused(command: Command) -> None:
    folder = command.notes(**NOTES)
    failed = command.json("corpus", "add", "x", str(folder), "--engine", "postgresql://me:hunter2@host/db", code=1)
    assert "hunter2" not in json.dumps(failed)
    assert "${NAME}" in failed["hint"]
    other = command.json("corpus", "add", "x", str(folder), "--engine", "mysql://host/db", code=1)
    assert "postgresql://" in other["hint"]
    unset = command.json("corpus", "add", "x", str(folder), "--engine", "postgresql://me:${NOT_SET}@127.0.0.1:1/db", code=1)
    assert "set NOT_SET in the environment" in json.dumps(unset)
    assert command.json("corpus", "list")["corpora"] == []


@pytest.mark.spec("ENC-ENGINE-6")
def test_kinds_that_live_in_a_folder_say_so(command: Command) -> None:
    books = command.folder / "books"
    books.mkdir()
    (books / "one.md").write_text("# One\n\nText.\n")
    failed = command.json("corpus", "add", "x", str(books), "--kind", "graph", "--engine", "postgresql://host/db", code=1)
    assert "corpora of kind graph live in a folder" in failed["message"]


@pytest.mark.spec("ENC-ENGINE-7")
def test_a_corpus_is_moved_to_an_engine_and_back_without_its_files(command: Command, server: Server) -> None:
    folder, address = command.notes(**NOTES), server.address()
    command.json("corpus", "add", "notes", str(folder))
    before = command.json("search", "rotate the signing keys", "--corpus", "notes")["results"]
    folder.rename(command.folder / "not there")
    moved = command.json("corpus", "move", "notes", "--to", address)["moved"]
    assert {name: moved[name] for name in ("name", "engine", "documents", "passages")} == {
        "name": "notes",
        "engine": address,
        "documents": 2,
        "passages": 3,
    }
    (command.folder / "not there").rename(folder)
    assert not (command.home / "corpora" / "notes" / "segments").exists()
    row = command.json("corpus", "show", "notes")
    assert (row["engine"], row["changed"], row["added"], row["document_tags"]) == (address, 0, 0, {"ops": 1})
    found = command.json("search", "rotate the signing keys", "--corpus", "notes", "--no-cache")["results"]
    assert [each["locator"] for each in found] == [each["locator"] for each in before]
    there = command.json("corpus", "move", "notes", "--to", address, code=1)
    assert "is there already" in there["message"]
    assert command.json("corpus", "move", "notes", "--to", "embedded")["moved"]["engine"] == "embedded"
    with server.connect() as connection:
        left = "SELECT count(*) FROM pg_namespace WHERE nspname = 'encyclopedia_notes'"
        assert connection.execute(left).fetchone() == (0,)
    row = command.json("corpus", "show", "notes")
    assert ("engine" in row, row["documents"], row["changed"], row["problems"]) == (False, 2, 0, [])


@pytest.mark.spec("ENC-ENGINE-7")
def test_a_move_that_cannot_be_leaves_the_corpus_where_it_is(command: Command, server: Server) -> None:
    folder = command.notes(**NOTES)
    command.json("corpus", "add", "notes", str(folder))
    other = Command(command.folder / "elsewhere", command.environ)
    other.folder.mkdir()
    other.json("corpus", "add", "notes", str(other.notes(other="# Another\n\nText.\n")), "--engine", server.address())
    for address, message in (
        (server.address(), "holds another corpus notes"),
        ("postgresql://postgres:${PG_PASSWORD}@127.0.0.1:1/postgres", "cannot be reached"),
        ("mysql://host/db", "--to begins with 'mysql'"),
    ):
        failed = command.json("corpus", "move", "notes", "--to", address, code=1)
        assert message in failed["message"]
        assert command.json("search", "rotate the signing keys", "--corpus", "notes", "--no-cache")["results"]
    assert command.json("corpus", "move", "notes", "--to", f"{server.address()}?schema=mine")["moved"]["passages"] == 3
    assert other.json("corpus", "show", "notes")["documents"] == 1
    unknown = command.json("corpus", "move", "note", "--to", "embedded", code=1)
    assert unknown["hint"] == "did you mean notes?"
    command.json("corpus", "remove", "notes")
    other.json("corpus", "remove", "notes")


@pytest.mark.spec("ENC-ENGINE-7")
def test_a_corpus_of_the_configuration_file_is_copied_and_the_line_is_told(command: Command, server: Server) -> None:
    folder, address = command.notes(**NOTES), server.address()
    command.settings(f'[corpora.notes]\npath = "{folder}"\n')
    command.json("corpus", "index", "notes")
    done = command.json("corpus", "move", "notes", "--to", address)
    assert f'set engine = "{address}" under [corpora.notes]' in done["notes"][0]
    command.settings(f'[corpora.notes]\npath = "{folder}"\nengine = "{address}"\n')
    row = command.json("corpus", "show", "notes")
    assert (row["documents"], row["added"], row["changed"]) == (2, 0, 0)
