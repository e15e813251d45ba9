from __future__ import annotations

import pytest

from encyclopedia.faces.cli.commands import COMMANDS, command, parse, parser
from encyclopedia.faces.cli.parser import width
from encyclopedia.faces.cli.search import query_options
from encyclopedia.model.errors import UsageError

FLAGS = [
    ("", {"limit": None, "sources": None, "corpora": None, "tags": None, "timeout": None, "max_tokens": None}),
    ("", {"correct": True, "expand": True, "read_cache": True, "verbose": False, "explain": False, "type": None}),
    ("--sources a,b", {"sources": "a,b"}),
    ("--limit 7", {"limit": 7}),
    ("--type code_context", {"type": "code_context"}),
    ("--corpus x --corpus y", {"corpora": ["x", "y"]}),
    ("--tag one --tag two", {"tags": ["one", "two"]}),
    ("--verbose", {"verbose": True}),
    ("--explain", {"explain": True}),
    ("--no-cache", {"read_cache": False}),
    ("--no-correct", {"correct": False}),
    ("--no-expand", {"expand": False}),
    ("--timeout 2.5", {"timeout": 2.5}),
    ("--max-tokens 300", {"max_tokens": 300}),
]
WRONG = [
    ("", "no command was given"),
    ("serch x", "unknown command 'serch'"),
    ("search", "query"),
    ("search x --limit 0", "--limit"),
    ("search x --limit many", "--limit"),
    ("search x --limit -3", "--limit"),
    ("search x --timeout 0", "--timeout"),
    ("search x --timeout nan", "--timeout"),
    ("search x --timeout inf", "--timeout"),
    ("search x --max-tokens 0", "--max-tokens"),
    ("search x --limti 3", "unknown option '--limti'"),
    ("search x --lim 3", "unknown option '--lim'"),
    ("search x --json --text", "--text"),
    ("search x --stream --dry-run", "--dry-run"),
    ("search x --color blue", "--color"),
    ("search x --limit 3 y", "unexpected argument 'y'"),
    ("corpus", "ACTION"),
    ("corpus lst", "lst"),
    ("corpus add notes", "PATH"),
    ("cache empty", "empty"),
    ("history --last 0", "--last"),
    ("completion tcsh", "tcsh"),
    ("config", "ACTION"),
]
HINTS = [("serch x", "search"), ("search x --limti 3", "--limit"), ("search x --no-cahce", "--no-cache"), ("docter", "doctor")]


@pytest.mark.spec("ENC-CLI-1")
@pytest.mark.parametrize(("flags", "meant"), FLAGS)
def test_every_flag_of_search_means_what_it_says(flags: str, meant: dict[str, object]) -> None:
    options = query_options(parse(["search", "x", *flags.split()]))
    assert options | meant == options


@pytest.mark.spec("ENC-CLI-1")
def test_the_words_of_a_query_need_no_quotes() -> None:
    assert parse(["search", "pod", "memory", "limits", "--limit", "2"]).query == ["pod", "memory", "limits"]
    assert parse(["search", "--", "--weird query"]).query == ["--weird query"]


@pytest.mark.spec("ENC-CLI-4")
@pytest.mark.parametrize(("line", "named"), WRONG)
def test_wrong_usage_raises_and_names_what_is_wrong(line: str, named: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse(line.split())
    assert named in raised.value.message
    assert raised.value.hint


@pytest.mark.spec("ENC-CLI-4")
@pytest.mark.parametrize(("line", "nearest"), HINTS)
def test_the_nearest_known_name_is_offered(line: str, nearest: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse(line.split())
    assert raised.value.hint == f"did you mean {nearest}?"


@pytest.mark.parametrize("value", ["", " ", ",", " , "])
def test_a_list_of_sources_without_a_name_is_wrong_usage(value: str) -> None:
    with pytest.raises(UsageError, match="--sources"):
        query_options(parse(["search", "x", "--sources", value]))


@pytest.mark.spec("ENC-CLI-2")
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_a_module_with_two_functions(name: str) -> None:
    module = command(name)
    assert callable(module.add_parser)
    assert callable(module.run)
    assert COMMANDS[name][1] == module.HELP


@pytest.mark.spec("ENC-CLI-2")
def test_the_help_of_the_whole_is_the_same_whether_commands_are_imported_or_not() -> None:
    assert parser([]).format_help() == parser(COMMANDS).format_help()


@pytest.mark.spec("ENC-CLI-2")
def test_the_help_of_the_whole_is_complete_even_before_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        parse(["--help", "search"])
    assert left.value.code == 0
    shown = capsys.readouterr().out
    assert all(f"    {name}" in shown for name in COMMANDS)


@pytest.mark.parametrize(("columns", "expected"), [("120", 120), ("33", 33)])
def test_the_width_of_help_is_that_of_the_terminal(columns: str, expected: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert width() == expected


def test_without_a_terminal_help_has_a_width_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "wide")
    assert width() >= 20
