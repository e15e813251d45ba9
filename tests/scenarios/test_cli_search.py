"""``encyclopedia search`` as a process: exit codes, the JSON contract, cache, dry run, stream, terminal."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.encyclopedia.faces.cli.command import NOTE, Command, tree
from tests.switches import off
from tests.upstream import UpstreamProcess

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SUCCESS = [
    "schema_version",
    "status",
    "query",
    "query_type",
    "results",
    "sources_used",
    "outcomes",
    "degraded",
    "degradation",
    "cached",
    "corrections",
    "evidence_gap",
]
RESULT = ["rank", "title", "url", "content", "source", "score", "fused_from", "locator", "published", "version"]
OUTCOME = ["source", "status", "results", "ms", "reason", "optional"]
VERBOSE = ["query_analysis", "source_routing", "fusion", "cache", "profiler", "waiting", "stages"]
QUERY = "rotate the signing keys"
WIKI = """
[sources.wiki]
kind = "json"
serves = {{ library_docs = 0.3 }}
url = "{url}/wiki?q={{query}}&n={{limit}}"
results = "hits[]"
fields = {{ title = "name", url = "link", content = "text" }}
"""
HITS = {"hits": [{"name": "Keys in the wiki", "link": "https://wiki.example.org/keys", "text": "rotate signing keys"}]}


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path).with_notes()


@pytest.fixture(scope="module")
def upstream() -> Iterator[UpstreamProcess]:
    with UpstreamProcess() as running:
        yield running


@pytest.fixture
def wiki(command: Command, upstream: UpstreamProcess) -> Command:
    """The command with a second source, which answers over HTTP."""
    command.settings(WIKI.format(url=upstream.url))
    upstream.clear()
    upstream.on("/wiki", json=HITS)
    return command


def events(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.spec("ENC-CLI-3")
def test_the_json_form_is_the_one_that_is_promised(wiki: Command) -> None:
    body = wiki.json("search", QUERY)
    assert list(body)[: len(SUCCESS)] == SUCCESS
    assert (body["schema_version"], body["status"], body["query"], body["query_type"]) == (1, "success", QUERY, "library_docs")
    assert [list(row) for row in body["results"]] == [RESULT] * len(body["results"])
    assert [list(row) for row in body["outcomes"]] == [OUTCOME] * 2
    assert set(body["sources_used"]) == {"notes", "wiki"}
    assert list(body["degradation"]) == ["missing", "errors"]
    note = next(row for row in body["results"] if row["source"] == "notes")
    assert note["locator"] == {"corpus": "notes", "path": "keys.md", "section": "Signing keys > Rotate", "lines": [5, 5]}
    assert sum(share["score"] for share in note["fused_from"]) == note["score"]
    assert set(note["fused_from"][0]) == {"source", "rank", "weight", "score"}
    assert body["degraded"] is False


@pytest.mark.spec("ENC-CLI-7")
def test_verbose_and_explain_add_to_the_same_object(command: Command) -> None:
    verbose = command.json("search", QUERY, "--verbose")["verbose"]
    assert list(verbose) == VERBOSE
    assert [step["name"] for step in verbose["stages"]][:2] == ["classify", "correct"]
    explained = command.json("search", QUERY, "--explain")["verbose"]["explain"]
    assert {"name", "before", "after", "absent"} == set(explained[0])
    assert "verbose" not in command.json("search", QUERY)


@pytest.mark.spec("ENC-CLI-1")
def test_limit_sources_corpus_and_tokens(wiki: Command) -> None:
    assert len(wiki.json("search", QUERY, "--limit", "1")["results"]) == 1
    assert wiki.json("search", QUERY, "--sources", "wiki")["sources_used"] == ["wiki"]
    assert wiki.json("search", QUERY, "--corpus", "notes")["sources_used"] == ["notes"]
    assert wiki.json("search", QUERY, "--type", "general_search", "--corpus", "notes")["query_type"] == "general_search"
    short = wiki.json("search", QUERY, "--corpus", "notes", "--max-tokens", "12")["results"]
    assert sum(len(row["content"]) for row in short) <= 12 * 4


@pytest.mark.spec("ENC-CLI-1")
def test_tags_restrict(tmp_path: Path) -> None:
    tagged = Command(tmp_path).with_notes(one=f"---\ntags: [ops]\n---\n{NOTE}", two=NOTE)
    body = tagged.json("search", QUERY, "--tag", "ops")
    assert {row["locator"]["path"] for row in body["results"]} == {"one.md"}


@pytest.mark.spec("ENC-CLI-4")
def test_a_tag_that_no_document_has_is_refused_with_the_nearest(tmp_path: Path) -> None:
    tagged = Command(tmp_path).with_notes(one=f"---\ntags: [ops/night]\n---\n{NOTE}")
    for arguments in (("search", QUERY), ("search", QUERY, "--dry-run"), ("search", QUERY, "--corpus", "notes")):
        body = tagged.json(*arguments, "--tag", "opps", code=1)
        assert (body["message"], body["hint"]) == ("no document has the tag 'opps'", "did you mean ops?")
    assert tagged.json("search", QUERY, "--tag", "#Ops/Night")["results"]
    tagged.notes(two=f"---\ntags: [new]\n---\n{NOTE}")
    assert tagged.json("search", QUERY, "--tag", "new")["results"]  # not read before, so that it cannot be refused


@pytest.mark.spec("ENC-CLI-1")
def test_the_configured_limit_holds_where_none_is_given(wiki: Command) -> None:
    assert len(wiki.json("search", QUERY, ENCYCLOPEDIA_LIMIT="1")["results"]) == 1
    assert len(wiki.json("search", QUERY, "--limit", "2", ENCYCLOPEDIA_LIMIT="1")["results"]) == 2


@pytest.mark.spec("ENC-CLI-1")
def test_corrections_are_made_shown_and_can_be_turned_off(tmp_path: Path) -> None:
    command = Command(tmp_path).with_notes(pods="# Pods\n\nThe memory limits of a kubernetes pod.\n")
    said = command.json("search", "kuberntes pod memory", "--verbose")
    assert said["verbose"]["query_analysis"]["corrections"] == ["kuberntes → kubernetes"]
    plain = command.json("search", "kuberntes pod memory", "--verbose", "--no-correct")
    assert plain["verbose"]["query_analysis"]["corrections"] == []
    shown = command("search", "kuberntes pod memory", "--text").stdout
    assert "searched also for: kubernetes" in shown


@pytest.mark.spec("ENC-CLI-1")
def test_expansion_can_be_turned_off(command: Command) -> None:
    assert command.json("search", "k8s signing keys", "--verbose")["verbose"]["query_analysis"]["expansions"]
    assert not command.json("search", "k8s signing keys", "--verbose", "--no-expand")["verbose"]["query_analysis"]["expansions"]


@pytest.mark.spec("ENC-CLI-14")
def test_a_second_search_is_served_from_the_cache_without_asyncio(command: Command) -> None:
    assert command.json("search", QUERY)["cached"] is False
    assert command.json("search", QUERY)["cached"] is True
    assert command.json("search", QUERY, "--no-cache")["cached"] is False
    assert not {"asyncio", "rich", "aiohttp", "argcomplete"} & command.modules("search", QUERY)


@pytest.mark.spec("ENC-HERE-4")
def test_one_corpus_is_asked_without_asyncio_and_answers_the_same(command: Command) -> None:
    command.json("corpus", "add", "plain", str(command.folder / "notes"), "--no-vectors")
    arguments = ("search", QUERY, "--corpus", "plain", "--no-cache")
    assert not {"asyncio", "ssl", "socket", "email", "ctypes", "aiohttp", "numpy"} & command.modules(*arguments)
    here = command.json(*arguments, "--verbose")
    script = (
        "import asyncio, json\n"
        "from encyclopedia import Encyclopedia\n"
        "async def main():\n"
        "    async with Encyclopedia() as e:\n"
        f"        return (await e.search({QUERY!r}, corpora='plain', read_cache=False, verbose=True)).to_dict()\n"
        "print(json.dumps(asyncio.run(main())))\n"
    )
    argv = [sys.executable, "-c", script]
    done = subprocess.run(argv, cwd=command.folder, env=command.env(), capture_output=True, text=True, check=True, timeout=60)
    loop = json.loads(done.stdout)
    for told in (here, loop):
        told["outcomes"] = [outcome | {"ms": 0} for outcome in told["outcomes"]]
        told["verbose"]["stages"] = [stage | {"ms": 0} for stage in told["verbose"]["stages"]]
        told["verbose"]["waiting"]["deadline"] = 0  # a command has less, by the time that it took to start
    assert here == loop


@pytest.mark.spec("ENC-CLI-14")
def test_no_cache_still_writes(command: Command) -> None:
    assert command.json("search", QUERY, "--no-cache")["cached"] is False
    assert command.json("search", QUERY)["cached"] is True


@pytest.mark.spec("ENC-CLI-9")
def test_a_dry_run_decides_and_does_nothing(wiki: Command, upstream: UpstreamProcess) -> None:
    before = tree(wiki.home)
    done, audit = wiki.audited("search", "kuberntes signing keys", "--dry-run")
    assert (done.returncode, done.stderr) == (0, "")
    assert audit == []
    assert tree(wiki.home) == before
    assert upstream.count() == 0
    body = json.loads(done.stdout)
    assert list(body)[:2] == ["schema_version", "status"]
    assert body["status"] == "dry_run"
    assert body["target_sources"] == ["notes", "wiki"]
    assert body["query_analysis"]["corrections"] == ["kuberntes → kubernetes"]
    assert body["source_health"] == dict.fromkeys(body["source_health"], "healthy")
    assert body["cache_status"] == "miss"


@pytest.mark.spec("ENC-CLI-9")
def test_a_dry_run_in_an_empty_place_leaves_it_empty(tmp_path: Path) -> None:
    command = Command(tmp_path, {})
    done, audit = command.audited("search", "aiohttp client session timeout", "--dry-run")
    assert done.returncode == 0, done.stdout
    assert audit == []
    assert not command.home.exists()
    assert not {"asyncio", "rich", "aiohttp", "tantivy", "griffe"} & command.modules("search", "aiohttp timeout", "--dry-run")


@pytest.mark.spec("ENC-CLI-4")
@pytest.mark.parametrize(
    ("arguments", "code", "message", "hint"),
    [
        (("search", ""), 64, "", ""),
        (("search", "x", "--type", "docs"), 1, "unknown query type 'docs'", "library_docs"),
        (("search", "x", "--sources", "note"), 1, "unknown source 'note'", "notes"),
        (("search", "x", "--corpus", "nots"), 1, "nots", "notes"),
        (("search", "x", "--sources", "searxng"), 1, "SEARXNG_URL", "SEARXNG_URL"),
        (("search", "x", "--limti", "3"), 64, "--limti", "--limit"),
        (("search", "x", "--limit", "0"), 64, "--limit", "--help"),
    ],
)
def test_what_cannot_be_asked(command: Command, arguments: tuple[str, ...], code: int, message: str, hint: str) -> None:
    told = command.json(*arguments, code=code)
    assert (told["schema_version"], told["status"], told["code"]) == (1, "error", code)
    assert message in told["message"]
    assert hint in told.get("hint", "")


@pytest.mark.spec("ENC-CLI-4")
def test_nothing_found_is_code_2_with_the_outcomes(command: Command) -> None:
    told = command.json("search", "zyxwvut qqqqq", code=2)
    assert (told["status"], told["code"]) == ("error", 2)
    assert [row["status"] for row in told["outcomes"]] == ["empty"]
    assert told["results"] == []
    assert "degraded" in told
    assert "degradation" in told
    shown = command("search", "zyxwvut qqqqq", "--text")
    assert (shown.returncode, shown.stderr.splitlines()[0]) == (2, "encyclopedia: nothing found for this query")


@pytest.mark.spec("ENC-CLI-4")
def test_no_source_that_answers_is_code_3_with_the_outcomes(wiki: Command, upstream: UpstreamProcess) -> None:
    upstream.on("/wiki", status=500)
    told = wiki.json("search", QUERY, "--sources", "wiki", code=3)
    assert (told["status"], told["code"], told["degraded"]) == ("error", 3, True)
    assert [row["status"] for row in told["outcomes"]] == ["unavailable"]
    shown = wiki("search", QUERY, "--sources", "wiki", "--text")
    assert shown.returncode == 3
    assert shown.stdout == ""
    assert shown.stderr.startswith("encyclopedia: no source could")


@pytest.mark.spec("ENC-CLI-4")
def test_a_failing_source_degrades_and_only_strict_minds(wiki: Command, upstream: UpstreamProcess) -> None:
    upstream.on("/wiki", status=500)
    body = wiki.json("search", QUERY)
    assert (body["status"], body["degraded"]) == ("success", True)
    assert body["degradation"]["errors"][0]["source"] == "wiki"
    strict = wiki.json("search", QUERY, "--strict", code=3)
    assert (strict["status"], strict["code"], strict["degraded"]) == ("error", 3, True)
    assert strict["results"]
    assert list(strict)[:5] == ["schema_version", "status", "code", "message", "hint"]
    shown = wiki("search", QUERY, "--text")
    assert any(line.startswith("! wiki: ") for line in shown.stdout.splitlines())


@pytest.mark.spec("ENC-CLI-4")
def test_strict_is_content_with_a_whole_answer(command: Command) -> None:
    assert command.json("search", QUERY, "--strict")["status"] == "success"


@pytest.mark.spec("ENC-CLI-1")
def test_the_deadline_of_the_whole_query(wiki: Command, upstream: UpstreamProcess) -> None:
    upstream.on("/wiki", hang=True)
    body = wiki.json("search", QUERY, "--timeout", "0.6")
    assert {row["source"]: row["status"] for row in body["outcomes"]} == {"notes": "ok", "wiki": "timeout"}


@pytest.mark.spec("ENC-CLI-4")
def test_a_defect_is_a_sentence_and_a_traceback_only_for_debugging(command: Command) -> None:
    broken = "from encyclopedia.faces.cli import app, commands\nimport encyclopedia.faces.cli.sources as s\ns.run = None\n"
    command.python = ("-c", broken + "import sys; sys.exit(app.run(sys.argv[3:]))")
    done = command("sources", "--json")
    assert (done.returncode, done.stderr) == (4, "")
    assert json.loads(done.stdout)["message"].endswith("(TypeError)")
    debug = command("sources", "--json", ENCYCLOPEDIA_LOG_LEVEL="debug")
    assert "TypeError" in debug.stderr
    assert "Traceback" in debug.stderr


@pytest.mark.spec("ENC-CLI-10")
def test_a_stream_is_an_event_for_each_source_and_the_whole_at_last(wiki: Command) -> None:
    done = wiki("search", QUERY, "--stream")
    told = events(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert [event["event"] for event in told] == ["plan", "source", "source", "done"]
    assert told[0]["target_sources"] == ["notes", "wiki"]
    assert {event["source"] for event in told[1:3]} == {"notes", "wiki"}
    landed = next(event for event in told if event.get("source") == "wiki")
    assert landed["hits"] == [{"rank": 1, "title": "Keys in the wiki", "url": "https://wiki.example.org/keys"}]
    assert told[-1]["results"]
    assert [event["event"] for event in events(wiki("search", QUERY, "--stream").stdout)] == ["plan", "done"]


@pytest.mark.spec("ENC-CLI-10")
def test_a_stream_lets_the_first_answer_go_before_the_last_is_there(wiki: Command, upstream: UpstreamProcess) -> None:
    upstream.on("/wiki", hang=True)
    running = wiki.start("search", QUERY, "--stream")
    assert running.stdout is not None
    first = [json.loads(running.stdout.readline()) for _ in range(2)]
    assert [event["event"] for event in first] == ["plan", "source"]
    assert first[1]["source"] == "notes"
    running.kill()
    running.communicate()


@pytest.mark.spec("ENC-CLI-10")
def test_a_stream_that_fails_ends_with_an_error_event(wiki: Command, upstream: UpstreamProcess) -> None:
    upstream.on("/wiki", status=500)
    done = wiki("search", QUERY, "--stream", "--sources", "wiki")
    assert (done.returncode, events(done.stdout)[-1]["event"], events(done.stdout)[-1]["code"]) == (3, "error", 3)
    unknown = wiki("search", QUERY, "--stream", "--sources", "wikki")
    assert (unknown.returncode, [event["event"] for event in events(unknown.stdout)]) == (1, ["error"])


@pytest.mark.spec("ENC-CLI-5")
def test_the_readable_form_in_a_pipe(wiki: Command) -> None:
    done = wiki("search", QUERY, "--text")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert "    notes keys.md:5 § Signing keys > Rotate\n" in done.stdout
    assert "    https://wiki.example.org/keys\n" in done.stdout
    again = wiki("search", QUERY, "--text").stdout
    assert "stored answer, " in again
    assert "notes 1 in" in again


@pytest.mark.spec("ENC-CLI-7")
def test_the_readable_diagnostics(command: Command) -> None:
    verbose = command("search", QUERY, "--verbose", "--text").stdout
    assert "type           library_docs (default)" in verbose
    assert "stages         classify" in verbose
    explained = command("search", QUERY, "--explain", "--text").stdout
    assert " from notes: rank 1, weight 1.000" in explained
    dry = command("search", QUERY, "--dry-run", "--text").stdout
    assert all(part in dry for part in ("weight 1.000", "5 s", "primary", "healthy"))


@pytest.mark.spec("ENC-CLI-6")
def test_a_terminal_gets_colours_and_links(command: Command) -> None:
    code, seen = command.terminal("search", QUERY)
    assert code == 0
    assert f"file://{command.folder}/notes/keys.md\x1b\\" in seen
    assert "\x1b[1;33msigning\x1b[0m" in seen
    for options, env in ((("--color", "never"), {}), ((), {"NO_COLOR": "1", "TERM": "dumb"})):
        code, seen = command.terminal("search", QUERY, *options, **env)
        assert code == 0
        assert "\x1b[1;33m" not in seen
        assert "\x1b]8" not in seen
        assert "Rotate the signing keys" in seen


@pytest.mark.spec("ENC-CLI-6")
def test_a_dumb_terminal_gets_no_escape_at_all(command: Command) -> None:
    for env in ({"TERM": "dumb"}, {"TERM": "dumb", "NO_COLOR": "1"}):
        code, seen = command.terminal("search", QUERY, **env)
        assert code == 0
        assert "\x1b" not in seen


@pytest.mark.spec("ENC-CLI-11")
def test_the_first_search_of_a_person_says_what_is_off(tmp_path: Path) -> None:
    command = Command(tmp_path, off("manpages"))
    _, seen = command.terminal("search", "tar extract archive", "--no-progress")
    assert "`encyclopedia sources` says how" not in seen
    second = Command(tmp_path / "other", command.environ)
    second.folder.mkdir()
    _, seen = second.terminal("search", "tar extract archive")
    assert "off: " in seen
    assert "packages (switched off)" in " ".join(seen.split())
    _, again = second.terminal("search", "tar extract archive")
    assert "packages (switched off)" not in " ".join(again.split())


@pytest.mark.spec("ENC-CLI-12")
def test_what_the_user_typed_cannot_act_on_the_terminal(command: Command) -> None:
    code, seen = command.terminal("search", "signing \x1b[2J keys \u202e", "--verbose", "--color", "never", "--no-progress")
    assert code == 0
    assert "\x1b" not in seen
    code, seen = command.terminal("search", "x", "--sources", "\x1b]0;owned\x07", "--no-progress")
    assert code == 1
    assert "\x1b]0" not in seen


@pytest.mark.spec("ENC-CLI-12")
def test_bytes_that_are_no_text_do_not_break_the_json(command: Command) -> None:
    import subprocess

    done = subprocess.run(
        [*command.argv("search"), b"signing keys \xff\xfe"],
        cwd=command.folder,
        env=command.env(),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout
    assert json.loads(done.stdout)["results"]


@pytest.mark.spec("ENC-CLI-11")
def test_an_index_that_is_behind_is_finished_for_a_person_and_never_in_a_pipe(command: Command) -> None:
    for number in range(40):
        (command.folder / "notes" / f"new{number}.md").write_text(f"# New {number}\n\nSigning keys of service {number}.\n")
    body = command.json("search", QUERY)
    assert "encyclopedia corpus index notes" in body["outcomes"][0]["reason"]
    assert command.json("corpus", "show", "notes")["added"] > 0
    code, seen = command.terminal("search", QUERY)
    assert code == 0
    assert "indexing notes" in seen
    assert "notes: 40 documents added, " in seen
    assert command.json("corpus", "show", "notes")["added"] == 0
    assert command.json("search", QUERY)["degraded"] is False


@pytest.mark.spec("ENC-CLI-3")
def test_json_on_a_terminal_is_one_object_too(command: Command) -> None:
    code, seen = command.terminal("search", QUERY, "--json")
    assert code == 0
    assert list(json.loads(seen))[:2] == ["schema_version", "status"]
    code, seen = command.terminal("search", QUERY, "--sources", "nots", "--json")
    assert (code, json.loads(seen)["code"]) == (1, 1)


@pytest.mark.spec("ENC-CLI-12")
def test_hostile_text_of_a_source_cannot_act_on_the_terminal(wiki: Command, upstream: UpstreamProcess) -> None:
    hostile = {
        "name": "Keys \x1b]8;;https://evil.example\x07click\x1b[2J",
        "link": "https://wiki.example.org/",
        "text": "\x9b2J \u202ekeys",
    }
    upstream.on("/wiki", json={"hits": [hostile]})
    code, seen = wiki.terminal("search", QUERY, "--sources", "wiki", "--color", "never", "--no-progress")
    assert code == 0
    assert not {"\x1b", "\x9b", "\u202e", "\x07"} & set(seen)
    assert "Keys" in seen
