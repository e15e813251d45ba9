"""What a person is told when something does not go as it should: reasons, remedies, what is still to be done."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from encyclopedia.faces.cli import first_run
from encyclopedia.faces.cli.remedies import unusable
from encyclopedia.model.query import QueryType
from encyclopedia.ports import Card
from tests.encyclopedia.faces.cli.command import NOTE, Command
from tests.scenarios.test_cli_commands import complete
from tests.upstream import UpstreamProcess

if TYPE_CHECKING:
    from collections.abc import Iterator

WIKI = """
[sources.wiki]
kind = "json"
serves = {{ general_search = 0.3 }}
url = "{url}/api?q={{query}}"
headers = {{ Authorization = "Bearer ${{WIKI_TOKEN}}" }}
results = "{results}"
fields = {{ title = "name" }}
"""
KEY = {"WIKI_TOKEN": "t0k3n"}


@pytest.fixture(scope="module")
def up() -> Iterator[UpstreamProcess]:
    with UpstreamProcess() as up:
        yield up


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path)


@pytest.mark.spec("ENC-CLI-26")
@pytest.mark.parametrize(
    ("act", "results", "told"),
    [
        ({"status": 500, "json": {}}, "hits[]", ("unavailable", "500", "check the network and [sources.wiki]")),
        ({"status": 404, "body": "not at this address"}, "hits[]", ("error", "404", "check what stands in [sources.wiki]")),
        ({"status": 401, "json": {}}, "hits[]", ("auth", "401", "check WIKI_TOKEN")),
        ({"status": 429, "json": {}, "headers": {"Retry-After": "120"}}, "hits[]", ("rate limited", "", "ask again in 2 min")),
        ({"json": {"hits": []}}, "hit", ("error", "there is no list at results = hit", "check what stands in [sources.wiki]")),
    ],
    ids=["500", "404", "401", "429", "path"],
)
def test_a_failure_has_its_reason_and_remedy_on_every_face(
    command: Command, up: UpstreamProcess, act: dict[str, Any], results: str, told: tuple[str, str, str]
) -> None:
    status, reason, hint = told
    command.settings(WIKI.format(url=up.url, results=results))
    up.on("/api", **act)
    code, seen = command.terminal("search", "x y", "--sources", "wiki", columns=300, **KEY)
    assert code == 3
    assert f"no source could answer: wiki: {status} — " in seen
    assert reason in seen
    assert hint in seen
    row = next(row for row in command.json("sources", **KEY) if row["source"] == "wiki")
    assert row["last_error"]
    assert reason in row["last_error"]
    check = next(check for check in command.json("doctor", **KEY)["checks"] if check["check"] == "source wiki")
    assert (check["status"], row["last_error"] in check["detail"], bool(check["hint"])) == ("warn", True, True)


@pytest.mark.spec("ENC-CLI-26")
def test_the_last_error_is_shown_until_a_success(command: Command, up: UpstreamProcess) -> None:
    command.settings(WIKI.format(url=up.url, results="hits[]"))
    up.on("/api", {"status": 401, "json": {}}, {"json": {"hits": [{"name": "x y"}]}})
    command.json("search", "x y", "--sources", "wiki", code=3, **KEY)
    assert "the last call failed" in command("doctor", "--text", **KEY).stdout
    assert command.json("search", "x y", "--sources", "wiki", **KEY)["results"]
    shown = command("doctor", "--text", **KEY).stdout
    assert "the last call failed" not in shown
    assert "source wiki" in next(line for line in shown.splitlines() if line.endswith("  ready"))


@pytest.mark.spec("ENC-CLI-26")
def test_who_is_left_alone_is_not_said_to_be_asked_by_the_next_search(command: Command, up: UpstreamProcess) -> None:
    command.settings(WIKI.format(url=up.url, results="hits[]"))
    up.on("/api", *[{"status": 503, "json": {}}] * 3)
    told = []
    for _ in range(3):
        command.json("search", "x y", "--sources", "wiki", code=3, **KEY)
        checks = command.json("doctor", **KEY)["checks"]
        told.append(next(check["hint"] for check in checks if check["check"] == "source wiki").partition("; ")[2])
    assert told == [*["the next search asks it again"] * 2, "the first search after that asks it again"]


@pytest.mark.spec("ENC-CLI-26")
def test_a_corpus_whose_folder_moved_says_so(command: Command) -> None:
    command.with_notes()
    (command.folder / "notes").rename(command.folder / "elsewhere")
    told = command.json("search", "signing keys", "--corpus", "notes", code=3)
    assert "notes is not there" in told["message"]
    assert told["hint"] == "`encyclopedia corpus check notes` says what is wrong"
    shown = command("corpus", "check", "--text").stdout
    assert "notes: 1 problem\n" in shown


@pytest.mark.spec("ENC-CLI-27")
def test_what_is_read_after_an_answer_is_announced_and_can_be_stopped() -> None:
    said: list[str] = []

    def index(_context: object, _progress: object) -> Any:
        raise KeyboardInterrupt

    card = Card("packages", {QueryType.LIBRARY_DOCS: 0.4}, index=index)
    entry = SimpleNamespace(card=card, candidate=SimpleNamespace(missing=""))
    engine = SimpleNamespace(catalog={"packages": entry}, sources=SimpleNamespace(context=lambda name: name))
    output = SimpleNamespace(remark=said.append, progress=False)
    reason = "28 of 234 installed packages are indexed so far; `encyclopedia corpus index packages` completes it"
    body = {"outcomes": [{"source": "packages", "reason": reason}]}
    first_run.complete(output, engine, body)
    assert said[0] == ("reading the other 206 packages so that the next answer is whole; Ctrl-C stops, what is done is kept")
    assert "interrupted; what is done is kept" in said[1]
    said.clear()
    first_run.complete(output, engine, {"outcomes": [{"source": "packages", "reason": ""}], "notes": [f"packages: {reason}"]})
    assert said == []


@pytest.mark.spec("ENC-CLI-4")
@pytest.mark.parametrize(
    ("arguments", "code", "message", "hint"),
    [
        (("search", "x", "--limit", "abc"), 64, "--limit takes a whole number above 0, not 'abc'", "--help"),
        (("search", "x", "--limit", "0"), 64, "--limit takes a whole number above 0, not '0'", "--help"),
        (("search", "x", "--timeout", "soon"), 64, "--timeout takes seconds, above 0 and up to 3600, not 'soon'", "--help"),
        (("history", "--last", "-1"), 64, "--last takes a whole number above 0, not '-1'", "--help"),
        (("search", "x", "--bogus"), 64, "unknown option '--bogus'", "known: --"),
        (("search", "x", "--limt", "3"), 64, "unknown option '--limt'", "did you mean --limit?"),
        (("search", "keys", "--tag", "infraa"), 1, "no document has the tag 'infraa'", "did you mean infra?"),
        (("search", "keys", "--tag", "infra", "--sources", "packages"), 1, "packages cannot be restricted to tags", "--tag"),
        (("corpus", "add", "notes", "notes"), 1, "corpus notes exists already", "encyclopedia corpus index notes"),
    ],
)
def test_a_wrong_word_is_named_with_what_was_meant(
    command: Command, arguments: tuple[str, ...], code: int, message: str, hint: str
) -> None:
    command.with_notes(keys=f"---\ntags: [infra]\n---\n{NOTE}")
    told = command.json(*arguments, code=code, ENCYCLOPEDIA_ENABLE_PACKAGES="1")
    assert told["message"] == message
    assert hint in told["hint"]


@pytest.mark.spec("ENC-CLI-4")
def test_a_stream_is_no_text(command: Command) -> None:
    done = command("search", "x", "--stream", "--text")
    assert done.returncode == 64
    assert "--stream" in done.stdout + done.stderr
    streamed = command.with_notes()("search", "signing keys", "--stream").stdout
    assert '{"event": "plan", "schema_version": 1, "status": "plan"' in streamed.splitlines()[0]


@pytest.mark.spec("ENC-CLI-16")
def test_the_same_folder_under_another_name_is_told(command: Command) -> None:
    command.with_notes()
    told = command.json("corpus", "add", "again", "notes")
    assert "is also the corpus notes" in told["notes"][0]
    assert "is also the corpus" in command("corpus", "add", "third", "notes", "--text").stdout


@pytest.mark.spec("ENC-CLI-16")
def test_the_indexes_of_built_in_sources_are_listed_and_shown(command: Command) -> None:
    command.with_notes()
    body = command.json("corpus", "list", ENCYCLOPEDIA_ENABLE_PACKAGES="1")
    assert [row["name"] for row in body["corpora"]] == ["notes"]
    rows = {row["name"]: row for row in body["indexes"]}
    assert {"packages", "manpages"} <= set(rows)
    packages = rows["packages"]
    assert (packages["kind"], packages["documents"], packages["passages"], packages["problems"]) == ("built-in", 0, 0, [])
    assert "installed packages indexed (0 documents, 0 passages)" in packages["state"]
    assert rows["manpages"]["state"] == "switched off"
    shown = command.json("corpus", "show", "packages", ENCYCLOPEDIA_ENABLE_PACKAGES="1")
    assert {name: shown[name] for name in packages} == packages


@pytest.mark.spec("ENC-CLI-16")
@pytest.mark.parametrize("columns", [60, 90])
def test_the_list_of_corpora_fits_the_terminal(command: Command, columns: int) -> None:
    command.with_notes()
    code, seen = command.terminal("corpus", "list", columns=columns, NO_COLOR="1")
    lines = seen.splitlines()
    assert code == 0
    assert all(len(line) <= columns for line in lines)
    assert "    1 document · 2 passages · indexed 0 s ago · up to date" in [line.replace("1 s", "0 s") for line in lines]
    path = [line for line in lines if line.startswith("    ") and "/" in line]
    assert "".join(line.strip() for line in path) == str(command.folder / "notes")
    assert all(line.endswith("/") for line in path[:-1])


@pytest.mark.spec("ENC-CLI-23")
def test_tags_and_past_searches_are_completed_and_queries_are_not(command: Command) -> None:
    command.with_notes(keys=f"---\ntags: [infra/db, deploy]\n---\n{NOTE}")
    command.json("search", "signing keys", "--corpus", "notes")
    id = command.json("history")["history"][0]["id"]
    (command.folder / "a_file").touch()
    assert complete(command, "encyclopedia search ") == []
    assert complete(command, "encyclopedia search a") == []
    assert complete(command, "encyclopedia search x --limit ") == []
    assert complete(command, "encyclopedia search x --tag ") == ["deploy", "infra", "infra/db"]
    assert complete(command, "encyclopedia history show ") == [id]
    assert complete(command, "encyclopedia history clear ") == []
    assert complete(command, "encyclopedia corpus add name a_") == ["a_file"]


@pytest.mark.spec("ENC-CLI-23")
def test_the_script_for_bash_never_falls_back_to_the_names_of_files(command: Command) -> None:
    assert "complete -o nospace -F " in command("completion", "bash").stdout


@pytest.mark.spec("ENC-CLI-24")
@pytest.mark.parametrize("arguments", [("history",), ("history", "clear")], ids=" ".join)
@pytest.mark.parametrize("what", ["pipe", "folder"])
def test_what_stands_in_the_place_of_a_file_is_to_be_moved_away(
    command: Command, arguments: tuple[str, ...], what: str
) -> None:
    place = command.home / "sessions" / "history.jsonl"
    place.parent.mkdir(parents=True, mode=0o700)
    place.mkdir() if what == "folder" else os.mkfifo(place)
    told = command.json(*arguments, code=1)
    assert str(place) in told["message"]
    assert told["hint"] == "move away what stands in its place"


@pytest.mark.spec("ENC-CLI-24")
@pytest.mark.parametrize(
    ("number", "hint"),
    [
        (errno.EACCES, "mend its permissions"),
        (errno.ENOSPC, "free some space"),
        (errno.EWOULDBLOCK, "try again when that process is done, or end it"),
        (errno.EIO, "mend its permissions, or free some space"),
    ],
)
def test_the_remedy_follows_from_what_the_system_says(number: int, hint: str) -> None:
    error = unusable(OSError(number, os.strerror(number), "/a/file"))
    assert (error.message, error.hint) == (f"/a/file: {os.strerror(number)}", hint)
