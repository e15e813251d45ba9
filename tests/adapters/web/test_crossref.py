import pytest

from encyclopedia.model.errors import Garbled, RateLimited
from encyclopedia.model.outcome import Hit
from encyclopedia.model.query import QueryType
from encyclopedia.ports import Contact, Context
from encyclopedia_adapters.web.crossref import CARD, abstract_text
from tests.adapters.contract.stand_ins import AGENT, Resources, built, request
from tests.public_bodies import crossref_body
from tests.upstream import Act, Upstream

JATS = (
    "<jats:title>Abstract</jats:title><jats:sec><jats:p>We route <jats:italic>fast</jats:italic> &amp; far:"
    ' <mml:math display="inline"><mml:mi>n</mml:mi></mml:math> hops, vector&lt;int&gt;.</jats:p></jats:sec>'
)
PEOPLE = [{"given": "A.", "family": "Example"}, {"family": "Other"}, {"name": "A group"}, None]


@pytest.fixture
async def up():
    async with Upstream() as up:
        up.on("/works", Act(json=crossref_body()))
        yield up


@pytest.fixture
async def works(up):
    async with built(CARD, {"base_url": up.url}) as source:
        yield source


@pytest.mark.spec("ENC-CROSSREF-1")
def test_the_card_needs_a_contact_and_no_key():
    assert CARD.serves == {QueryType.GENERAL_SEARCH: 0.10}
    assert CARD.keyless
    assert Contact() in CARD.requires


@pytest.mark.spec("ENC-CROSSREF-2")
async def test_a_hit_is_a_work_with_its_place_people_and_abstract(up, works):
    more = {"DOI": "10.5555/ABC-1", "author": PEOPLE, "container-title": ["Journal of Examples"]}
    body = crossref_body(("Routing at <i>scale</i>", "http://dx.doi.org/10.5555/abc-1", JATS), **more)
    body["message"]["items"][0]["published"] = {"date-parts": [[2026, 1, 2]]}
    up.on("/works", Act(json=body))
    (hit,) = (await works.search(request())).hits
    assert hit == Hit(
        "Routing at scale",
        "https://doi.org/10.5555/ABC-1",
        "A. Example, Other, Journal of Examples, 2026\nAbstract\nWe route fast & far: n hops, vector<int>.",
        published="2026-01-02",
        id="10.5555/ABC-1",
    )


@pytest.mark.spec("ENC-CROSSREF-2")
@pytest.mark.parametrize("item", [None, 7, {}, {"title": []}, {"title": None, "DOI": "10.5555/x"}])
async def test_what_has_no_title_is_left_out(up, works, item):
    body = crossref_body(("A", "https://example.org/a", ""))
    body["message"]["items"].insert(0, item)
    up.on("/works", Act(json=body))
    assert [hit.title for hit in (await works.search(request())).hits] == ["A"]


@pytest.mark.spec("ENC-CROSSREF-3")
async def test_whom_to_write_to_goes_with_the_request(up, works):
    await works.search(request("async routing", limit=5000))
    asked = up.seen[0].query
    assert (asked["query"], asked["rows"], asked["mailto"]) == ("async routing", "100", "mail@example.org")
    assert "abstract" in asked["select"].split(",")


@pytest.mark.spec("ENC-CROSSREF-3")
async def test_a_contact_that_is_a_page_is_told_in_the_agent_only(up):
    resources = Resources()
    page = "https://example.org/us"
    context = Context("crossref", "", AGENT, 5.0, resources, lambda _: "", {"base_url": up.url}, page)
    await CARD.make(context).search(request())
    await resources.aclose()
    assert "mailto" not in up.seen[0].query


@pytest.mark.spec("ENC-CROSSREF-2")
@pytest.mark.parametrize("body", [{}, [], {"message": []}, {"message": {"items": {}}}, "text"])
async def test_a_body_without_a_list_is_garbled(up, works, body):
    up.on("/works", Act(json=body))
    with pytest.raises(Garbled):
        await works.search(request())


@pytest.mark.spec("ENC-CROSSREF-3")
async def test_its_limit_is_a_rate_limit(up, works):
    up.on("/works", Act(429, headers={"X-Rate-Limit-Limit": "5", "X-Rate-Limit-Interval": "1s", "Retry-After": "3"}))
    with pytest.raises(RateLimited) as caught:
        await works.search(request())
    assert caught.value.retry_after == 3


@pytest.mark.spec("ENC-CROSSREF-2")
@pytest.mark.parametrize(
    ("jats", "text"),
    [
        ("plain", "plain"),
        ("<jats:p>a</jats:p><jats:p>b</jats:p>", "a\nb"),
        ("<p>a</p>", "a"),
        ("a < b and vector&lt;int&gt;", "a < b and vector<int>"),
        ("<jats:p>unclosed", "unclosed"),
        ("<jats:list><jats:list-item><jats:p>x</jats:p></jats:list-item></jats:list>", "x"),
        ("", ""),
    ],
)
def test_jats_becomes_text(jats, text):
    assert abstract_text(jats) == text
