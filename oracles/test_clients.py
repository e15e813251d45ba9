"""The vendors' own clients are asked the same as our adapters, on the same fakes: they must send, and read, the same."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from encyclopedia_adapters.web.ddgs import CARD as DDGS
from encyclopedia_adapters.web.exa import CARD as EXA
from encyclopedia_adapters.web.kagi import CARD as KAGI
from encyclopedia_adapters.web.perplexity import CARD as PERPLEXITY
from encyclopedia_adapters.web.tavily import CARD as TAVILY
from tests.adapters.contract.keyed import exa_body, first_kagi_body, perplexity_body, tavily_body
from tests.adapters.contract.stand_ins import built, request
from tests.upstream import Act, Seen, Upstream

KEY = "k3y"
SECRETS = dict.fromkeys(("EXA_API_KEY", "PERPLEXITY_API_KEY", "TAVILY_API_KEY", "KAGI_API_KEY"), KEY)
ROWS = (("Async routing", "https://example.org/a", "Handlers may be coroutines."), ("B", "https://example.org/b", "Text"))
QUESTION = "async routing"


@pytest.fixture
async def up():
    async with Upstream() as up:
        yield up


async def ours(card: Any, up: Upstream, **options: object) -> list[tuple[str, str, str]]:
    async with built(card, {"base_url": up.url} | options, {} if options.get("keyless") else SECRETS) as source:
        reply = await source.search(request(QUESTION, limit=3))
    return [(hit.title, hit.url, hit.content) for hit in reply.hits]


def same_request(up: Upstream, *headers: str) -> None:
    """Client and adapter came to the same path with the same words, parameters and credentials."""
    theirs, mine = up.seen
    assert (mine.method, mine.path) == (theirs.method, theirs.path)
    assert _asked(mine) == _asked(theirs)
    for name in headers:
        assert mine.headers[name] == theirs.headers[name]


def _asked(seen: Seen) -> object:
    return json.loads(seen.body) if seen.body else seen.query


async def test_exa(up: Upstream) -> None:
    from exa_py import AsyncExa

    up.on("/search", Act(json=exa_body(*ROWS)))
    async with AsyncExa(KEY, api_base=up.url) as client:
        found = await client.search(QUESTION, type="auto", num_results=3, contents={"highlights": True})
    assert [(r.title, r.url, r.highlights[0]) for r in found.results] == list(ROWS)
    assert {r.published_date[:10] for r in found.results} == {"2026-01-02"}
    assert await ours(EXA, up) == list(ROWS)
    same_request(up, "x-api-key")


async def test_exa_without_saying_what_is_wanted_asks_for_whole_pages(up: Upstream) -> None:
    """Why our adapter always says it."""
    from exa_py import AsyncExa

    up.on("/search", Act(json=exa_body(*ROWS)))
    async with AsyncExa(KEY, api_base=up.url) as client:
        await client.search(QUESTION)
    assert json.loads(up.seen[0].body)["contents"]["text"] == {"maxCharacters": 10_000}


async def test_perplexity(up: Upstream) -> None:
    from perplexity import AsyncPerplexity

    up.on("/search", Act(json=perplexity_body(*ROWS)))
    async with AsyncPerplexity(api_key=KEY, base_url=up.url) as client:
        found = await client.search.create(query=QUESTION, max_results=3, max_tokens_per_page=512)
    assert [(r.title, r.url, r.snippet) for r in found.results] == list(ROWS)
    assert found.results[0].date == "2026-01-02"
    assert await ours(PERPLEXITY, up) == list(ROWS)
    same_request(up, "authorization")


@pytest.mark.parametrize("status", [400, 401, 403, 422, 429, 500])
async def test_perplexity_has_an_error_of_its_own_for_each_status(up: Upstream, status: int) -> None:
    from perplexity import APIStatusError, AsyncPerplexity

    up.on("/search", Act(status, json={"error": {"message": "Request rate limit exceeded", "type": "x", "code": status}}))
    async with AsyncPerplexity(api_key=KEY, base_url=up.url, max_retries=0) as client:
        with pytest.raises(APIStatusError) as caught:
            await client.search.create(query=QUESTION)
    assert caught.value.status_code == status


async def test_tavily(up: Upstream) -> None:
    from tavily import AsyncTavilyClient

    up.on("/search", Act(json=tavily_body(*ROWS)))
    async with AsyncTavilyClient(api_key=KEY, api_base_url=up.url) as client:
        found = await client.search(QUESTION, max_results=3)
    assert [(r["title"], r["url"], r["content"]) for r in found["results"]] == list(ROWS)
    assert await ours(TAVILY, up) == list(ROWS)
    same_request(up, "authorization")


async def test_tavily_without_a_key(up: Upstream, monkeypatch: pytest.MonkeyPatch) -> None:
    from tavily import AsyncTavilyClient
    from tavily.errors import TavilyKeylessLimitError

    monkeypatch.delenv("TAVILY_API_KEY", raising=False)
    up.on("/search", Act(json=tavily_body(*ROWS)))
    async with AsyncTavilyClient(api_base_url=up.url) as client:
        await client.search(QUESTION, max_results=3)
        await ours(TAVILY, up, keyless=True)
        same_request(up, "x-tavily-access-mode")
        error = {"code": "keyless_limit", "message": "Keyless limit reached", "window": "day", "retry_after_seconds": 1800}
        up.on("/search", Act(429, json={"error": {**error, "next_actions": []}}))
        with pytest.raises(TavilyKeylessLimitError) as caught:
            await client.search(QUESTION)
    assert caught.value.retry_after_seconds == 1800


async def test_the_first_api_of_kagi(up: Upstream, monkeypatch: pytest.MonkeyPatch) -> None:
    from kagiapi import KagiClient

    monkeypatch.setattr(KagiClient, "BASE_URL", f"{up.url}/v0")
    up.on("/v0/search", Act(json=first_kagi_body(*ROWS)))
    client = KagiClient(KEY)
    found = await asyncio.to_thread(client.search, QUESTION, limit=3)
    client.session.close()
    assert [(r["title"], r["url"], r["snippet"]) for r in found["data"] if r["t"] == 0] == list(ROWS)
    assert await ours(KAGI, up, base_url=f"{up.url}/v0") == list(ROWS)
    same_request(up, "authorization")


PAGE = "<html><body><ul class='results-standard'>{}</ul></body></html>"
ITEM = "<li><h2><a href='{}'>{}</a></h2><p class='s'>{}</p></li>"


@pytest.fixture
def one_engine(up: Upstream, monkeypatch: pytest.MonkeyPatch) -> None:
    from ddgs.engines.mojeek import Mojeek

    monkeypatch.setattr(Mojeek, "search_url", f"{up.url}/page")


@pytest.mark.usefixtures("one_engine")
async def test_the_library_ddgs_reads_a_page_for_us(up: Upstream) -> None:
    items = "".join(ITEM.format(url, title, text) for title, url, text in ROWS)
    up.on("/page", Act(body=PAGE.format(items), content_type="text/html"))
    found = await ours(DDGS, up, backend="mojeek")
    assert sorted(found) == sorted(ROWS)
    assert up.seen[0].query["q"] == QUESTION


@pytest.mark.usefixtures("one_engine")
@pytest.mark.parametrize(
    "act", [Act(body=PAGE.format(""), content_type="text/html"), Act(403)], ids=["no results", "sent away"]
)
async def test_a_page_without_results_is_no_answer_of_the_library(up: Upstream, act: Act) -> None:
    up.on("/page", act)
    async with built(DDGS, {"backend": "mojeek"}) as source:
        reply = await source.search(request(QUESTION))
    assert reply.hits == ()
    assert reply.note


@pytest.mark.usefixtures("one_engine")
async def test_a_page_that_never_comes_is_a_timeout_of_the_library(up: Upstream) -> None:
    up.on("/page", Act(hang=True))
    async with built(DDGS, {"backend": "mojeek"}) as source:
        with pytest.raises(TimeoutError):
            await source.search(request(QUESTION, timeout=1.0))
