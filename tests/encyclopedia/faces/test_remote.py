"""A service elsewhere gives objects as those made here, and its errors are raised as they would be here."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from encyclopedia import ConfigurationError, Encyclopedia, NoSourceAnswered, QueryType, RemoteEncyclopedia, UsageError
from encyclopedia.faces.http.app import application
from encyclopedia.faces.http.guards import access
from tests.governed import environ, shelf

TOKEN = "a-token-of-the-owner"
BOOK = (
    "# Patterns\n\n## Adapter\n\nAn adapter converts an interface. It uses a facade.\n\n## Facade\n\nA facade hides a system.\n"
)


@asynccontextmanager
async def listening(app: web.Application) -> AsyncIterator[str]:
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@pytest.fixture
async def both(tmp_path: Path) -> AsyncIterator[tuple[Encyclopedia, RemoteEncyclopedia]]:
    shelf(tmp_path)

    def opened() -> Encyclopedia:
        return Encyclopedia(home=str(tmp_path), environ=environ())

    async with (
        opened() as here,
        opened() as served,
        listening(application(served, access("127.0.0.1", (), TOKEN))) as url,
        RemoteEncyclopedia(f"{url}/", token=TOKEN) as far,
    ):
        await here.search("penguins", corpora="notes")
        yield here, far


@pytest.mark.spec("ENC-FAR-1")
async def test_a_report_is_the_same_object(both: tuple[Encyclopedia, RemoteEncyclopedia]) -> None:
    here, far = both
    for options in ({"corpora": "notes"}, {"corpora": ("notes", "diary"), "limit": 1}, {"type": QueryType.LIBRARY_DOCS}):
        a, b = await here.search("penguins eat fish", **options), await far.search("penguins eat fish", **options)
        assert b.results == a.results
        assert b.results
        assert (b.code, b.query, b.query_type, b.degraded, b.evidence_gap) == (
            a.code,
            a.query,
            a.query_type,
            a.degraded,
            a.evidence_gap,
        )
    nothing = await far.search("zzqx", corpora="notes")
    assert (nothing.code, nothing.results, nothing.status) == (2, (), "error")


@pytest.mark.spec("ENC-FAR-1")
async def test_every_verb_is_there(both: tuple[Encyclopedia, RemoteEncyclopedia]) -> None:
    here, far = both
    plan = await far.plan("penguins", corpora="notes")
    assert plan["target_sources"] == here.plan("penguins", corpora="notes")["target_sources"]
    a, b = await here.ask("what do penguins eat?", corpora="notes"), await far.ask("what do penguins eat?", corpora="notes")
    assert (b.text, b.code, b.grounded) == (a.text, a.code, a.grounded)
    lookup = await far.lookup("penguins fish")
    assert (lookup.source, "fish" in lookup.content) == ("notes", True)
    missing = await far.lookup("penguins fish", version="9.9")
    assert missing.code == 2
    assert {row["source"] for row in await far.sources()} == {row["source"] for row in await here.sources()}


@pytest.mark.spec("ENC-FAR-1")
async def test_steps_are_told_as_they_are_here(both: tuple[Encyclopedia, RemoteEncyclopedia]) -> None:
    question, told = "What do penguins eat? Who came to the party?", dict[str, list[tuple[str, int, int]]](here=[], far=[])
    here, far = both
    a = await here.ask(question, corpora="notes", progress=lambda *one: told["here"].append(one))
    b = await far.ask(question, corpora="notes", progress=lambda *one: told["far"].append(one))
    assert b.text == a.text
    heard, said = (sorted(name for name, _, _ in told[where]) for where in ("far", "here"))
    assert heard == said
    assert [(done, total) for _, done, total in told["far"]] == [(n, len(heard)) for n in range(1, len(heard) + 1)]
    assert len(heard) > 1
    steps = list[tuple[str, int, int]]()
    found = await far.lookup("penguins fish", progress=lambda *one: steps.append(one))
    assert found.source == "notes"
    assert "notes: ok" in [name for name, _, _ in steps]
    with pytest.raises(ConfigurationError, match="unknown corpus") as caught:
        await far.ask(question, corpora="note", progress=lambda *one: steps.append(one))
    assert "http_status" not in caught.value.details


@pytest.mark.spec("ENC-FAR-1")
async def test_a_vote_counts_elsewhere(both: tuple[Encyclopedia, RemoteEncyclopedia]) -> None:
    _, far = both
    await far.search("penguins eat fish", corpora="notes")
    assert (await far.feedback("last", "up"))["sources"] == ["notes"]
    with pytest.raises(ConfigurationError):
        await far.feedback("nobody", "up")


@pytest.mark.spec("ENC-FAR-2")
async def test_what_is_refused_is_the_error_that_it_would_be_here(both: tuple[Encyclopedia, RemoteEncyclopedia]) -> None:
    here, far = both
    asked: list[tuple[str, dict[str, Any], type[Exception]]] = [
        ("a", {"corpora": "note"}, ConfigurationError),
        ("a", {"limit": 0}, UsageError),
    ]
    for query, options, kind in asked:
        with pytest.raises(kind) as local:
            await here.search(query, **options)
        with pytest.raises(kind) as remote:
            await far.search(query, **options)
        assert type(remote.value) is type(local.value)
    with pytest.raises(ConfigurationError, match="no corpus is of kind catalog") as caught:
        await far.load("adapter")
    assert "encyclopedia corpus add" in caught.value.hint
    with pytest.raises(UsageError, match="folder"):
        await far.code("/etc", "passwords")
    with pytest.raises(UsageError):
        await far.graph("drop", name="x")
    with pytest.raises(ConfigurationError):
        await far.ground("a")


@pytest.mark.spec("ENC-FAR-2")
async def test_a_service_that_is_none_or_not_there_is_told(tmp_path: Path) -> None:
    async def page(_: web.Request) -> web.Response:
        return web.Response(text="<html>", content_type="text/html")

    async def away(_: web.Request) -> web.Response:
        raise web.HTTPFound("http://127.0.0.1:9/")

    app = web.Application()
    app.add_routes([web.post("/v1/search", page), web.post("/v1/ask", away)])
    async with listening(app) as url, RemoteEncyclopedia(url, token=TOKEN) as far:
        with pytest.raises(NoSourceAnswered, match="nothing that encyclopedia says"):
            await far.search("a")
        with pytest.raises(NoSourceAnswered, match="status 302"):
            await far.ask("a")
    async with RemoteEncyclopedia(url, token=TOKEN) as far:
        with pytest.raises(NoSourceAnswered, match="cannot be reached") as caught:
            await far.search("a")
        assert TOKEN not in str(caught.value.to_dict())
    with pytest.raises(UsageError):
        RemoteEncyclopedia("localhost:8080")


@pytest.mark.spec("ENC-FAR-2")
async def test_without_the_token_nothing_is_told(both: tuple[Encyclopedia, RemoteEncyclopedia]) -> None:
    _, far = both
    async with RemoteEncyclopedia(far._url) as stranger:
        with pytest.raises(UsageError, match="token"):
            await stranger.search("penguins")
