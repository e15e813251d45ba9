import json

import pytest

from encyclopedia.model.errors import AuthRefused, ConfigurationError, Garbled, QuotaSpent, RateLimited, Refused
from encyclopedia.model.outcome import Hit
from encyclopedia.wiring.requirements import unmet
from encyclopedia_adapters.web.tavily import CARD
from tests.adapters.contract.keyed import tavily_body
from tests.adapters.contract.stand_ins import SECRETS, built, request
from tests.upstream import Act, Upstream


@pytest.fixture
async def up():
    async with Upstream() as up:
        up.on("/search", Act(json=tavily_body()))
        yield up


@pytest.fixture
async def tavily(up):
    async with built(CARD, {"base_url": up.url}, SECRETS) as source:
        yield source


@pytest.mark.spec("ENC-TAVILY-1")
async def test_it_is_asked_for_passages_by_post(up, tavily):
    await tavily.search(request("retry policy", limit=7))
    (seen,) = up.seen
    assert (seen.method, json.loads(seen.body)) == ("POST", {"query": "retry policy", "max_results": 7})
    assert "x-tavily-access-mode" not in seen.headers


@pytest.mark.spec("ENC-TAVILY-2")
async def test_without_a_key_it_is_asked_only_where_that_is_chosen(up):
    assert unmet(CARD, {"keyless": True}, lambda _: "") is None
    assert "TAVILY_API_KEY" in unmet(CARD, {"keyless": False}, lambda _: "").hint
    async with built(CARD, {"base_url": up.url, "keyless": True}) as source:
        await source.search(request())
    (seen,) = up.seen
    assert seen.headers["x-tavily-access-mode"] == "keyless"
    assert "authorization" not in seen.headers
    assert "keyless" not in json.loads(seen.body)


@pytest.mark.spec("ENC-TAVILY-2")
async def test_a_key_goes_before_keyless_and_a_wrong_choice_is_named(up):
    async with built(CARD, {"base_url": up.url, "keyless": True}, SECRETS) as source:
        await source.search(request())
    assert "x-tavily-access-mode" not in up.seen[0].headers
    with pytest.raises(ConfigurationError, match="keyless must be true or false"):
        async with built(CARD, {"keyless": "false"}):
            pass


@pytest.mark.spec("ENC-TAVILY-1")
async def test_a_query_longer_than_it_takes_is_cut_and_says_so(up, tavily):
    reply = await tavily.search(request("x" * 401))
    assert json.loads(up.seen[0].body)["query"] == "x" * 400
    assert reply.note == "asked with the first 400 characters"
    assert (await tavily.search(request("x" * 400))).note == ""


@pytest.mark.spec("ENC-TAVILY-3")
async def test_results_become_hits_with_the_date_of_news(up, tavily):
    url = "https://example.org/"
    results = [
        {"url": url + "a", "title": "Async routing", "content": "Handlers may be <T> & co.", "score": 0.9, "raw_content": None},
        {"url": url + "b", "title": "News", "content": "x", "published_date": "Fri, 02 Jan 2026 03:04:05 GMT"},
    ]
    up.on("/search", Act(json={"query": "q", "answer": "an answer", "results": results}))
    assert (await tavily.search(request())).hits == (
        Hit("Async routing", url + "a", "Handlers may be <T> & co."),
        Hit("News", url + "b", "x", published="2026-01-02T03:04:05+00:00"),
    )


@pytest.mark.spec("ENC-TAVILY-4")
@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, Refused), (401, AuthRefused), (403, AuthRefused), (429, RateLimited), (432, QuotaSpent), (433, QuotaSpent)],
)
async def test_each_status_is_the_trouble_that_it_means(up, tavily, status, kind):
    up.on("/search", Act(status, json={"detail": {"error": "orders to a model"}}))
    with pytest.raises(kind) as caught:
        await tavily.search(request())
    assert "orders" not in str(caught.value)


@pytest.mark.spec("ENC-TAVILY-4")
@pytest.mark.parametrize("status", [403, 429])
async def test_the_keyless_limit_tells_how_long_to_wait(up, tavily, status):
    error = {"code": "keyless_limit", "message": "Keyless limit reached", "window": "day", "retry_after_seconds": 1800}
    up.on("/search", Act(status, json={"error": {**error, "next_actions": []}}))
    with pytest.raises(RateLimited) as caught:
        await tavily.search(request())
    assert caught.value.retry_after == 1800


@pytest.mark.spec("ENC-TAVILY-4")
@pytest.mark.parametrize("body", [{}, [], {"results": None}])
async def test_a_body_without_a_list_is_garbled(up, tavily, body):
    up.on("/search", Act(json=body))
    with pytest.raises(Garbled):
        await tavily.search(request())
