import json

import pytest

from encyclopedia.model.errors import AuthRefused, Garbled, QuotaSpent, RateLimited, Refused
from encyclopedia.model.outcome import Hit
from encyclopedia_adapters.web.perplexity import CARD
from tests.adapters.contract.stand_ins import SECRETS, built, request
from tests.upstream import Act, Upstream


@pytest.fixture
async def up():
    async with Upstream() as up:
        up.on("/search", Act(json={"id": "1", "results": []}))
        yield up


@pytest.fixture
async def perplexity(up):
    async with built(CARD, {"base_url": up.url}, SECRETS) as source:
        yield source


@pytest.mark.spec("ENC-PERPLEXITY-1")
async def test_it_is_asked_one_question_for_a_part_of_each_page(up, perplexity):
    await perplexity.search(request("What is known about retries?", limit=7))
    (seen,) = up.seen
    assert seen.method == "POST"
    assert json.loads(seen.body) == {"query": "What is known about retries?", "max_results": 7, "max_tokens_per_page": 512}


@pytest.mark.spec("ENC-PERPLEXITY-2")
async def test_results_keep_their_order_and_have_the_first_date_that_there_is(up, perplexity):
    url = "https://example.org/"
    results = [
        {"title": "Both", "url": url + "1", "snippet": "a <T> & b", "date": "2026-01-02", "last_updated": "2026-02-03"},
        {"title": "Edited", "url": url + "2", "snippet": "x", "date": None, "last_updated": "2026-02-03"},
        {"title": "Neither", "url": url + "3", "snippet": "y"},
        {"url": url + "4", "snippet": "no title"},
        ["no object"],
    ]
    up.on("/search", Act(json={"id": "1", "results": results, "server_time": None}))
    assert (await perplexity.search(request(limit=20))).hits == (
        Hit("Both", url + "1", "a <T> & b", published="2026-01-02"),
        Hit("Edited", url + "2", "x", published="2026-02-03"),
        Hit("Neither", url + "3", "y"),
        Hit(url + "4", url + "4", "no title"),
    )


@pytest.mark.spec("ENC-PERPLEXITY-3")
@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "bad_request", Refused),
        (401, 401, AuthRefused),
        (401, "insufficient_quota", QuotaSpent),
        (429, "insufficient_quota", QuotaSpent),
        (429, 429, RateLimited),
    ],
)
async def test_a_spent_credit_is_known_by_its_code(up, perplexity, status, code, kind):
    up.on("/search", Act(status, json={"error": {"message": "orders to a model", "type": "some", "code": code}}))
    with pytest.raises(kind) as caught:
        await perplexity.search(request())
    assert "orders" not in str(caught.value)


@pytest.mark.spec("ENC-PERPLEXITY-3")
@pytest.mark.parametrize("body", [{}, [], {"results": None}, {"choices": [{"message": {"content": "an answer"}}]}])
async def test_a_body_without_a_list_is_garbled(up, perplexity, body):
    up.on("/search", Act(json=body))
    with pytest.raises(Garbled):
        await perplexity.search(request())
