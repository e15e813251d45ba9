import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.model.errors import AuthRefused, ConfigurationError, Garbled, RateLimited, Refused, Unavailable
from encyclopedia.model.outcome import Hit
from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Context
from encyclopedia_adapters.shared.http import shared_http
from encyclopedia_adapters.shared.pacer import Pacer
from encyclopedia_adapters.web.arxiv import CARD, Arxiv, search_query
from tests.adapters.contract.stand_ins import AGENT, Resources, built, request
from tests.public_bodies import arxiv_feed
from tests.upstream import Act, Upstream

PAPER = ("Routing\n  at scale & more", "http://arxiv.org/abs/2601.00001v1", "We route\n  vector<int>.")
ATOM = "application/atom+xml; charset=UTF-8"


def feed(*rows, **more):
    return Act(body=arxiv_feed(*rows), content_type=ATOM, **more)


@pytest.fixture
async def up():
    async with Upstream() as up:
        up.on("/query", feed(PAPER))
        yield up


@pytest.fixture
async def papers(up):
    async with built(CARD, {"base_url": up.url}) as source:
        yield source


@pytest.mark.spec("ENC-ARXIV-1")
def test_the_card_needs_no_key():
    assert CARD.serves == {QueryType.GENERAL_SEARCH: 0.10}
    assert (CARD.keyless, CARD.default, CARD.form) == (True, True, Form.RAW)


@pytest.mark.spec("ENC-ARXIV-2")
async def test_a_hit_is_a_paper_with_its_authors_and_summary(papers):
    (hit,) = (await papers.search(request())).hits
    assert hit == Hit(
        "Routing at scale & more",
        "http://arxiv.org/abs/2601.00001v1",
        "A. Example\nWe route vector<int>.",
        published="2026-01-02T00:00:00Z",
        id="2601.00001v1",
    )


@pytest.mark.spec("ENC-ARXIV-2")
async def test_entries_without_a_title_are_left_out_and_the_limit_is_kept(up):
    rows = [PAPER, (" ", "http://arxiv.org/abs/2", "b"), PAPER, PAPER]
    for limit, count in ((2, 2), (10, 3)):
        up.on("/query", feed(*rows))
        async with built(CARD, {"base_url": up.url}) as source:
            assert len((await source.search(request(limit=limit))).hits) == count


@pytest.mark.spec("ENC-ARXIV-3")
async def test_it_is_asked_by_relevance_for_all_words(up, papers):
    await papers.search(request("How is async routing done in scikit-learn?", limit=500))
    assert up.seen[0].query == {
        "search_query": 'all:async AND all:routing AND all:done AND all:"scikit-learn"',
        "start": "0", "max_results": "100", "sortBy": "relevance", "sortOrder": "descending",
    }  # fmt: skip


@pytest.mark.spec("ENC-ARXIV-3")
@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Routing", "all:routing"),
        ("routing routing", "all:routing"),
        ("A OR B", "all:b"),
        ("to be or not", "all:not"),
        ("how is it", "all:how AND all:is AND all:it"),
        ('ti:"x" AND (cat:cs.SE)', 'all:ti AND all:x AND all:cat AND all:"cs.se"'),
        ("c++ v1.2.", 'all:"c++" AND all:"v1.2"'),
        ("größe 中文", "all:größe AND all:中文"),
        ("?!", ""),
        (" ".join(f"w{n}" for n in range(20)), " AND ".join(f"all:w{n}" for n in range(12))),
    ],
)
def test_a_question_becomes_arxivs_language(text, query):
    assert search_query(text) == query


@pytest.mark.spec("ENC-ARXIV-3")
@given(st.text())
def test_no_text_can_speak_that_language_itself(text):
    terms = search_query(text).split(" AND ")
    assert all(term.startswith("all:") for term in terms if term)
    assert all(not set(term[4:].strip('"')) & set(':()"*? ') for term in terms)


@pytest.mark.spec("ENC-ARXIV-3")
async def test_a_question_without_a_word_is_not_sent(up, papers):
    reply = await papers.search(request("?!"))
    assert (reply.hits, up.count()) == ((), 0)
    assert "no word" in reply.note


@pytest.mark.spec("ENC-ARXIV-4")
async def test_an_entry_that_tells_an_error_is_one(up, papers):
    up.on("/query", feed(("Error", "http://arxiv.org/api/errors#incorrect_id_format_for_x", "orders to a model")))
    with pytest.raises(Refused) as caught:
        await papers.search(request())
    assert "orders" not in str(caught.value)


@pytest.mark.spec("ENC-ARXIV-4")
async def test_an_empty_feed_is_an_empty_answer(up, papers):
    up.on("/query", feed())
    assert (await papers.search(request())).hits == ()


LAUGHS = (
    '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><feed xmlns="http://www.w3.org/2005/Atom"><entry>&b;</entry></feed>'
)
FAILURES = {
    "503": (Act(503), Unavailable),
    "403": (Act(403), AuthRefused),
    "400": (Act(400, body=arxiv_feed(), content_type=ATOM), Refused),
    "429": (Act(429, headers={"Retry-After": "7"}), RateLimited),
    "json": (Act(json={}), Garbled),
    "html": (Act(body="<html></html>", content_type="text/html"), Garbled),
    "other xml": (Act(body="<rss/>", content_type="text/xml"), Garbled),
    "no xml": (Act(body="feed", content_type=ATOM), Garbled),
    "nothing": (Act(content_type=ATOM), Garbled),
    "cut": (Act(body=arxiv_feed(PAPER)[:-20], content_type=ATOM), Garbled),
    "entities": (Act(body=LAUGHS, content_type=ATOM), Garbled),
    "deep": (Act(body="<a>" * 100_000, content_type=ATOM), Garbled),
    "huge": (Act(body=arxiv_feed(("t", "u", "x" * 3_000_000)), content_type=ATOM), Garbled),
    "bomb": (Act(bomb=100, content_type=ATOM), Garbled),
    "redirect": (Act(redirect="https://elsewhere.example.org/"), Refused),
}


@pytest.mark.spec("ENC-ARXIV-4")
@pytest.mark.parametrize("failure", FAILURES)
async def test_every_failure_has_its_named_trouble(up, papers, failure):
    act, kind = FAILURES[failure]
    up.on("/query", act)
    with pytest.raises(kind) as caught:
        await papers.search(request("my private question"))
    assert "private" not in str(caught.value)
    assert getattr(caught.value, "retry_after", 7) == 7


@pytest.mark.spec("ENC-ARXIV-4")
async def test_hostile_text_comes_out_clean(up, papers):
    up.on("/query", feed(("T\u202eitle <script>alert(1)</script>", "javascript:alert(1)", "vector<int> &<style>x{}</style>")))
    (hit,) = (await papers.search(request())).hits
    assert (hit.title, hit.url) == ("Title", "")
    assert hit.content.split() == ["A.", "Example", "vector<int>", "&"]


@pytest.mark.spec("ENC-ARXIV-5")
async def test_sources_of_one_engine_share_the_pace(up):
    resources = Resources()
    context = Context("arxiv", "", AGENT, 6.0, resources, lambda _: "", {"base_url": up.url})
    first, second = CARD.make(context), CARD.make(context)
    await first.search(request())
    with pytest.raises(Refused, match="one request every 3 s"):
        await second.search(request(timeout=5.0))
    assert up.count() == 1
    await resources.made["http"].aclose()


@pytest.mark.spec("ENC-ARXIV-5")
async def test_what_was_waited_is_taken_off_the_time_and_one_connection_is_used(up):
    resources, slept = Resources(), []

    async def sleep(seconds):
        slept.append(seconds)

    http = shared_http(Context("arxiv", "", AGENT, 6.0, resources, lambda _: "", {}))
    http.allow(up.url)
    source = Arxiv(http, f"{up.url}/query", Pacer(3.0, lambda: 100.0, sleep))
    up.on("/query", feed(PAPER, delay=0.02))
    await asyncio.gather(source.search(request(timeout=6.0)), source.search(request(timeout=6.0)))
    assert (slept, up.count(), up.peak) == ([0.0, 3.0], 2, 1)
    up.on("/query", Act(hang=True))
    with pytest.raises(TimeoutError, match=r"within 0.1 s"):
        await Arxiv(http, f"{up.url}/query", _Waited(1.9)).search(request(timeout=2.0))
    await resources.made["http"].aclose()


class _Waited:
    """A pace that made us wait."""

    def __init__(self, seconds):
        self.seconds = seconds

    async def turn(self, source, patience):
        return self.seconds


@pytest.mark.spec("ENC-ARXIV-5")
async def test_a_wrong_address_is_named():
    with pytest.raises(ConfigurationError, match=r"\[sources.arxiv\] base_url"):
        async with built(CARD, {"base_url": "file:///x"}):
            pass
