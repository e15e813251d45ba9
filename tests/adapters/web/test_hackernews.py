import pytest

from encyclopedia.model.errors import Garbled
from encyclopedia.model.outcome import Hit
from encyclopedia.model.query import QueryType
from encyclopedia_adapters.web.hackernews import CARD
from tests.adapters.contract.stand_ins import built, request
from tests.public_bodies import hackernews_body
from tests.upstream import Act, Upstream


@pytest.fixture
async def up():
    async with Upstream() as up:
        yield up


@pytest.fixture
async def news(up):
    async with built(CARD, {"base_url": up.url}) as source:
        yield source


@pytest.mark.spec("ENC-HACKERNEWS-1")
def test_the_card_needs_no_key():
    assert CARD.serves == {QueryType.GENERAL_SEARCH: 0.10}
    assert CARD.keyless
    assert CARD.default


@pytest.mark.spec("ENC-HACKERNEWS-2")
async def test_a_hit_is_the_page_a_story_is_about_or_its_discussion(up, news):
    ask = "How do you route?<p>I use vector&lt;int&gt; &amp; more"
    up.on("/search", Act(json=hackernews_body(("A & B", "https://example.org/a", ""), ("Ask HN: routing", "", ask))))
    first, second = (await news.search(request())).hits
    assert first == Hit(
        "A & B", "https://example.org/a", "40 points and 7 comments on Hacker News", published="2026-01-02T00:00:00Z", id="1"
    )
    assert second.url == "https://news.ycombinator.com/item?id=2"
    assert second.content == "How do you route?\nI use vector<int> & more"


@pytest.mark.spec("ENC-HACKERNEWS-2")
async def test_only_stories_are_asked_for(up, news):
    up.on("/search", Act(json=hackernews_body()))
    await news.search(request("async routing", limit=7))
    await news.search(request(limit=500))
    assert up.seen[0].query == {"query": "async routing", "tags": "story", "hitsPerPage": "7"}
    assert up.seen[1].query["hitsPerPage"] == "100"


@pytest.mark.spec("ENC-HACKERNEWS-2")
@pytest.mark.parametrize("story", [None, 7, {}, {"title": None, "url": "https://example.org"}, {"title": ""}])
async def test_what_is_no_story_is_left_out(up, news, story):
    body = hackernews_body(("A", "https://example.org/a", ""))
    body["hits"].insert(0, story)
    up.on("/search", Act(json=body))
    assert [hit.title for hit in (await news.search(request())).hits] == ["A"]


@pytest.mark.spec("ENC-HACKERNEWS-2")
@pytest.mark.parametrize(
    ("fields", "url", "content"),
    [
        ({"title": "A"}, "", ""),
        ({"title": "A", "objectID": "../x", "points": 3}, "", "3 points on Hacker News"),
        ({"title": "A", "objectID": 12, "url": "javascript:alert(1)"}, "https://news.ycombinator.com/item?id=12", ""),
        ({"title": "A", "comment_text": "<i>well</i>", "points": "x"}, "", "well"),
    ],
)
async def test_fields_may_be_missing_or_odd(up, news, fields, url, content):
    up.on("/search", Act(json={"hits": [fields]}))
    (hit,) = (await news.search(request())).hits
    assert (hit.url, hit.content) == (url, content)


@pytest.mark.spec("ENC-HACKERNEWS-2")
@pytest.mark.parametrize("body", [{}, [], {"hits": {}}, "text"])
async def test_a_body_without_a_list_is_garbled(up, news, body):
    up.on("/search", Act(json=body))
    with pytest.raises(Garbled):
        await news.search(request())
