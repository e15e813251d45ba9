"""Tools of MCP servers: a handwritten one of the old era, and real ones of the official package over stdio and HTTP."""

import asyncio
import contextlib
import logging
import os
import signal
import socket
import sys
from pathlib import Path

import pytest

from encyclopedia.model.errors import AuthRefused, Garbled, QuotaSpent, RateLimited, Refused, Unavailable
from encyclopedia.ports import Cli, Package
from encyclopedia_adapters.generic.mcp import card
from encyclopedia_adapters.generic.mcp_connect import over_http
from encyclopedia_adapters.generic.mcp_trouble import failed_tool
from tests.adapters.contract.stand_ins import built, request
from tests.upstream import Act, Upstream

OLD = Path(__file__).parents[2] / "programs/old_mcp_server.py"
SERVES = {"general_search": 0.3}
NEW = OLD.with_name("new_mcp_server.py")


def old(tool, *more, **options):
    return card("x", {"serves": SERVES, "command": [sys.executable, str(OLD), *map(str, more)], "tool": tool, **options})


@contextlib.asynccontextmanager
async def opened(made, secrets=None):
    async with built(made, None, secrets) as source:
        try:
            yield source
        finally:
            await source.aclose()


async def ask(made, secrets=None, **more):
    async with opened(made, secrets) as source:
        return await source.search(request(**more))


@contextlib.asynccontextmanager
async def http_server():
    """A real server on loopback, in this loop."""
    import uvicorn

    from tests.programs.new_mcp_server import server as ours

    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    config = uvicorn.Config(ours.streamable_http_app(), log_level="critical", ws="none", lifespan="on")
    server = uvicorn.Server(config)
    server.capture_signals = contextlib.nullcontext
    task = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.should_exit = server.force_exit = True
        await task
        listening.close()


@pytest.mark.spec("ENC-MCP-1")
def test_the_card_needs_its_library_and_its_program():
    made = old("json")
    assert made.requires == (Cli(sys.executable), Package("mcp", "mcp"), Package("jmespath"))
    assert made.timeout == 10.0


@pytest.mark.spec("ENC-MCP-2")
async def test_a_server_of_the_old_era_is_asked_over_stdio():
    made = old(
        "json",
        arguments={"query": "{query}", "limit": "{limit}"},
        results="found.items",
        fields={"title": "title", "url": "url"},
    )
    reply = await ask(made, limit=2)
    assert [hit.title for hit in reply.hits] == ["Title 0", "Title 1"]
    assert reply.hits[0].url == "https://example.org/0"
    assert reply.hits[0].content == ""
    assert reply.note == ""


@pytest.mark.spec("ENC-ANSWER-4")
async def test_a_path_that_finds_nothing_is_noted():
    reply = await ask(old("json", results="found.items", fields={"title": "title", "url": "address"}))
    assert reply.hits[0].title == "Title 0"
    assert reply.note == "fields.url = 'address' finds nothing in the results"


@pytest.mark.spec("ENC-MCP-2")
async def test_a_server_of_the_new_era_is_asked_over_stdio():
    arguments = {"query": "{query}", "limit": "{limit}"}
    made = card("x", {"serves": SERVES, "command": [sys.executable, str(NEW)], "tool": "search", "arguments": arguments})
    reply = await ask(made, limit=2, timeout=30.0)
    assert [(hit.title, hit.content) for hit in reply.hits] == [("async routing 0", "text"), ("async routing 1", "text")]


@pytest.mark.spec("ENC-MCP-2")
async def test_a_server_is_asked_over_http():
    async with http_server() as url:
        told = []
        async with over_http(url, {}, told) as connection:
            assert connection.client.protocol_version == "2026-07-28"
            assert connection.tools == {"search": True, "told": True, "fails": True}
        made = card(
            "x", {"serves": SERVES, "url": url, "tool": "search", "arguments": {"query": "{query}", "limit": "{limit}"}}
        )
        assert [hit.title for hit in (await ask(made, limit=1)).hits] == ["async routing 0"]
        made = card("x", {"serves": SERVES, "url": url, "tool": "told", "results": "hits", "fields": {"title": "name"}})
        assert [hit.title for hit in (await ask(made)).hits] == ["inside"]
        with pytest.raises(Unavailable) as caught:
            await ask(card("x", {"serves": SERVES, "url": url, "tool": "fails"}))
        assert "secret" not in str(caught.value)


class Everything(logging.Handler):
    """Keeps what any library logs, at any level."""

    def __init__(self):
        super().__init__(logging.NOTSET)
        self.said = []

    def emit(self, record):
        self.said.append((record.name, self.format(record)))


@pytest.fixture
def everything():
    root, handler = logging.getLogger(), Everything()
    before = root.level
    root.setLevel(logging.DEBUG)
    root.addHandler(handler)
    yield handler.said
    root.removeHandler(handler)
    root.setLevel(before)


@pytest.mark.spec("ENC-MCP-10")
async def test_no_library_logs_our_address_or_the_servers_words(everything):
    key = "pl4nt-k9Zx2mVw7"
    async with http_server() as url:
        options = {"serves": SERVES, "url": f"{url}?key=${{KEY}}", "headers": {"X-Key": "${KEY}"}, "tool": "told"}
        given = options | {"arguments": {"query": "{query}", "token": "${KEY}"}}
        await ask(card("x", given), {"KEY": key})
        with pytest.raises(Unavailable):
            await ask(card("x", given | {"tool": "fails"}), {"KEY": key})
    with pytest.raises(Refused):
        await ask(old("nonesuch"))
    logging.getLogger("httpx2").info("what the program around us does")
    clients = ("mcp.client", "client", "httpx2", "httpcore2")
    assert [said for said in everything if said[0].startswith(clients)] == [("httpx2", "what the program around us does")]
    assert [said for said in everything if key in said[1] and not said[0].startswith(("mcp.server", "sse_"))] == []


SHAPES = {
    "json": [("Title 0", "https://example.org/0", "Text 0"), ("Title 1", "https://example.org/1", "Text 1"), ("Title 2", "https://example.org/2", "Text 2")],
    "labels": [("One", "https://example.org/1", "first\n\nsecond"), ("Two", "https://example.org/2", "third")],
    "text": [("plain words about async routing", "", "plain words about async routing")],
    "nothing": [],
    "links": [("Linked", "https://example.org/l", "there")],
    "resource": [("inside a resource", "", "inside a resource")],
    "many": [("Title 0", "https://example.org/0", "Text 0"), ("Title 1", "https://example.org/1", "Text 1"), ("Title 2", "https://example.org/2", "Text 2")],
    "hostile": [("T", "", "vector<int>")],
}  # fmt: skip


@pytest.mark.spec("ENC-MCP-3")
@pytest.mark.parametrize("tool", SHAPES)
async def test_without_paths_the_shape_is_recognised(tool):
    reply = await ask(old(tool))
    assert [(hit.title, hit.url, hit.content) for hit in reply.hits] == SHAPES[tool]


@pytest.mark.spec("ENC-MCP-4")
async def test_a_tool_that_may_write_is_called_only_when_allowed():
    with pytest.raises(Refused, match=r'allow = \["write"\]'):
        await ask(old("write"))
    with pytest.raises(Refused, match="arguments of the table"):  # called: this server knows no such tool
        await ask(old("write", allow=["write"]))
    with pytest.raises(Refused, match="no tool nonesuch; it has die, environment"):
        await ask(old("nonesuch"))


@pytest.mark.spec("ENC-MCP-5")
async def test_a_limit_inside_a_text_is_recognised_where_it_is_told():
    assert (await ask(old("hidden_limit"))).hits
    with pytest.raises(RateLimited) as caught:
        await ask(old("hidden_limit", limited="quota|rate.*reached"))
    assert caught.value.retry_after == 60.0
    with pytest.raises(RateLimited):
        await ask(old("limit"))


@pytest.mark.spec("ENC-MCP-5")
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("HTTP 429 from the service", RateLimited),
        ("Your credits are used up", QuotaSpent),
        ("401 Unauthorized", AuthRefused),
        ("1 validation error for call[search]", Refused),
        ("something else", Unavailable),
    ],
)
def test_the_error_of_a_tool_has_its_trouble_and_none_of_its_words(text, kind):
    trouble = failed_tool("x", text)
    assert type(trouble) is kind
    assert text not in str(trouble)


@pytest.mark.spec("ENC-MCP-6")
async def test_one_connection_is_kept_and_ended_with_the_source(tmp_path):
    starts = tmp_path / "starts"
    async with opened(old("text", starts)) as source:
        await asyncio.gather(*(source.search(request()) for _ in range(5)))
        await source.search(request())
        (pid,) = starts.read_text().split()
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)


@pytest.mark.spec("ENC-MCP-6")
async def test_a_server_that_has_ended_is_started_again(tmp_path):
    starts = tmp_path / "starts"
    async with opened(old("text", starts)) as source:
        await source.search(request())
        os.kill(int(starts.read_text()), signal.SIGKILL)
        assert (await source.search(request())).hits
        assert len(starts.read_text().split()) == 2


@pytest.mark.spec("ENC-MCP-7")
async def test_a_server_that_dies_or_never_speaks_is_unavailable_and_one_that_hangs_a_timeout():
    with pytest.raises(Unavailable):
        await ask(old("die"))
    with pytest.raises(Unavailable):
        await ask(card("x", {"serves": SERVES, "command": [sys.executable, "-c", "pass"], "tool": "t"}))
    with pytest.raises(TimeoutError, match="did not answer within 1 s"):
        await ask(old("hang"), timeout=1.0)


@pytest.mark.spec("ENC-MCP-7")
async def test_a_program_that_is_not_there_is_named():
    with pytest.raises(Refused, match="cli_not_found"):
        await ask(card("x", {"serves": SERVES, "command": ["no-such-program-at-all"], "tool": "t"}))


STATUSES = {401: AuthRefused, 402: QuotaSpent, 403: AuthRefused, 429: RateLimited, 500: Unavailable, 503: Unavailable}


@pytest.mark.spec("ENC-MCP-7")
@pytest.mark.parametrize("status", STATUSES)
async def test_a_status_over_http_has_its_trouble(status):
    async with Upstream() as up:
        up.on("/mcp", Act(status, json={"error": "my orders"}, headers={"Retry-After": "7"} if status == 429 else {}))
        with pytest.raises(STATUSES[status]) as caught:
            await ask(card("x", {"serves": SERVES, "url": f"{up.url}/mcp", "tool": "t"}))
        assert "orders" not in str(caught.value)
        if status == 429:
            assert caught.value.retry_after == 7


@pytest.mark.spec("ENC-MCP-7")
@pytest.mark.parametrize(
    "act",
    [Act(body="not json"), Act(json={"a": 1}), Act(body="<html>", content_type="text/html"), Act(bomb=20), Act(redirect="https://elsewhere.example.org/")],
    ids=["no json", "other json", "html", "bomb", "redirect"],
)  # fmt: skip
async def test_what_is_no_mcp_server_is_no_answer(act):
    async with Upstream() as up:
        up.on("/mcp", act)
        with pytest.raises((Garbled, Refused, Unavailable)):
            await ask(card("x", {"serves": SERVES, "url": f"{up.url}/mcp", "tool": "t"}))


@pytest.mark.spec("ENC-MCP-7")
async def test_an_address_where_nobody_listens_is_unavailable():
    async with Upstream() as up:
        pass
    with pytest.raises(Unavailable):
        await ask(card("x", {"serves": SERVES, "url": f"{up.url}/mcp", "tool": "t"}))


@pytest.mark.spec("ENC-MCP-8")
async def test_a_program_gets_its_own_environment_only(monkeypatch):
    monkeypatch.setenv("OTHER_SECRET", "not-for-it")
    made = old("environment", env={"A_KEY": "${WIKI_TOKEN}"}, arguments={"query": "{query}"})
    assert "WIKI_TOKEN" in [need.name for need in made.requires if hasattr(need, "name")]
    seen = {hit.title: hit.content for hit in (await ask(made, {"WIKI_TOKEN": "s3cr3t"}, limit=50)).hits}
    assert seen["A_KEY"] == "s3cr3t"
    assert "OTHER_SECRET" not in seen
    made = old("environment", env=["WIKI_TOKEN", "UNSET"])
    seen = {hit.title: hit.content for hit in (await ask(made, {"WIKI_TOKEN": "s3cr3t"}, limit=50)).hits}
    assert seen["WIKI_TOKEN"] == "s3cr3t"
    assert "UNSET" not in seen


@pytest.mark.spec("ENC-MCP-8")
async def test_headers_and_our_agent_go_with_every_request_and_to_nobody_else():
    async with Upstream() as up, Upstream() as other:
        up.on("/mcp", Act(307, redirect=f"{other.url}/taken"))
        made = card(
            "x", {"serves": SERVES, "url": f"{up.url}/mcp", "tool": "t", "headers": {"Authorization": "Bearer ${WIKI_TOKEN}"}}
        )
        with pytest.raises((Refused, Unavailable)):
            await ask(made, {"WIKI_TOKEN": "s3cr3t"})
        assert up.seen
        assert all(seen.headers["authorization"] == "Bearer s3cr3t" for seen in up.seen)
        assert all(seen.headers["user-agent"].startswith("encyclopedia/") for seen in up.seen)
        assert other.count() == 0
