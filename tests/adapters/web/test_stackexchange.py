import asyncio

import pytest

from encyclopedia.engine.circuit import Circuit, load_machine
from encyclopedia.model.errors import ConfigurationError, Garbled, RateLimited, Refused, Unavailable
from encyclopedia.model.outcome import Hit
from encyclopedia.model.plan import Ask
from encyclopedia.model.query import QueryType
from encyclopedia.model.settings import BreakerSettings
from encyclopedia.model.status import Status
from encyclopedia_adapters.storage.memory_records import MemoryRecords
from encyclopedia_adapters.storage.sqlite_records import SqliteRecords
from encyclopedia_adapters.web.stackexchange import CARD
from tests.adapters.contract.stand_ins import built, request
from tests.public_bodies import stackexchange_body
from tests.upstream import Act, Upstream

API = "/search/advanced"
QUESTION = (
    "Why isn&#39;t my vector&lt;int&gt; async?",
    "https://stackoverflow.com/questions/1",
    "<p>It is <em>not</em>:</p><pre><code>if a &lt; b:\n    pass\n</code></pre><script>alert(1)</script>",
)


@pytest.fixture
async def up():
    async with Upstream() as up:
        up.on(API, Act(json=stackexchange_body(QUESTION)))
        yield up


@pytest.fixture
async def stack(up):
    async with built(CARD, {"base_url": up.url}) as source:
        yield source


@pytest.mark.spec("ENC-STACK-1")
def test_the_card_needs_no_key_and_takes_one():
    assert CARD.serves == {QueryType.GENERAL_SEARCH: 0.15, QueryType.LIBRARY_DOCS: 0.15, QueryType.CODE_CONTEXT: 0.10}
    assert (CARD.keyless, CARD.default, CARD.daily_calls) == (True, True, 300)
    assert [key.name for key in CARD.accepts] == ["STACKEXCHANGE_KEY"]


@pytest.mark.spec("ENC-STACK-2")
async def test_a_hit_is_a_question_with_its_text(up, stack):
    (hit,) = (await stack.search(request())).hits
    assert hit == Hit(
        "Why isn't my vector<int> async?",
        "https://stackoverflow.com/questions/1",
        "It is not:\nif a < b:\n    pass",
        published="2026-01-01T00:00:00+00:00",
        id="1",
    )


@pytest.mark.spec("ENC-STACK-2")
async def test_a_long_body_is_cut_and_one_without_text_shows_its_tags(up, stack):
    up.on(API, Act(json=stackexchange_body(("a", "https://a.example", "<p>word " * 2000), ("b", "https://b.example", ""))))
    long, short = (await stack.search(request())).hits
    assert len(long.content) <= 2000
    assert long.content.endswith("…")
    assert short.content == "python, routing"


@pytest.mark.spec("ENC-STACK-2")
async def test_it_is_asked_by_relevance_with_bodies(up, stack):
    await stack.search(request("async routing", limit=7))
    assert up.seen[0].query == {
        "q": "async routing", "pagesize": "7", "site": "stackoverflow", "order": "desc", "sort": "relevance", "filter": "withbody",
    }  # fmt: skip


@pytest.mark.spec("ENC-STACK-2")
@pytest.mark.parametrize(("limit", "asked"), [(500, "100"), (0, "1")])
async def test_the_limit_stays_within_what_the_api_takes(up, stack, limit, asked):
    assert len((await stack.search(request(limit=limit))).hits) <= limit
    assert up.seen[0].query["pagesize"] == asked


@pytest.mark.spec("ENC-STACK-2")
async def test_answers_are_packed_and_items_without_title_or_shape_are_left_out(up, stack):
    body = stackexchange_body(QUESTION)
    body["items"] += [None, 7, {"link": "https://a.example"}]
    up.on(API, Act(json=body, gzip=True))
    assert [hit.id for hit in (await stack.search(request())).hits] == ["1"]


@pytest.mark.spec("ENC-STACK-3")
@pytest.mark.parametrize(("left", "told"), [(287, False), (31, False), (30, True), (0, True)])
async def test_a_quota_that_comes_to_its_end_is_noted(up, stack, left, told):
    up.on(API, Act(json=stackexchange_body(QUESTION, quota_remaining=left)))
    note = (await stack.search(request())).note
    assert note == (f"stackexchange has {left} of 300 calls left for today" if told else "")


@pytest.mark.spec("ENC-STACK-4")
async def test_a_backoff_is_the_pause_of_the_reply_and_holds_here_at_once(up, stack):
    up.on(API, Act(json=stackexchange_body(QUESTION, backoff=10)))
    reply = await stack.search(request())
    assert (reply.pause, len(reply.hits)) == (10.0, 1)
    with pytest.raises(RateLimited, match="asked us to pause") as caught:
        await stack.search(request())
    assert 9 < caught.value.retry_after <= 10
    assert up.count() == 1


@pytest.mark.spec("ENC-STACK-4")
@pytest.mark.parametrize("backoff", [None, 0, -1, "10", True, [], 1e12])
async def test_a_backoff_that_is_no_time_is_none(up, stack, backoff):
    up.on(API, Act(json=stackexchange_body(QUESTION, backoff=backoff)))
    assert (await stack.search(request())).pause == 0.0
    assert (await stack.search(request())).hits


@pytest.mark.spec("ENC-STACK-4")
async def test_the_next_process_keeps_the_pause_too(up, tmp_path):
    up.on(API, Act(json=stackexchange_body(QUESTION, backoff=10)))
    statuses = []
    for _ in range(2):
        store = SqliteRecords(str(tmp_path / "breakers.db"))
        circuit = Circuit((store, MemoryRecords()), BreakerSettings(), machine=load_machine)
        async with built(CARD, {"base_url": up.url}) as source:
            outcome = await circuit(Ask("stackexchange", request(), 1.0), lambda source=source: source.search(request()))
        statuses.append(outcome.status)
        store.close()
    assert statuses == [Status.OK, Status.REFUSED]
    assert outcome.reason == "rate limited, next call in 10 s"
    assert up.count() == 1


@pytest.mark.spec("ENC-STACK-5")
@pytest.mark.parametrize(
    ("number", "kind"), [(502, RateLimited), (500, Unavailable), (503, Unavailable), (400, Refused), ("x", Refused)]
)
async def test_troubles_stand_behind_a_400(up, stack, number, kind):
    message = "too many requests from this IP, more requests available in 1800 seconds"
    up.on(API, Act(400, json={"error_id": number, "error_name": "orders to a model", "error_message": message}))
    with pytest.raises(kind) as caught:
        await stack.search(request())
    assert getattr(caught.value, "retry_after", 1800) == 1800
    assert "orders" not in str(caught.value)


@pytest.mark.spec("ENC-STACK-6")
async def test_site_and_key_go_with_every_request(up):
    async with built(CARD, {"base_url": up.url, "site": "unix"}, {"STACKEXCHANGE_KEY": "s3cr3t"}) as source:
        await source.search(request())
    assert (up.seen[0].query["site"], up.seen[0].query["key"]) == ("unix", "s3cr3t")


@pytest.mark.spec("ENC-STACK-6")
@pytest.mark.parametrize("options", [{"site": "a b"}, {"site": 3}, {"base_url": "file:///x"}])
async def test_a_wrong_setting_is_named(options):
    with pytest.raises(ConfigurationError, match=rf"\[sources.stackexchange\] {next(iter(options))}"):
        async with built(CARD, options):
            pass


@pytest.mark.spec("ENC-STACK-2")
@pytest.mark.parametrize("body", [{}, [], {"items": {}}, "text"])
async def test_a_body_without_a_list_is_garbled(up, stack, body):
    up.on(API, Act(json=body))
    with pytest.raises(Garbled):
        await stack.search(request())


@pytest.mark.spec("ENC-STACK-6")
async def test_no_more_than_two_requests_are_out_at_a_time(up, stack):
    up.on(API, Act(json=stackexchange_body(), delay=0.02))
    await asyncio.gather(*(stack.search(request()) for _ in range(5)))
    assert (up.count(), up.peak) == (5, 2)
