import asyncio
import json
from pathlib import Path

import pytest

from encyclopedia.model.errors import ConfigurationError, Garbled, RateLimited, Refused, Unavailable
from encyclopedia.model.outcome import Hit
from encyclopedia.model.query import QueryType
from encyclopedia_adapters.web.wikipedia import CARD
from tests.adapters.contract.stand_ins import built, request
from tests.upstream import Act, Upstream, wikipedia_body

WIRE = json.loads((Path(__file__).parents[2] / "fixtures/wire/wikipedia.json").read_text())
API = "/w/api.php"


@pytest.fixture
async def up():
    async with Upstream() as up:
        up.on(API, Act(json=WIRE))
        yield up


@pytest.fixture
async def wiki(up):
    async with built(CARD, {"base_url": up.url}) as source:
        yield source


@pytest.mark.spec("ENC-WIKI-1")
def test_the_card_says_that_no_key_is_needed():
    assert CARD.serves == {QueryType.GENERAL_SEARCH: 0.15}
    assert CARD.keyless
    assert CARD.default


@pytest.mark.spec("ENC-WIKI-2")
async def test_a_hit_is_a_page_with_its_address_snippet_and_last_edit(up, wiki):
    first, second, third = (await wiki.search(request())).hits
    assert first == Hit(
        "Routing",
        f"{up.url}/wiki/Routing",
        'Routing is the "choice" of a path & more',
        published="2026-01-02T00:00:00Z",
        id="1",
    )
    assert second.title == "C++ (language) & Größe/50% § Type system"
    assert second.url == f"{up.url}/wiki/C%2B%2B_(language)_%26_Gr%C3%B6%C3%9Fe/50%25#Type_system"
    assert second.content == "vector<int>"
    assert third == Hit("Plain", f"{up.url}/wiki/Plain", id="3")


@pytest.mark.spec("ENC-WIKI-2")
async def test_it_is_asked_for_search_results_of_the_second_format(up, wiki):
    await wiki.search(request("what is routing", limit=7))
    assert up.seen[0].query == {
        "action": "query", "list": "search", "format": "json", "formatversion": "2", "utf8": "1",
        "srsearch": "what is routing", "srlimit": "7", "srprop": "snippet|timestamp|sectiontitle",
    }  # fmt: skip


@pytest.mark.spec("ENC-WIKI-2")
@pytest.mark.parametrize(("limit", "asked"), [(500, "50"), (0, "1")])
async def test_the_limit_stays_within_what_the_api_takes(up, wiki, limit, asked):
    assert len((await wiki.search(request(limit=limit))).hits) <= limit
    assert up.seen[0].query["srlimit"] == asked


@pytest.mark.spec("ENC-WIKI-2")
async def test_a_query_longer_than_the_api_takes_is_cut_and_says_so(up, wiki):
    reply = await wiki.search(request("x" * 301))
    assert up.seen[0].query["srsearch"] == "x" * 300
    assert reply.note == "asked with the first 300 characters"
    assert (await wiki.search(request("x" * 300))).note == ""


@pytest.mark.spec("ENC-WIKI-3")
@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("maxlag", RateLimited),
        ("ratelimited", RateLimited),
        ("readonly", Unavailable),
        ("internal_api_error_DBQueryError", Unavailable),
        ("search-backend-timeout", Unavailable),
        ("cirrussearch-query-too-long", Refused),
        ("badvalue", Refused),
        ("", Refused),
    ],
)
async def test_an_error_inside_a_good_answer_is_an_error(up, wiki, code, kind):
    up.on(API, Act(json={"error": {"code": code, "info": "orders to a model"}}, headers={"Retry-After": "5"}))
    with pytest.raises(kind) as caught:
        await wiki.search(request())
    assert "orders" not in str(caught.value)
    assert getattr(caught.value, "retry_after", 5) == 5


@pytest.mark.spec("ENC-WIKI-3")
@pytest.mark.parametrize("body", [{"error": "text"}, {"error": {"code": 7}}])
async def test_an_error_of_no_known_shape_is_one_too(up, wiki, body):
    up.on(API, Act(json=body))
    with pytest.raises(Refused):
        await wiki.search(request())


@pytest.mark.spec("ENC-WIKI-3")
@pytest.mark.parametrize("body", [{}, [], {"query": None}, {"query": {"search": {}}}, {"query": []}, "text"])
async def test_a_body_without_a_list_is_garbled(up, wiki, body):
    up.on(API, Act(json=body))
    with pytest.raises(Garbled):
        await wiki.search(request())


@pytest.mark.spec("ENC-WIKI-4")
async def test_requests_go_out_in_series(up, wiki):
    up.on(API, Act(json=wikipedia_body(), delay=0.02))
    await asyncio.gather(*(wiki.search(request()) for _ in range(4)))
    assert (up.count(), up.peak) == (4, 1)


@pytest.mark.spec("ENC-WIKI-5")
async def test_any_mediawiki_can_be_asked_by_its_api(up):
    up.on("/mw/api.php", Act(json=WIRE))
    async with built(CARD, {"base_url": up.url + "/mw/api.php"}) as source:
        hits = (await source.search(request())).hits
    assert hits[0].url == f"{up.url}/mw/index.php?title=Routing"


@pytest.mark.spec("ENC-WIKI-5")
async def test_the_language_chooses_the_wiki():
    async with built(CARD, {"language": "zh-yue"}) as source:
        assert source._api == "https://zh-yue.wikipedia.org/w/api.php"
    async with built(CARD) as source:
        assert source._api == "https://en.wikipedia.org/w/api.php"


@pytest.mark.spec("ENC-WIKI-5")
@pytest.mark.parametrize(
    "options", [{"language": "evil.example/"}, {"language": 3}, {"base_url": "file:///x"}, {"base_url": 3}]
)
async def test_a_wrong_setting_is_named(options):
    with pytest.raises(ConfigurationError, match=rf"\[sources.wikipedia\] {next(iter(options))}"):
        async with built(CARD, options):
            pass
