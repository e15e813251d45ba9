"""Built-in sources asked through commands: real scripts on a path of their own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from encyclopedia.faces.cli.checkup import checkup
from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.plan import Request
from encyclopedia.model.query import QueryType
from encyclopedia.ports import Card, Cli, Key
from encyclopedia.wiring.catalog import catalog
from encyclopedia.wiring.clis import by_cli, clis, lists_files, words_of
from encyclopedia.wiring.environment import environment
from encyclopedia.wiring.plugins import entry_points
from encyclopedia.wiring.resources import Resources
from encyclopedia.wiring.settings import load
from encyclopedia.wiring.sources import Sources

SCRIPT = f"#!{sys.executable}\nimport json, os, sys\n"
ROWS = """
if sys.argv[1] == "resolve":
    print(json.dumps({"results": [{"id": "/acme/" + sys.argv[2]}]}))
else:
    keys = {name: value for name, value in os.environ.items() if name.endswith("_API_KEY")}
    print(json.dumps([{"title": " ".join(sys.argv[1:]), "url": "https://example.org/", "text": json.dumps(keys)}]))
"""
LINES = """
for at in (1, 2):
    print(json.dumps({"kind": "function", "name": "f%d" % at, "path": "/repo/a.py", "line": at, "source": "def f(): ..."}))
print(json.dumps({"kind": "module", "name": "a", "signature": "module a"}))
"""


@pytest.fixture
def programs(tmp_path, monkeypatch):
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    def add(name, body=ROWS):
        (folder / name).write_text(SCRIPT + body)
        (folder / name).chmod(0o755)
        return str(folder / name)

    return add


def made(home, environ, *objects):
    loaded = load(str(home), environment(str(home), environ, str(home)))
    return catalog(loaded, entry_points(), objects), loaded


async def ask(home, environ, name, **more):
    entries, loaded = made(home, environ)
    assert entries[name].candidate.missing == ""
    sources = Sources(entries, loaded, Resources())
    try:
        request = Request(**{"text": "async routing", "type": QueryType.GENERAL_SEARCH, "limit": 3, "timeout": 10.0, **more})
        return (await sources.ask(name)(request)).hits
    finally:
        await sources.aclose()


ASKED = [
    ("kagi", "KAGI_CLI", "kagi", {}, "search async routing"),
    ("perplexity", "PERPLEXITY_CLI", "perplexity", {}, "query async routing"),
    ("searxng", "SEARXNG_CLI", "searxng", {}, "search async routing"),
    ("context7", "CONTEXT7_CLI", "context7", {"library": "webkit"}, "docs /acme/webkit async routing"),
    ("mcp_git_ingest", "GIT_INGEST_CLI", "mcp-git-ingest", {"type": QueryType.REPOSITORY, "repository": "a/b"}, "tree a/b"),
    ("mcp_git_ingest", "GIT_INGEST_CLI", "mcp-git-ingest", {"type": QueryType.CODE_CONTEXT, "repository": "a/b"}, "read a/b async routing"),
]  # fmt: skip


@pytest.mark.spec("ENC-CLIS-1")
@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: f"{asked[0]} {asked[4][:4]}")
async def test_a_source_is_asked_through_its_command_with_its_own_keys(tmp_path, programs, asked):
    source, variable, program, more, line = asked
    programs(program)
    keys = {"KAGI_API_KEY": "k4gi-s3cr3t", "ENCYCLOPEDIA_ENABLE_KAGI": "1"}
    hits = await ask(tmp_path, {variable: program, **keys}, source, **more)
    assert [hit.title for hit in hits] == [line]
    assert "k4gi-s3cr3t" not in hits[0].content  # taken out of what comes back
    assert ("KAGI_API_KEY" in hits[0].content) == (source == "kagi")


@pytest.mark.spec("ENC-CLIS-1")
async def test_exa_is_asked_through_its_mcp_server(tmp_path, programs):
    server = Path(__file__).parents[2] / "programs/old_mcp_server.py"
    programs("exa-mcp-server", server.read_text())
    hits = await ask(tmp_path, {"EXA_CLI": "exa-mcp-server"}, "exa")
    assert [hit.title for hit in hits] == ["One", "Two"]


@pytest.mark.spec("ENC-CLIS-1")
async def test_a_code_graph_prints_lines(tmp_path, programs):
    program = programs("cgcli", LINES)
    card = Card("codegraph", {QueryType.CODE_CONTEXT: 0.25}, make=lambda context: None)
    environ = environment(str(tmp_path), {"CGC_CLI": program}, str(tmp_path))
    found = by_cli({"codegraph": card}, environ, entry_points()["encyclopedia.kinds"])["codegraph"]
    entries, loaded = made(tmp_path, {}, found)
    sources = Sources(entries, loaded, Resources())
    request = Request("f", QueryType.CODE_CONTEXT, 5, 10.0)
    hits = (await sources.ask("codegraph")(request)).hits
    assert [(hit.title, hit.content, hit.id) for hit in hits] == [
        ("function f1", "def f(): ...", "/repo/a.py:1"),
        ("function f2", "def f(): ...", "/repo/a.py:2"),
        ("module a", "module a", ""),
    ]


@pytest.mark.spec("ENC-CLIS-2")
def test_a_command_that_is_not_there_is_named_and_degrades(tmp_path):
    entries, _ = made(tmp_path, {"PERPLEXITY_CLI": "no-such-cli", "EXA_CLI": "/nowhere/exa-mcp-server"})
    for name, variable, program in (
        ("perplexity", "PERPLEXITY_CLI", "no-such-cli"),
        ("exa", "EXA_CLI", "/nowhere/exa-mcp-server"),
    ):
        found = entries[name].candidate
        assert (found.missing, found.optional) == (f"cli_not_found: {program} is not there", False)
        assert variable in found.hint
        assert variable in entries[name].needs


@pytest.mark.spec("ENC-CLIS-2")
@pytest.mark.parametrize("value", ["./evil", "'unclosed", "bin/x y"])
def test_a_value_that_names_no_program_is_a_configuration_error(tmp_path, value):
    with pytest.raises(ConfigurationError, match="EXA_CLI"):
        made(tmp_path, {"EXA_CLI": value})


@pytest.mark.spec("ENC-CLIS-3")
def test_without_variables_nothing_changes_and_the_working_folder_can_set_none(tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "here/.env.local").write_text("EXA_CLI=/tmp/evil\n")
    found = environment(str(tmp_path), {"OTHER_CLI": "x", "KAGI_CLI": " "}, str(tmp_path / "here"))
    assert by_cli({"exa": Card("exa", {}), "kagi": Card("kagi", {})}, found, {}) == {}


@pytest.mark.spec("ENC-CLIS-3")
def test_name_weights_and_wording_stay_and_keys_are_no_longer_needed(tmp_path, programs):
    programs("kagi")
    before, after = made(tmp_path, {})[0]["kagi"].card, made(tmp_path, {"KAGI_CLI": "kagi"})[0]["kagi"].card
    assert (after.name, after.serves, after.form, after.default) == (before.name, before.serves, before.form, before.default)
    assert Key("KAGI_API_KEY") in before.requires
    assert Key("KAGI_API_KEY") not in after.requires
    assert after.accepts == (Key("KAGI_API_KEY"),)
    assert Cli("kagi", "KAGI_CLI") in after.requires


@pytest.mark.spec("ENC-CLIS-3")
def test_a_variable_may_carry_arguments_and_every_table_is_sound(tmp_path):
    assert words_of("npx -y 'a b'", "X_CLI") == ["npx", "-y", "a b"]
    spaced = tmp_path / "my program"
    spaced.write_text("")
    assert words_of(str(spaced), "X_CLI") == [str(spaced)]
    cards = {name: Card(name, {QueryType.GENERAL_SEARCH: 0.1}) for name in clis()}
    environ = environment(str(tmp_path), {table["variable"]: "program" for table in clis().values()}, str(tmp_path))
    found = by_cli(cards, environ, entry_points()["encyclopedia.kinds"])
    assert set(found) == set(clis())
    assert all(card.make for card in found.values())


@pytest.mark.spec("ENC-CLIS-4")
def test_doctor_warns_of_the_program_that_lists_files(tmp_path, programs, monkeypatch):
    mark = tmp_path / "ran"
    programs("exa", f"open({str(mark)!r}, 'w')\nprint('exa - list files on the command line')\n")
    monkeypatch.setenv("ENCYCLOPEDIA_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EXA_CLI", "exa")
    (row,) = [row for row in checkup() if row["check"] == "EXA_CLI"]
    assert (row["status"], row["hint"]) == ("warn", "set EXA_CLI=exa-mcp-server")
    assert not mark.exists()  # read, not run
    programs("exa")
    assert not [row for row in checkup() if row["check"] == "EXA_CLI"]
    assert not lists_files("exa-mcp-server")
