"""What a client of the official package sees of the server, in both eras of the protocol, in this process."""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from encyclopedia import Card, Hit, QueryType, Reply
from encyclopedia.faces.mcp.fit import UNTRUSTED
from encyclopedia.faces.mcp.tools import TOOLS, call
from encyclopedia.model.errors import Unavailable
from tests.governed import connection, server, shelf, size

ERAS = ("auto", "legacy")
pytestmark = pytest.mark.filterwarnings("error::mcp.MCPDeprecationWarning")


class Web:
    """A source on the network, as far as anybody can tell; it remembers what it was asked."""

    card = Card("web", serves=dict.fromkeys(QueryType, 0.3))

    def __init__(self, context: Any) -> None:
        self.asked: list[str] = asked

    async def search(self, request: Any) -> Reply:
        asked.append(request.text)
        if "broken" in request.text:
            raise Unavailable("it rains")
        return Reply(tuple(Hit(f"Page {n}", f"https://example.org/{n}", f"about {request.text} {n} " * 40) for n in range(30)))


asked: list[str] = []


class Slow:
    card = Card("web", serves=dict.fromkeys(QueryType, 0.3))

    def __init__(self, context: Any) -> None:
        pass

    async def search(self, request: Any) -> Reply:
        return await asyncio.Event().wait()


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    shelf(tmp_path)
    asked.clear()
    return str(request.param)


@pytest.mark.spec("ENC-AGENT-1")
async def test_the_usual_tools_only_read_and_say_so(era: str, tmp_path: Path) -> None:
    session = connection(tmp_path)
    async with Client(server(session), mode=era) as client:
        found = (await client.list_tools()).tools
        assert [tool.name for tool in found] == ["search", "fetch", "ask_corpus", "status"]
        for tool in found:
            hints = tool.annotations
            assert hints is not None
            assert (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint) == (True, False, True)
            assert hints.open_world_hint is (tool.name == "search")
        assert "untrusted" in (client.instructions or "")
    async with Client(server(session, *TOOLS), mode=era) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == set(TOOLS)
    await session.aclose()


@pytest.mark.spec("ENC-AGENT-2")
async def test_text_and_fields_say_the_same_and_each_stands_alone(era: str, tmp_path: Path) -> None:
    session = connection(tmp_path, sources=(Web,))
    async with Client(server(session), mode=era) as client:
        found = await client.call_tool("search", {"query": "penguins fish"})
        text, fields = found.content[0].text, found.structured_content
        assert text.startswith(UNTRUSTED)
        assert fields["results"]
        for row in fields["results"]:
            assert f"{row['rank']}. {row['title']}" in text
            assert f"id: {row['id']}" in text
            assert row["text"] in text
            assert row["url"]
        local = next(row for row in fields["results"] if row["source"] == "notes")
        assert (local["id"], local["lines"]) == ("notes:feeding.md", [3, 3])
    await session.aclose()


@pytest.mark.spec("ENC-AGENT-2")
async def test_the_whole_list_comes_page_by_page_as_it_was(era: str, tmp_path: Path) -> None:
    session = connection(tmp_path, sources=(Web,))
    wanted = {"query": "whole list of pages", "limit": 30, "max_tokens": 400}
    async with Client(server(session), mode=era) as client:
        ranks, offset = [], 0
        while True:
            page = await client.call_tool("search", {**wanted, "offset": offset})
            assert size(page) <= 400 * 4
            ranks += [row["rank"] for row in page.structured_content["results"]]
            if "next_offset" not in page.structured_content:
                break
            offset = page.structured_content["next_offset"]
        assert ranks == list(range(1, 31))
        assert len(asked) == 1
    await session.aclose()


@pytest.mark.spec("ENC-AGENT-2")
async def test_a_fetched_text_is_whole_and_continues(era: str, tmp_path: Path) -> None:
    session = connection(tmp_path, sources=(Web,))
    long = "# Long\n\n" + "\n\n".join(f"Paragraph {n} of penguins." for n in range(400))
    (tmp_path / "shelf" / "notes" / "long.md").write_text(long)
    async with Client(server(session), mode=era) as client:
        pages, offset = "", 0
        while True:
            page = await client.call_tool("fetch", {"id": "notes:long.md", "offset": offset, "max_tokens": 500})
            assert size(page) <= 500 * 4
            pages += page.structured_content["text"]
            if "next_offset" not in page.structured_content:
                break
            offset = page.structured_content["next_offset"]
        assert all(f"Paragraph {n} of penguins." in pages for n in range(400))
        await client.call_tool("search", {"query": "something far away"})
        seen = await client.call_tool("fetch", {"id": "https://example.org/3"})
        assert seen.structured_content["text"] == "about something far away 3 " * 40
        lost = await client.call_tool("fetch", {"id": "https://example.org/never"})
        assert (lost.is_error, lost.structured_content["code"]) == (False, 2)
        assert "`search` first" in lost.content[0].text
    await session.aclose()


@pytest.mark.spec("ENC-AGENT-5")
async def test_errors_tell_cause_and_next_step(era: str, tmp_path: Path) -> None:
    session = connection(tmp_path, sources=(Web,))
    async with Client(server(session, "code"), mode=era) as client:
        for tool, arguments, told, code in (
            ("search", {"query": ""}, "empty", 64),
            ("search", {}, "query is missing", 64),
            ("search", {"query": "a", "corpora": "note"}, "did you mean notes?", 1),
            ("search", {"query": "a", "type": "libary_docs"}, "did you mean library_docs?", 1),
            ("code", {"repository": "a/b", "question": "a", "depth": "dep"}, "did you mean deep?", 1),
            ("search", {"query": "broken thing", "type": "repository"}, "it rains", 3),
            ("load", {"topic": "a"}, "--tool load", 1),
            ("serch", {}, "did you mean search?", 1),
        ):
            found = await client.call_tool(tool, arguments)
            assert found.is_error, (tool, arguments)
            assert told in found.content[0].text
            assert " Next: " in found.content[0].text
            assert found.structured_content["code"] == code
        nothing = await client.call_tool("search", {"query": "zzqx", "corpora": "notes"})
        assert (nothing.is_error, nothing.structured_content["code"], nothing.structured_content["total"]) == (False, 2, 0)
        assert "nothing found" in nothing.content[0].text
    await session.aclose()


@pytest.mark.spec("ENC-AGENT-5")
async def test_a_failing_source_is_named_beside_the_results_of_the_others(era: str, tmp_path: Path) -> None:
    session = connection(tmp_path, sources=(Web,))
    async with Client(server(session), mode=era) as client:
        found = await client.call_tool("search", {"query": "broken penguins"})
        assert not found.is_error
        assert "web" in found.content[0].text
        assert "it rains" in found.content[0].text
        assert found.structured_content["degraded"] is True
    await session.aclose()


@pytest.mark.spec("ENC-AGENT-5")
async def test_no_detail_of_a_defect_goes_to_a_client(era: str, tmp_path: Path) -> None:
    session = connection(tmp_path)

    def broken(_: Any) -> Any:
        raise RuntimeError("password in here")

    session._make = broken
    async with Client(server(session), mode=era) as client:
        found = await client.call_tool("status", {})
        assert found.is_error
        assert "password" not in found.model_dump_json()
        assert "RuntimeError" in found.content[0].text


@pytest.mark.spec("ENC-AGENT-6")
async def test_progress_is_told_for_each_source(era: str, tmp_path: Path) -> None:
    session = connection(tmp_path, sources=(Web,))
    told: list[tuple[float, float | None, str | None]] = []

    async def listen(done: float, total: float | None, message: str | None) -> None:
        told.append((done, total, message))

    async with Client(server(session), mode=era) as client:
        await client.call_tool("search", {"query": "penguins at work"}, progress_callback=listen)
    assert [done for done, _, _ in told] == [float(n) for n in range(1, len(told) + 1)]
    assert {message for _, _, message in told} >= {"web: ok", "notes: ok"}
    await session.aclose()


@pytest.mark.spec("ENC-AGENT-6")
@pytest.mark.parametrize(
    ("tool", "arguments", "names"),
    [
        ("ask_corpus", {"question": "What do penguins eat? Who came to the party?", "corpora": "notes"}, None),
        ("lookup", {"topic": "penguins at work"}, {"web: ok", "notes: ok"}),
        ("load", {"topic": "adapter"}, None),
    ],
)
async def test_every_tool_that_may_take_long_tells_its_steps(
    era: str, tmp_path: Path, tool: str, arguments: dict[str, str], names: set[str] | None
) -> None:
    page = tmp_path / "kg" / "research" / "entities" / "pattern" / "adapter.md"
    page.parent.mkdir(parents=True)
    page.write_text("---\ntitle: Adapter\n---\n# Adapter\n\nAn adapter converts an interface.\n")
    with (tmp_path / "config.toml").open("a") as config:
        config.write(f'[corpora.kg]\npath = "{tmp_path}/kg"\nkind = "catalog"\n')
    session = connection(tmp_path, sources=(Web,))
    told: list[tuple[float, float | None, str | None]] = []

    async def listen(done: float, total: float | None, message: str | None) -> None:
        told.append((done, total, message))

    async with Client(server(session, tool), mode=era) as client:
        found = await client.call_tool(tool, arguments, progress_callback=listen)
    assert not found.is_error
    assert told
    assert all(later > earlier for (earlier, _, _), (later, _, _) in pairwise(told))
    assert all(message for _, _, message in told)
    assert told[-1][0] == told[-1][1] or tool == "load"
    assert names is None or names <= {message for _, _, message in told}
    await session.aclose()


@pytest.mark.spec("ENC-AGENT-6")
async def test_what_has_arrived_at_the_deadline_is_the_answer(era: str, tmp_path: Path) -> None:
    async with Client(server(early := connection(tmp_path))) as client:
        await client.call_tool("search", {"query": "penguins"})  # which reads the files
    await early.aclose()
    session = connection(tmp_path, sources=(Slow,), deadline=1.0)
    async with Client(server(session), mode=era) as client:
        found = await client.call_tool("search", {"query": "penguins eat fish"})
    assert not found.is_error
    assert {row["source"] for row in found.structured_content["results"]} == {"notes"}
    assert "web" in found.content[0].text
    await session.aclose()


@pytest.mark.spec("ENC-AGENT-6")
async def test_a_call_that_takes_too_long_says_what_to_do(tmp_path: Path) -> None:
    shelf(tmp_path)
    session = connection(tmp_path, sources=(Slow,), deadline=60.0)
    sent = await call(session, TOOLS, "search", {"query": "penguins eat fish"}, lambda *_: None, seconds=1.5)
    assert sent.error
    assert "no answer within 1.5 s. Next: narrow it" in sent.text
    assert sent.structured["code"] == 3
    await session.aclose()


@pytest.mark.spec("ENC-AGENT-7")
async def test_a_document_is_found_whatever_it_is_called(era: str, tmp_path: Path) -> None:
    session = connection(tmp_path)
    name = "a b/c#d?e=100% ü 漢.md"
    path = tmp_path / "shelf" / "notes" / name
    path.parent.mkdir()
    path.write_text("# Odd\n\nAardvarks sleep all day.\n")
    async with Client(server(session), mode=era) as client:
        found = await client.call_tool("search", {"query": "aardvarks sleep"})
        (row,) = found.structured_content["results"]
        assert row["id"] == f"notes:{name}"
        assert f"\nid: notes:{name} · lines 3-3\n" in found.content[0].text
        for id in (row["id"], row["url"]):
            assert "sleep all day" in (await client.call_tool("fetch", {"id": id})).structured_content["text"]
        assert "sleep all day" in (await client.read_resource(row["url"])).contents[0].text
    await session.aclose()


@pytest.mark.spec("ENC-AGENT-7")
async def test_documents_are_resources(era: str, tmp_path: Path) -> None:
    session = connection(tmp_path)
    async with Client(server(session), mode=era) as client:
        assert (await client.list_resources()).resources == []
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "encyclopedia://document/{+id}"
        await client.call_tool("search", {"query": "penguins fish"})
        listed = (await client.list_resources()).resources
        assert "encyclopedia://document/notes:feeding.md" in [str(one.uri) for one in listed]
        read = await client.read_resource("encyclopedia://document/notes:feeding.md")
        assert read.contents[0].text.startswith(UNTRUSTED)
        assert "Penguins eat fish" in read.contents[0].text
        for uri in (
            "encyclopedia://document/notes:../config.toml",
            "encyclopedia://document/notes:none.md",
            "file:///etc/passwd",
        ):
            with pytest.raises(MCPError):
                await client.read_resource(uri)
    await session.aclose()


@pytest.mark.spec("ENC-AGENT-7")
async def test_the_prompt_takes_a_question(era: str, tmp_path: Path) -> None:
    async with Client(server(connection(tmp_path)), mode=era) as client:
        assert [one.name for one in (await client.list_prompts()).prompts] == ["research"]
        made = await client.get_prompt("research", {"question": "why {penguins}?"})
        assert "why {penguins}?" in made.messages[0].content.text
        with pytest.raises(MCPError):
            await client.get_prompt("research", {})


@pytest.mark.spec("ENC-AGENT-8")
async def test_connectors_get_the_exact_shape(era: str, tmp_path: Path) -> None:
    session = connection(tmp_path, sources=(Web,))
    (tmp_path / "shelf" / "notes" / "long.md").write_text("# Long\n\n" + "penguins swim far. " * 2000)
    async with Client(server(session, connectors=True), mode=era) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools["search"].input_schema["properties"]) == ["query"]
        assert list(tools["fetch"].input_schema["properties"]) == ["id"]
        found = await client.call_tool("search", {"query": "penguins"})
        assert len(found.content) == 1
        assert json.loads(found.content[0].text) == found.structured_content
        assert found.structured_content["results"]
        for row in found.structured_content["results"]:
            assert set(row) == {"id", "title", "url"}
            assert all(row.values())
        page = await client.call_tool("fetch", {"id": "notes:long.md"})
        assert json.loads(page.content[0].text) == page.structured_content
        assert set(page.structured_content) == {"id", "title", "text", "url", "metadata"}
        text, body = "", page.structured_content
        while True:
            text += body["text"]
            if "next_id" not in body["metadata"]:
                break
            body = (await client.call_tool("fetch", {"id": body["metadata"]["next_id"]})).structured_content
        assert text.count("penguins swim far.") == 2000
    await session.aclose()


@pytest.mark.spec("ENC-AGENT-9")
async def test_status_tells_what_there_is_and_what_may_be_seen(era: str, tmp_path: Path) -> None:
    session = connection(tmp_path, sources=(Web,))
    async with Client(server(session), mode=era) as client:
        found = (await client.call_tool("status", {})).structured_content
        assert {row["source"]: row["kind"] for row in found["sources"] if row["standing"] == "on"} == {
            "notes": "corpus",
            "web": "source",
        }
        assert (found["sees"], found["connection_label"], found["withheld_corpora"]) == ("internal", "public", 2)
        assert asked == []
    await session.aclose()
