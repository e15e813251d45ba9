"""Curated tables through the Python face: the shapes of the first contract under one head."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from encyclopedia import ConfigurationError, Encyclopedia, UsageError
from tests.adapters.local.grounding.corpus import DESIGN, changed, write
from tests.encyclopedia.faces.cli.command import Command


@pytest.fixture
def ask(tmp_path: Path):
    """``ask(query, **options)`` of an engine that has no corpus registered."""

    def asked(query: str = "", **options):
        async def answer():
            async with Encyclopedia(environ={"ENCYCLOPEDIA_HOME": str(tmp_path / "home")}) as e:
                return await e.ground(query, **options)

        return asyncio.run(answer())

    return asked


@pytest.mark.spec("ENC-GROUND-17")
def test_a_query_is_grounded_from_python(ask):
    body = ask("SaaS dashboard", manifest=str(DESIGN))
    assert list(body)[:4] == ["schema_version", "status", "domain", "query"]
    assert (body["status"], body["category"]) == ("success", "Micro SaaS")
    assert body["selections"]["style"]["best"]["Style Category"] == "Flat Design"


@pytest.mark.spec("ENC-GROUND-17")
def test_the_other_verbs_are_there_too(ask, tmp_path):
    folder = str(write(tmp_path / "corpus"))
    found = ask("server", manifest=folder, verb="search", domain="engine", filters={"Level": ["high"]}, max_results=1)
    assert [row["Name"] for row in found["results"]] == ["Redis"]
    assert ask(manifest=folder, verb="validate")["valid"] is True
    written = ask("report", manifest=folder, persist=str(tmp_path / "out"), project="Mine")
    assert written["persisted"]["created_files"] == [str(tmp_path / "out" / "storage" / "mine" / "MASTER.md")]


@pytest.mark.spec("ENC-GROUND-17")
def test_an_empty_result_is_a_body_of_code_2_with_its_whole_shape(ask, tmp_path):
    folder = str(write(tmp_path / "corpus"))
    found = ask("zebra", manifest=folder, verb="search")
    assert (found["status"], found["code"], found["count"], found["results"]) == ("error", 2, 0, [])
    assert found["message"] == found["evidence_gap"][0]
    grounded = ask("zebra", manifest=folder)
    assert (grounded["code"], grounded["selections"]["engine"]["best"]) == (2, {})


@pytest.mark.spec("ENC-GROUND-17")
@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"query": "x", "verb": "serch"}, UsageError, "unknown verb 'serch'"),
        ({"query": "x", "filters": {}}, UsageError, "ground has no option 'filters'"),
        ({"query": "x", "verb": "search", "domian": "a"}, UsageError, "search has no option 'domian'"),
        ({"query": " "}, UsageError, "the query is empty"),
        ({"query": "", "verb": "search"}, UsageError, "the query is empty"),
        ({"query": "x", "context": ["a"]}, UsageError, "no table of flags"),
        ({"query": "x", "corpus": "a"}, UsageError, "a corpus and a manifest"),
        ({"query": "x", "verb": "search", "domain": "engin"}, ConfigurationError, "unknown domain 'engin'"),
        ({"query": "x", "verb": "search", "stack": "pythn"}, ConfigurationError, "unknown stack 'pythn'"),
        ({"query": "x", "verb": "search", "retriever": "bm52"}, ConfigurationError, "unknown retriever 'bm52'"),
        ({"query": "x", "persist": "/dev/null/out"}, ConfigurationError, "cannot be written"),
    ],
)
def test_what_cannot_be_asked_is_said_with_a_remedy(ask, tmp_path, options, error, told):
    with pytest.raises(error, match=told) as raised:
        ask(options.pop("query"), manifest=str(write(tmp_path / "corpus")), **options)
    assert raised.value.hint


@pytest.mark.spec("ENC-GROUND-17")
def test_a_table_that_cannot_be_used_is_an_error_of_the_operator(ask, tmp_path):
    folder = str(write(tmp_path / "corpus", engines=None))
    with pytest.raises(ConfigurationError, match=r"engines\.csv is not there"):
        ask("server", manifest=folder, verb="search", domain="engine")
    with pytest.raises(ConfigurationError, match="can only be searched"):
        ask("x", manifest=str(write(tmp_path / "plain", changed("reasoning", None))))
    with pytest.raises(ConfigurationError, match="is not there"):
        ask("x", manifest=str(tmp_path / "nowhere"))
    with pytest.raises(ConfigurationError, match="no corpus is of kind grounding"):
        ask("x")


@pytest.mark.spec("ENC-GROUND-17")
@pytest.mark.parametrize("query", ["server \0\udcff\u202e", "💾 server", "server " * 200_000])
def test_odd_and_endless_queries_are_answered_or_cut_with_a_note(ask, tmp_path, query):
    found = ask(query, manifest=str(write(tmp_path / "corpus")), verb="search")
    assert found["count"] == 2
    assert len(found["query"]) <= 4000
    assert ("notes" in found) == (len(query) > 4000)


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path)


@pytest.mark.spec("ENC-GROUND-16")
def test_every_flag_of_the_command(command: Command, tmp_path: Path):
    folder = str(write(tmp_path / "corpus"))
    command.json("corpus", "add", "tables", folder, "--kind", "grounding")
    head = [
        "schema_version",
        "status",
        "domain",
        "query",
        "file",
        "count",
        "results",
        "scores",
        "filtered_from",
        "confidence",
        "evidence_gap",
    ]
    found = command.json("ground", "search", "server", "database")
    assert list(found) == head
    assert (found["domain"], found["query"]) == ("engine", "server database")
    assert command.json("ground", "search", "cache", "--domain", "need", "--json")["file"] == "needs.csv"
    stack = command.json("ground", "search", "connection", "--stack", "python", "--corpus", "tables", "--max-results", "1")
    assert (stack["stack"], stack["count"]) == ("python", 1)
    both = command.json(
        "ground", "search", "server", "--filter", "Level=high", "--filter", "Level=low", "--filter", "Name=Redis"
    )
    assert [row["Name"] for row in both["results"]] == ["Redis"]
    listed = command.json("ground", "search", "--filter", "Level=high", "--retriever", "structured", "--domain", "engine")
    assert [row["Name"] for row in listed["results"]] == ["PostgreSQL", "Redis"]
    grounded = command.json("ground", "ground", "month report", "--context", '{"many_writers": true}', "--manifest", folder)
    assert "if_many_writers" in grounded["rules_evaluation"]["matched"]
    written = command.json("ground", "ground", "month report", "--persist", "out", "--project-name", "P", "--page", "home")
    assert [Path(path).name for path in written["persisted"]["created_files"]] == ["MASTER.md", "home.md"]
    assert command.json("ground", "validate") == {
        "schema_version": 1,
        "status": "success",
        "manifest": f"{folder}/manifest.json",
        "valid": True,
        "errors": [],
        "warnings": ["rules.csv, line 4: Rules holds no JSON object"],
    }


@pytest.mark.spec("ENC-GROUND-16")
def test_the_exit_codes_of_the_command(command: Command, tmp_path: Path):
    folder, bad = str(write(tmp_path / "corpus")), str(write(tmp_path / "bad", changed("owner", "")))
    at = ("--manifest", folder)
    assert command.json("ground", "search", "zebra", *at, code=2)["evidence_gap"]
    assert command.json("ground", "ground", "zebra", *at, code=2)["selections"]
    refused = command.json("ground", "validate", "--manifest", bad, code=1)
    assert (refused["status"], refused["valid"], refused["errors"]) == (
        "error",
        False,
        ["owner must be a text that is not empty"],
    )
    assert "owner" in command.json("ground", "search", "x", "--manifest", bad, code=1)["message"]
    assert command.json("ground", "search", "x", "--domain", "engin", *at, code=1)["hint"] == "did you mean engine?"
    assert "corpus add" in command.json("ground", "search", "x", code=1)["hint"]
    assert command.json("ground", "search", "x", "--corpus", "nobody", code=1)["message"] == "unknown corpus 'nobody'"
    for wrong in (
        ("search", "x", "--filter", "Level", *at),
        ("search", "x", "--filter", "=high", *at),
        ("search", "x", "--domain", "engine", "--stack", "python", *at),
        ("search", "x", "--corpus", "a", *at),
        ("search", *at),
        ("ground", "x", "--context", "[1]", *at),
        ("ground", "x", "--context", "[" * 5000, *at),
        ("ground", "x", "--page", "home", *at),
        ("ground",),
    ):
        assert command.json("ground", *wrong, code=64)["code"] == 64, wrong


@pytest.mark.spec("ENC-GROUND-16")
def test_a_person_reads_rows_rules_and_gaps(command: Command, tmp_path: Path):
    at = ("--manifest", str(write(tmp_path / "corpus")), "--text")
    shown = command("ground", "search", "server", *at).stdout
    assert "engine — engines.csv, 2 of 4 rows · confidence low" in shown
    assert "  1. Name: Redis" in shown
    assert "! the best score is weak" in shown
    told = command("ground", "ground", "month report", *at).stdout
    assert "✓ must_backup: every night" in told
    assert "· if_many_writers: use a server" in told
    assert "engine · confidence" in told
    empty = command("ground", "search", "zebra", *at)
    assert empty.returncode == 2
    assert (empty.stdout + empty.stderr).count("no row of engine") == 1
    assert "manifest.json: valid" in command("ground", "validate", *at).stdout


@pytest.mark.spec("ENC-GROUND-16", "ENC-GROUND-13")
def test_the_command_opens_no_socket_starts_nothing_and_writes_only_what_was_asked_for(command: Command, tmp_path: Path):
    folder = str(write(tmp_path / "corpus"))
    for action in (("search", "server"), ("ground", "month report"), ("validate",)):
        done, events = command.audited("ground", *action, "--manifest", folder)
        assert (done.returncode, events) == (0, []), action
    done, events = command.audited("ground", "ground", "month report", "--manifest", folder, "--persist", str(tmp_path / "out"))
    assert done.returncode == 0
    assert events
    opened = [event for event in events if not event.removeprefix("write ").isdigit()]  # a descriptor that is already named
    assert all(str(tmp_path / "out") in event for event in opened), events


@pytest.mark.spec("ENC-GROUND-16")
def test_no_cell_acts_on_the_terminal(command: Command, tmp_path: Path):
    folder = str(write(tmp_path / "corpus", engines="Name,Keywords,Level\n\x1b[31mRed\u202e,server,<script>\n"))
    shown = command("ground", "search", "server", "--manifest", folder, "--text").stdout
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert command.json("ground", "search", "server", "--manifest", folder)["results"][0]["Name"] == "\x1b[31mRed\u202e"


@pytest.mark.spec("ENC-GROUND-15")
def test_check_fails_for_what_is_overdue_or_missing_and_search_still_answers(command: Command, tmp_path: Path):
    folder = write(tmp_path / "corpus", changed("upstream.last_checked", "2001-01-31") | {"refresh_cadence": "monthly"})
    command.json("corpus", "add", "tables", str(folder), "--kind", "grounding")
    checked = command.json("corpus", "check", "tables", code=1)
    assert checked["corpora"][0]["problems"][0].startswith("stale: example/tables was last checked on 2001-01-31")
    assert command.json("ground", "search", "server")["notes"] == checked["corpora"][0]["problems"]
    (folder / "needs.csv").unlink()
    assert "needs.csv is not there" in command.json("corpus", "check", "tables", code=1)["corpora"][0]["problems"]
    found = command.json("search", "embedded transactions", "--corpus", "tables", "--tag", "engine")
    assert [result["title"] for result in found["results"]] == ["SQLite"]
    assert found["results"][0]["locator"] == {"corpus": "tables", "path": "engines.csv", "section": "engine", "lines": [3, 3]}
