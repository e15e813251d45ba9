import asyncio

import pytest

from encyclopedia.model.errors import Garbled, RateLimited
from encyclopedia.model.outcome import Hit
from encyclopedia.model.query import QueryType
from encyclopedia.ports import Key
from encyclopedia_adapters.web.semanticscholar import CARD
from tests.adapters.contract.stand_ins import built, request
from tests.public_bodies import semanticscholar_body
from tests.upstream import Act, Upstream

API = "/paper/search"
PAPER = ("Routing", "https://www.semanticscholar.org/paper/p1", "We route.")


@pytest.fixture
async def up():
    async with Upstream() as up:
        up.on(API, Act(json=semanticscholar_body(PAPER)))
        yield up


@pytest.fixture
async def papers(up):
    async with built(CARD, {"base_url": up.url}, {"SEMANTIC_SCHOLAR_API_KEY": "s3cr3t"}) as source:
        yield source


@pytest.mark.spec("ENC-SCHOLAR-1")
def test_the_card_needs_a_key():
    assert CARD.serves == {QueryType.GENERAL_SEARCH: 0.10}
    assert Key("SEMANTIC_SCHOLAR_API_KEY") in CARD.requires
    assert not CARD.keyless


@pytest.mark.spec("ENC-SCHOLAR-2")
async def test_a_hit_is_a_paper_with_its_people_and_abstract(up, papers):
    more = {"authors": [{"name": "A. Example"}], "year": 2026, "publicationDate": "2026-01-02"}
    up.on(API, Act(json=semanticscholar_body(PAPER, **more)))
    (hit,) = (await papers.search(request())).hits
    assert hit == Hit("Routing", PAPER[1], "A. Example, 2026\nWe route.", published="2026-01-02", id="p1")


@pytest.mark.spec("ENC-SCHOLAR-2")
@pytest.mark.parametrize(
    ("fields", "url"),
    [
        ({"externalIds": {"DOI": "10.5555/a", "ArXiv": "2601.00001"}}, "https://arxiv.org/abs/2601.00001"),
        ({"externalIds": {"ArXiv": "hep-th/9901001"}}, "https://arxiv.org/abs/hep-th/9901001"),
        ({"externalIds": {"DOI": "10.5555/a", "ArXiv": "../x"}}, "https://doi.org/10.5555/a"),
        ({"externalIds": {"CorpusId": 7}}, PAPER[1]),
        (
            {"externalIds": None, "url": None, "openAccessPdf": {"url": "https://example.org/a.pdf"}},
            "https://example.org/a.pdf",
        ),
        ({"externalIds": [], "url": 3, "openAccessPdf": "x", "authors": {}, "abstract": None}, ""),
    ],
)
async def test_the_address_is_that_of_the_paper_itself_if_it_is_known(up, papers, fields, url):
    up.on(API, Act(json=semanticscholar_body(PAPER, **fields)))
    assert [hit.url for hit in (await papers.search(request())).hits] == [url]


@pytest.mark.spec("ENC-SCHOLAR-3")
async def test_the_key_stands_in_a_header(up, papers):
    await papers.search(request("async routing", limit=500))
    asked = up.seen[0]
    assert (asked.query["query"], asked.query["limit"], asked.headers["x-api-key"]) == ("async routing", "100", "s3cr3t")
    assert "s3cr3t" not in asked.raw_path


@pytest.mark.spec("ENC-SCHOLAR-3")
async def test_requests_go_out_in_series(up, papers):
    up.on(API, Act(json=semanticscholar_body(), delay=0.02))
    await asyncio.gather(*(papers.search(request()) for _ in range(3)))
    assert (up.count(), up.peak) == (3, 1)


@pytest.mark.spec("ENC-SCHOLAR-3")
@pytest.mark.parametrize("body", [{"message": "slow down", "code": "429"}, {"error": "slow down"}])
async def test_the_limit_is_a_rate_limit(up, papers, body):
    up.on(API, Act(429, json=body))
    with pytest.raises(RateLimited) as caught:
        await papers.search(request())
    assert caught.value.retry_after == 60


@pytest.mark.spec("ENC-SCHOLAR-2")
async def test_without_results_the_list_may_be_left_out(up, papers):
    up.on(API, Act(json={"total": 0, "offset": 0}))
    assert (await papers.search(request())).hits == ()


@pytest.mark.spec("ENC-SCHOLAR-2")
@pytest.mark.parametrize("body", [{}, [], {"data": {}}, {"total": 3}, "text"])
async def test_a_body_without_a_list_is_garbled(up, papers, body):
    up.on(API, Act(json=body))
    with pytest.raises(Garbled):
        await papers.search(request())


@pytest.mark.spec("ENC-SCHOLAR-2")
async def test_what_has_no_title_is_left_out(up, papers):
    body = semanticscholar_body(PAPER)
    body["data"][:0] = [None, {}, {"title": None}]
    up.on(API, Act(json=body))
    assert [hit.id for hit in (await papers.search(request())).hits] == ["p1"]
