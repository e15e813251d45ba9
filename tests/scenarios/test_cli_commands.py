"""Every other command as a process: corpora, sources, doctor, cache, history, config, completion, help."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tomllib
from typing import TYPE_CHECKING

import pytest

from encyclopedia.model.settings import Settings
from encyclopedia.wiring.settings import names_of
from tests.encyclopedia.faces.cli.command import NOTE, Command, tree

if TYPE_CHECKING:
    from pathlib import Path

QUERY = "rotate the signing keys"
SOURCE = ["source", "enabled", "configured", "needs", "serves", "breaker", "last_error", "hint"]
CORPUS = ["name", "kind", "path", "serves", "tags", "private", "label"]
INDEXED = ["name", "added", "changed", "moved", "removed", "unchanged", "passages", "skipped", "ms"]
JSON_SOURCE = """
[sources.intranet]
kind = "json"
serves = { general_search = 0.3 }
url = "https://wiki.example.org/api?q={query}"
headers = { Authorization = "Bearer ${WIKI_TOKEN}", X-Api-Key = "s3cr3t" }
results = "hits[]"
fields = { title = "name", url = "link" }
"""
READ_ONLY = [
    ("sources",),
    ("doctor",),
    ("model", "show"),
    ("cache", "stats"),
    ("history",),
    ("stats",),
    ("config", "show"),
    ("config", "path"),
    ("corpus", "list"),
    ("corpus", "check"),
    ("completion", "zsh"),
    ("--help",),
]


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path)


@pytest.mark.spec("ENC-CLI-16")
def test_the_life_of_a_corpus(command: Command) -> None:
    folder = command.notes()
    added = command.json(
        "corpus", "add", "notes", str(folder), "--tag", "own", "--tag", "work", "--serves", "library_docs=0.4,code_context=0.1",
        "--private",
    )  # fmt: skip
    assert list(added) == ["schema_version", "status", "corpus", "indexed"]
    assert list(added["corpus"]) == CORPUS
    assert added["corpus"]["serves"] == {"library_docs": 0.4, "code_context": 0.1}
    assert (added["corpus"]["tags"], added["corpus"]["private"]) == (["own", "work"], True)
    assert list(added["indexed"]) == INDEXED
    assert (added["indexed"]["added"], added["indexed"]["passages"]) == (1, 2)

    row = command.json("corpus", "list")["corpora"][0]
    assert (row["name"], row["documents"], row["passages"], row["problems"]) == ("notes", 1, 2, [])
    (folder / "more.md").write_text("# More\n\nMore about keys.\n")
    assert command.json("corpus", "show", "notes")["added"] == 1
    assert "1 added since it was indexed" in command("corpus", "list", "--text").stdout
    again = command.json("corpus", "index", "notes")["indexed"][0]
    assert (again["added"], again["unchanged"]) == (1, 1)
    rebuilt = command.json("corpus", "index", "notes", "--rebuild")["indexed"][0]
    assert (rebuilt["added"], rebuilt["passages"]) == (2, 3)
    assert command.json("corpus", "check", "notes")["status"] == "success"

    assert command.json("corpus", "remove", "notes") == {"schema_version": 1, "status": "success", "removed": "notes"}
    assert (folder / "keys.md").read_text() == NOTE
    assert command.json("corpus", "list")["corpora"] == []
    assert not list((command.home / "corpora").iterdir())


@pytest.mark.spec("ENC-CLI-16")
@pytest.mark.parametrize(
    ("arguments", "code", "message", "hint"),
    [
        (("add", "notes", "notes"), 1, "notes exists already", "remove"),
        (("add", "own", "nowhere"), 1, "nowhere does not exist", "documents"),
        (("add", "../x", "notes"), 1, "cannot be a name", "letters"),
        (("add", "packages", "notes"), 1, "name of a source", "another name"),
        (("add", "own", "notes", "--kind", "document"), 1, "unknown kind of corpus 'document'", "documents"),
        (("add", "own", "notes", "--serves", "libary_docs=1"), 1, "libary_docs", "library_docs"),
        (("add", "own", "notes", "--serves", "library_docs=2"), 1, "2", "0 to 1"),
        (("add", "own", "notes", "--serves", "library_docs"), 64, "--serves", "library_docs=0.4"),
        (("show", "nots"), 1, "unknown corpus 'nots'", "notes"),
        (("check", "nots"), 1, "unknown corpus 'nots'", "notes"),
        (("remove", "nots"), 1, "unknown corpus 'nots'", "notes"),
        (("index", "nots"), 1, "unknown corpus 'nots'", "notes"),
        (("index", "wikipedia"), 1, "wikipedia has no index", "notes"),
        (("index", "packages"), 1, "packages cannot be indexed: switched off", "ENCYCLOPEDIA_ENABLE_PACKAGES"),
        (("index", "notes", "--all"), 64, "--all", "one of the two"),
    ],
)
def test_what_cannot_be_done_to_a_corpus(
    command: Command, arguments: tuple[str, ...], code: int, message: str, hint: str
) -> None:
    command.with_notes()
    before = set(tree(command.home))
    told = command.json("corpus", *arguments, code=code)
    assert message in told["message"]
    assert hint in told["hint"]
    assert set(tree(command.home)) == before


@pytest.mark.spec("ENC-CLI-16")
def test_a_corpus_of_the_configuration_file(command: Command) -> None:
    command.settings(f'[corpora.filed]\npath = "{command.notes()}"\n')
    assert command.json("corpus", "list")["corpora"][0]["name"] == "filed"
    assert command.json("corpus", "index")["indexed"][0]["added"] == 1
    assert "configuration file" in command.json("corpus", "remove", "filed", code=1)["message"]


@pytest.mark.spec("ENC-CLI-16")
def test_check_fails_when_a_corpus_has_problems(command: Command) -> None:
    command.with_notes()
    (command.folder / "notes" / "keys.md").unlink()
    (command.folder / "notes").rmdir()
    told = command.json("corpus", "check", code=1)
    assert (told["status"], told["code"]) == ("error", 1)
    assert "notes" in told["message"]
    assert told["corpora"][0]["problems"]
    shown = command("corpus", "check", "--text")
    assert shown.returncode == 1
    assert "  ! " in shown.stdout
    assert command.json("doctor", code=1)["code"] == 1


@pytest.mark.spec("ENC-CLI-16")
def test_a_kind_that_is_gone_is_a_problem_of_one_corpus(command: Command) -> None:
    command.with_notes()
    file = command.home / "corpora" / "notes" / "corpus.json"
    file.write_text(file.read_text().replace('"documents"', '"papyrus"'))
    assert "papyrus" in command.json("corpus", "check", code=1)["corpora"][0]["problems"][0]
    assert command.json("corpus", "remove", "notes")["removed"] == "notes"


@pytest.mark.spec("ENC-CLI-11")
def test_indexing_shows_a_bar_on_a_terminal_only(command: Command) -> None:
    folder = command.notes()
    code, seen = command.terminal("corpus", "add", "notes", str(folder))
    assert code == 0
    assert "indexing notes" in seen
    assert "notes: 1 document added, 2 passages in " in seen
    code, seen = command.terminal("corpus", "index", "notes", "--rebuild", "--no-progress")
    assert (code, "indexing notes" in seen) == (0, False)
    assert command("corpus", "index", "notes", "--rebuild").stderr == ""


@pytest.mark.spec("ENC-CLI-11")
@pytest.mark.parametrize(
    ("asked", "title", "step"),
    [
        (("ask", "How are the signing keys rotated? How is a lost key revoked?"), "asking", "2/2"),
        (("lookup", "signing keys"), "looking it up", "notes: ok"),
        (("code", "notes", "Where are the signing keys?"), "reading the repository", "mcp_git_ingest: ok"),
    ],
)
def test_long_work_shows_its_steps_on_a_terminal_only(command: Command, asked: tuple[str, ...], title: str, step: str) -> None:
    command.with_notes().environ["ENCYCLOPEDIA_ENABLE_MCP_GIT_INGEST"] = "1"
    code, seen = command.terminal(*asked)
    assert (code, title in seen, step in seen) == (0, True, True), seen
    code, seen = command.terminal(*asked, "--no-progress")
    assert (code, title in seen, step in seen) == (0, False, False), seen
    assert command(*asked).stderr == ""


@pytest.mark.spec("ENC-CLI-17")
def test_sources_is_a_list_with_the_promised_names(command: Command) -> None:
    command.with_notes()
    rows = command.json("sources", "--json")
    assert [list(row)[: len(SOURCE)] for row in rows] == [SOURCE] * len(rows)
    by_name = {row["source"]: row for row in rows}
    assert list(by_name) == sorted(by_name)
    assert (by_name["notes"]["enabled"], by_name["notes"]["configured"], by_name["notes"]["breaker"]) == (True, True, "healthy")
    assert by_name["notes"]["serves"]["library_docs"] == 0.4
    off = by_name["packages"]
    assert (off["enabled"], off["configured"]) == (False, True)
    assert off["hint"] == "set ENCYCLOPEDIA_ENABLE_PACKAGES=1 to switch it on"
    searxng = by_name["searxng"]
    assert (searxng["enabled"], searxng["configured"]) == (True, False)
    assert "SEARXNG_URL" in searxng["needs"]
    assert "SEARXNG_URL" in searxng["hint"]
    shown = command("sources", "--text").stdout
    assert re.search(r"^notes +on  ", shown, re.MULTILINE)
    assert re.search(r"^packages +off  ", shown, re.MULTILINE)


@pytest.mark.spec("ENC-CLI-17")
def test_sources_shows_an_open_breaker(command: Command) -> None:
    command.settings(JSON_SOURCE.replace("https://wiki.example.org", "http://127.0.0.1:9") + "[breaker]\nfail_max = 1\n")
    environ = {"WIKI_TOKEN": "t"}
    told = command.json("search", QUERY, "--sources", "intranet", code=3, **environ)
    assert told["outcomes"][0]["status"] == "unavailable"
    row = next(row for row in command.json("sources", **environ) if row["source"] == "intranet")
    assert row["breaker"] == "open"
    assert row["last_error"]
    assert "intranet" in command("sources", "--text", **environ).stdout
    held = command.json("search", QUERY, "--sources", "intranet", code=3, **environ)
    assert held["degraded"] is True
    check = next(one for one in command.json("doctor", **environ)["checks"] if one["check"] == "source intranet")
    assert check["status"] == "warn"


@pytest.mark.spec("ENC-CLI-18")
def test_doctor_asks_nobody_and_writes_nothing(command: Command) -> None:
    command.with_notes()
    command.settings(JSON_SOURCE)
    before = tree(command.home)
    done, audit = command.audited("doctor", "--json", WIKI_TOKEN="t0ps3cr3t")
    assert audit == []
    assert tree(command.home) == before
    body = json.loads(done.stdout)
    assert (done.returncode, body["status"]) == (0, "success")
    checks = {check["check"]: check for check in body["checks"]}
    assert {"python", "home", "config.toml", "terminal", "settings", "source notes", "store cache", "store history"} <= set(
        checks
    )
    assert {check["status"] for check in body["checks"]} <= {"ok", "off", "warn", "broken"}
    assert checks["source searxng"]["status"] == "off"
    assert "s3cr3t" not in done.stdout


@pytest.mark.spec("ENC-CLI-18")
def test_doctor_warns_of_files_that_others_can_read(command: Command) -> None:
    command.home.mkdir(mode=0o755)
    command.home.chmod(0o755)
    for path in (command.home / ".env.local", command.folder / ".env.local"):
        path.write_text("EXA_API_KEY=s3cr3t\n")
        path.chmod(0o644)
    body = command.json("doctor")
    warned = [check["hint"] for check in body["checks"] if check["status"] == "warn"]
    assert f"chmod 700 {command.home}" in warned
    assert f"chmod 600 {command.home}/.env.local" in warned
    assert f"chmod 600 {command.folder}/.env.local" in warned
    assert "s3cr3t" not in json.dumps(body)


@pytest.mark.spec("ENC-CLI-18")
def test_doctor_tells_what_is_wrong_with_the_settings(command: Command) -> None:
    command.settings("timeot = 3\n")
    body = command.json("doctor", code=1)
    broken = [check for check in body["checks"] if check["status"] == "broken"]
    assert [(check["check"], check["hint"]) for check in broken] == [("settings", "did you mean timeout?")]
    shown = command("doctor", "--text")
    assert shown.returncode == 1
    assert "broken settings" in shown.stdout


@pytest.mark.spec("ENC-CLI-19")
def test_the_cache_is_counted_and_cleared(command: Command) -> None:
    command.with_notes()
    command.json("search", QUERY)
    stats = command.json("cache", "stats")
    assert stats["entries"]["library_docs"] == 1
    assert "entries library_docs" in command("cache", "stats", "--text").stdout
    assert command.json("cache", "clear", "--type", "general_search")["removed"] == 0
    assert command.json("search", QUERY)["cached"] is True
    assert command.json("cache", "clear")["removed"] == 1
    assert command.json("search", QUERY)["cached"] is False
    assert command.json("cache", "clear", "--type", "docs", code=1)["hint"] == "did you mean library_docs?"
    told = command.json("cache", "stats", code=1, ENCYCLOPEDIA_CACHE_ENABLED="0")
    assert "no cache" in told["message"]


@pytest.mark.spec("ENC-CLI-22")
def test_the_history_of_searches(command: Command) -> None:
    command.with_notes()
    assert command.json("history")["history"] == []
    assert command("history", "--text").stdout == "no searches yet\n"
    for query in (QUERY, "lost keys", "zyxwvut"):
        command("search", query)
    rows = command.json("history")["history"]
    assert [row["query"] for row in rows] == [QUERY, "lost keys", "zyxwvut"]
    assert [row["query"] for row in command.json("history", "--last", "1")["history"]] == ["zyxwvut"]
    shown = command.json("history", "show", rows[0]["id"])
    assert (shown["query"], shown["outcomes"][0]["source"]) == (QUERY, "notes")
    assert "lost keys" in command("history", "--text").stdout
    assert "1.  " in command("history", "show", rows[0]["id"], "--text").stdout
    assert command.json("history", "show", "last")["id"] == rows[-1]["id"]
    assert "nope" in command.json("history", "show", "nope", code=1)["message"]
    assert command.json("history", "show", code=1)["hint"]
    assert command.json("history", "clear")["removed"] == 3
    assert command.json("history")["history"] == []
    assert command.json("history", code=1, ENCYCLOPEDIA_HISTORY_ENABLED="0")["hint"]


@pytest.mark.spec("ENC-CLI-20")
def test_settings_are_layers_and_say_who_spoke(command: Command) -> None:
    command.settings("timeout = 2.0\nlimit = 7\n" + JSON_SOURCE)
    (command.home / ".env.local").write_text("ENCYCLOPEDIA_DEPTH=12\n")
    body = command.json("config", "show", ENCYCLOPEDIA_LIMIT="9")
    assert list(body) == ["schema_version", "home", "file", "settings"]
    settings = body["settings"]
    assert settings["timeout"] == {"value": 2.0, "origin": "file"}
    assert settings["limit"] == {"value": 9, "origin": "environment"}
    assert settings["depth"] == {"value": 12, "origin": f"{command.home}/.env.local"}
    assert settings["deadline"] == {"value": 10.0, "origin": "default"}
    assert settings["breaker.cooldown"]["value"] == 60.0
    assert settings["fusion.formula"]["value"] == "scaled"
    assert settings["sources.intranet.headers"]["value"]["Authorization"] == "Bearer ${WIKI_TOKEN}"
    assert "s3cr3t" not in json.dumps(body)
    shown = command("config", "show", "--text").stdout
    assert "timeout = 2.0  (file)\n" in shown
    assert "s3cr3t" not in shown


@pytest.mark.spec("ENC-CLI-20")
def test_unknown_settings_name_the_nearest(command: Command) -> None:
    command.settings("[breaker]\ncooldwn = 3\n")
    assert command.json("config", "show", code=1)["hint"] == "did you mean breaker.cooldown?"
    assert "cooldwn" in command.json("search", QUERY, code=1)["message"]
    command.settings("timeout = [")
    assert "TOML" in command.json("config", "show", code=1)["message"]
    assert command("config", "path").stdout == f"{command.home}/config.toml\n"


@pytest.mark.spec("ENC-CLI-21")
def test_config_init_writes_once(command: Command) -> None:
    path = command.json("config", "init")["file"]
    assert path == str(command.home / "config.toml")
    assert os.stat(path).st_mode & 0o777 == 0o600
    assert os.stat(command.home).st_mode & 0o777 == 0o700
    with open(path, "rb") as file:
        assert tomllib.load(file).keys() == {name.partition(".")[0] for name in names_of(Settings()) if "." in name}
    assert "exists already" in command.json("config", "init", code=1)["message"]
    shown = command.json("config", "show", ENCYCLOPEDIA_EMBEDDER_USE="")["settings"]
    assert {row["origin"] for row in shown.values()} == {"default"}


@pytest.mark.spec("ENC-CLI-21")
def test_the_path_of_the_file_is_plain_unless_json_is_wanted(command: Command) -> None:
    assert command("config", "path").stdout == f"{command.home}/config.toml\n"
    assert command.json("config", "path", "--json") == {"schema_version": 1, "file": f"{command.home}/config.toml"}


@pytest.mark.spec("ENC-CLI-23")
@pytest.mark.parametrize(
    ("shell", "sign"), [("bash", "complete -"), ("zsh", "compdef"), ("fish", "complete --command encyclopedia")]
)
def test_completion_scripts(command: Command, shell: str, sign: str) -> None:
    done = command("completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert sign in done.stdout
    assert "encyclopedia" in done.stdout
    assert command.json("completion", "tcsh", code=64)["code"] == 64


def complete(command: Command, line: str, hooks: dict[str, str] | None = None) -> list[str]:
    """What the shell would offer at the end of ``line``."""
    env = command.env(_ARGCOMPLETE="1", COMP_LINE=line, COMP_POINT=str(len(line)), _ARGCOMPLETE_IFS="\n", **(hooks or {}))
    out = command.folder / "completions"
    env["_ARGCOMPLETE_STDOUT_FILENAME"] = str(out)
    out.write_text("")
    subprocess.run(command.argv(), env=env, cwd=command.folder, check=True, timeout=60, capture_output=True)
    return [word.strip() for word in out.read_text().split("\n") if word.strip()]


@pytest.mark.spec("ENC-CLI-23")
def test_the_shell_completes_commands_options_and_names(command: Command) -> None:
    command.with_notes()
    assert complete(command, "encyclopedia sea") == ["search"]
    assert "--no-cache" in complete(command, "encyclopedia search x --no-")
    assert complete(command, "encyclopedia search x --corpus n") == ["notes"]
    assert complete(command, "encyclopedia search x --type gen") == ["general_search"]
    assert complete(command, "encyclopedia search x --sources no") == ["notes"]
    assert complete(command, "encyclopedia corpus remove n") == ["notes"]
    assert "index" in complete(command, "encyclopedia corpus i")


@pytest.mark.spec("ENC-CLI-23")
def test_completing_makes_no_network_call(command: Command) -> None:
    command.with_notes()
    _, audit = command.audited("completion", "bash")
    assert audit == []
    log = command.folder / "audit.log"
    hooks = {"PYTHONPATH": str(command.folder / "hooks"), "AUDIT_LOG": str(log)}
    assert complete(command, "encyclopedia search x --sources n", hooks) == ["notes"]
    assert not [line for line in log.read_text().splitlines() if line.startswith("socket")]


@pytest.mark.spec("ENC-CLI-2")
def test_help_and_version(command: Command) -> None:
    whole = command("--help")
    assert (whole.returncode, whole.stderr) == (0, "")
    for name in ("search", "corpus", "sources", "doctor", "cache", "history", "config", "completion"):
        assert f"    {name}" in whole.stdout
        assert command(name, "--help").returncode == 0
    assert "64 wrong usage" in whole.stdout
    search = command("search", "--help").stdout
    for flag in (
        "--sources", "--limit", "--type", "--corpus", "--tag", "--verbose", "--explain", "--dry-run", "--no-cache", "--no-correct",
        "--no-expand", "--timeout", "--max-tokens", "--strict", "--stream", "--json", "--text", "--color", "--no-progress",
    ):  # fmt: skip
        assert flag in search
    assert command("--version").stdout.startswith("encyclopedia 0.")
    modules = command.modules("--help")
    assert not {"asyncio", "json", "dataclasses", "rich", "encyclopedia.faces.library", "shutil"} & modules


@pytest.mark.spec("ENC-CLI-4")
@pytest.mark.parametrize(("arguments", "nearest"), [((), "--help"), (("serach", "x"), "search"), (("docter",), "doctor")])
def test_wrong_usage_is_64_for_programs_and_people(command: Command, arguments: tuple[str, ...], nearest: str) -> None:
    told = command.json(*arguments, code=64)
    assert nearest in told["hint"]
    code, seen = command.terminal(*arguments)
    assert code == 64
    assert seen.startswith("encyclopedia: ")
    assert nearest in seen
    code, seen = command.terminal(*arguments, "--json")
    assert (code, json.loads(seen)["code"]) == (64, 64)


@pytest.mark.spec("ENC-CLI-18")
@pytest.mark.parametrize("arguments", READ_ONLY, ids=" ".join)
def test_commands_that_only_read_leave_an_empty_place_empty(command: Command, arguments: tuple[str, ...]) -> None:
    command.environ = {}
    done, audit = command.audited(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert audit == []
    assert not command.home.exists()


@pytest.mark.spec("ENC-CLI-24")
def test_a_home_that_cannot_be_written_is_told_in_a_sentence(command: Command) -> None:
    if os.geteuid() == 0:
        command.home.write_text("a file, where a folder should be")
    else:
        command.home.mkdir(mode=0o500)
    told = command.json("config", "init", code=1)
    assert str(command.home) in told["message"]
    assert told["hint"]
