"""A real program as a source."""

import asyncio
import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from encyclopedia.model.errors import AuthRefused, ConfigurationError, Garbled, QuotaSpent, RateLimited, Refused, Unavailable
from encyclopedia.model.query import QueryType
from encyclopedia.ports import Cli, Key
from encyclopedia_adapters.generic.command import _argument, card
from encyclopedia_adapters.generic.program import MAX_OUTPUT
from tests.adapters.contract.stand_ins import built, request

PROGRAM = [sys.executable, str(Path(__file__).parents[2] / "programs/search_cli.py")]
SERVES = {"general_search": 0.3}
PATHS = {"results": "hits", "fields": {"title": "name", "url": "link", "content": "text"}}


def described(*arguments, **options):
    return card("x", {"serves": SERVES, "command": [*PROGRAM, *map(str, arguments)], **options})


async def ask(made, secrets=None, **more):
    async with built(made, None, secrets) as source:
        return await source.search(request(**more))


@pytest.mark.spec("ENC-COMMAND-1")
async def test_hits_come_by_the_paths_of_the_table_and_no_more_than_asked():
    reply = await ask(described("rows", "{query}", **PATHS), limit=2)
    assert [(hit.title, hit.url, hit.content) for hit in reply.hits] == [
        ("Title 0", "https://example.org/0", "Text 0"),
        ("Title 1", "https://example.org/1", "Text 1"),
    ]


@pytest.mark.spec("ENC-COMMAND-1")
async def test_objects_on_lines_and_lists_need_no_paths():
    assert [hit.title for hit in (await ask(described("lines", "{query}"), limit=3)).hits] == ["Title 0", "Title 1", "Title 2"]
    assert len((await ask(described("rows", "{query}"))).hits) == 5
    assert (await ask(described("text", "no results found for", "{query}"))).hits == ()


@pytest.mark.spec("ENC-COMMAND-2")
@pytest.mark.parametrize("text", ["a b", "$(id)", "`id`; rm -rf /", "'\"", "*", "größe 😀", "{limit} ${HOME}", "a\nb"])
async def test_a_question_is_one_argument_and_no_shell_sees_it(text):
    reply = await ask(described("echo", "{query}", "n={limit}"), text=text, limit=5)
    assert [hit.title for hit in reply.hits] == [" ".join(text.split()), "n=5"]


@pytest.mark.spec("ENC-COMMAND-2")
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.text(max_size=50))
def test_no_question_becomes_an_option(text):
    made = _argument(("p", "{query}"), 1, {"query": text}, str)
    assert not made.startswith("-")
    assert "\0" not in made
    made.encode()
    assert _argument(("p", "--", "{query}"), 2, {"query": "-O3"}, str) == "-O3"
    assert _argument(("p", "--q={query}"), 1, {"query": "-O3"}, str) == "--q=-O3"


EXITS = {
    1: (Unavailable, "ended with 1: no: *** orders"),
    64: (Refused, "64"),
    69: (Unavailable, "69"),
    77: (AuthRefused, "77"),
    9: (QuotaSpent, "9"),
    10: (RateLimited, "10"),
}


@pytest.mark.spec("ENC-COMMAND-3")
@pytest.mark.parametrize("code", EXITS)
async def test_an_exit_code_has_its_trouble_with_one_clean_line_and_no_key(code):
    kind, said = EXITS[code]
    codes = {"9": "quota", "10": "rate_limited", "3": "empty"}
    made = described("exit", code, "{query}", env=["A_KEY"], exit_codes=codes)
    with pytest.raises(kind) as caught:
        await ask(made, {"A_KEY": "s3cr3t-t0ken"}, text="orders")
    assert said in str(caught.value)
    assert "\x1b" not in str(caught.value)
    assert "s3cr3t" not in str(caught.value)
    assert "first line" not in str(caught.value)
    assert (await ask(described("exit", 3, "{query}", exit_codes=codes))).hits == ()


@pytest.mark.spec("ENC-COMMAND-3")
async def test_a_limit_in_its_messages_or_its_answer_is_recognised_where_it_is_told():
    with pytest.raises(RateLimited):
        await ask(described("exit", 1, "{query}", limited="slow down"), text="please slow down")
    with pytest.raises(RateLimited):
        await ask(described("error", "{query}", limited="slow down"), text="please slow down")
    with pytest.raises(Unavailable):
        await ask(described("error", "{query}"), text="please slow down")


@pytest.mark.spec("ENC-COMMAND-4")
async def test_time_is_bounded_and_the_whole_group_is_killed(tmp_path):
    pids = tmp_path / "pids"
    with pytest.raises(TimeoutError, match="did not answer within 1 s"):
        await ask(described("hang", str(pids), "{query}"), timeout=1.0)
    own, child = map(int, pids.read_text().split())
    with pytest.raises(ProcessLookupError):
        os.kill(own, 0)
    for _ in range(200):  # it has been killed; whoever adopted it has to notice
        if _state(child) in ("", "Z"):
            break
        await asyncio.sleep(0.01)
    assert _state(child) in ("", "Z")


def _state(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


@pytest.mark.spec("ENC-COMMAND-4")
async def test_output_is_bounded():
    with pytest.raises(Garbled, match=f"more than {MAX_OUTPUT}"):
        await ask(described("flood", "{query}"))


@pytest.mark.spec("ENC-COMMAND-5")
async def test_the_environment_is_small(monkeypatch):
    monkeypatch.setenv("OTHER_SECRET", "not-for-it")
    made = described("environment", "{query}", env={"A_KEY": "key ${WIKI_TOKEN}"})
    assert Key("WIKI_TOKEN") in made.requires
    seen = {hit.title: hit.content for hit in (await ask(made, {"WIKI_TOKEN": "s3cr3t"}, limit=50)).hits}
    assert set(seen) <= {"PATH", "HOME", "LANG", "A_KEY", "LC_CTYPE"}
    assert seen["A_KEY"] == "key s3cr3t"


@pytest.mark.spec("ENC-COMMAND-6")
async def test_a_program_that_is_not_there_is_named():
    assert card("x", {"serves": SERVES, "command": ["no-such", "{query}"]}).requires[0] == Cli("no-such")
    with pytest.raises(Refused, match="cli_not_found: no-such is not there"):
        await ask(card("x", {"serves": SERVES, "command": ["no-such", "{query}"]}))
    with pytest.raises(Refused, match="cli_not_found: usr cannot be started"):
        await ask(card("x", {"serves": SERVES, "command": ["/usr", "{query}"]}))


@pytest.mark.spec("ENC-COMMAND-7")
async def test_a_program_can_be_asked_in_two_steps_and_by_type():
    first = {"first": [*PROGRAM, "resolve", "{subject}"], "pick": "results[0].id"}
    made = described("echo", "{picked}", "{query}", **first)
    assert [hit.title for hit in (await ask(made, library="webkit")).hits] == ["/acme/webkit", "async routing"]
    assert (await ask(made, library="unknown")).note
    made = described("echo", "{query}", commands={"repository": [*PROGRAM, "echo", "tree", "{repository}"]})
    reply = await ask(made, type=QueryType.REPOSITORY, repository="acme/thing")
    assert [hit.title for hit in reply.hits] == ["tree", "acme/thing"]


@pytest.mark.spec("ENC-COMMAND-7")
async def test_a_version_that_the_program_is_not_told_is_noted():
    assert (await ask(described("rows", "{query}"), version="2")).note == "asked without the version 2"
    assert (await ask(described("rows", "{query}", "{version}"), version="2")).note == ""


@pytest.mark.spec("ENC-ANSWER-4")
async def test_a_path_that_finds_nothing_is_noted_beside_the_version():
    paths = {"results": "hits", "fields": {"title": "name", "url": "address", "content": "text"}}
    silent = "fields.url = 'address' finds nothing in the results"
    assert (await ask(described("rows", "{query}", **paths))).note == silent
    assert (await ask(described("rows", "{query}", **paths), version="2")).note == f"asked without the version 2; {silent}"


@pytest.mark.spec("ENC-COMMAND-1")
@pytest.mark.parametrize(("output", "fault"), [("words", "not JSON"), ("[1, 2]", "no objects"), ('{"a": 1}', "no list")])
async def test_what_does_not_fit_the_paths_is_garbled(output, fault):
    paths = {**PATHS, "results": "@"}
    with pytest.raises(Garbled, match=fault):
        await ask(described("text", "{query}", **paths), text=output)


BAD = [
    ({"command": "program {query}"}, "command must be a list"),
    ({"command": []}, "command is missing"),
    ({"command": ["p"]}, "would ask nothing"),
    ({"command": ["p", "{limit}"]}, "would ask nothing"),
    ({"command": ["{query}"]}, "must not take its program"),
    ({"command": ["${SHELL}", "{query}"]}, "must not take its program"),
    ({"command": ["./p", "{query}"]}, "absolute path"),
    ({"command": ["p", "{qeury}"]}, "not known"),
    ({"command": ["p", "{picked}"]}, "not known"),
    ({"command": ["p", "{query}"], "first": ["p", "{query}"]}, "belong together"),
    ({"command": ["p", "{query}"], "shell": True}, "shell is not known"),
    ({"command": ["p", "{query}"], "exit_codes": {"256": "empty"}}, "no exit code"),
    ({"command": ["p", "{query}"], "exit_codes": {"1": "fine"}}, "not known"),
    ({"command": ["p", "{query}"], "env": {"A=B": "x"}}, "environment variable"),
    ({"command": ["p", "{query}"], "env": "KEY"}, "env must be"),
    ({"command": ["p", "{query}"], "limited": "(a+)+$"}, "takes words"),
    ({"command": ["p", "{query}"], "limited": "a||b"}, "empty alternative"),
    ({"command": ["p", "{query}"], "fields": {"url": "link"}}, "title or a content"),
    ({"command": ["p", "{query}"], "commands": {"nonsense": ["p"]}}, "not known"),
    ({"command": ["p", "{query}"], "serves": {}}, "serves is missing"),
]


@pytest.mark.spec("ENC-COMMAND-8")
@pytest.mark.parametrize(("options", "fault"), BAD, ids=[fault + str(at) for at, (_, fault) in enumerate(BAD)])
def test_a_wrong_table_is_named(options, fault):
    with pytest.raises(ConfigurationError) as caught:
        card("x", {"serves": SERVES, **options})
    assert "[sources.x]" in caught.value.message
    assert fault in caught.value.message
