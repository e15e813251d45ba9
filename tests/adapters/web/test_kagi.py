import json

import pytest

from encyclopedia.model.errors import AuthRefused, Garbled, QuotaSpent, RateLimited, Refused, Unavailable
from encyclopedia.model.outcome import Hit
from encyclopedia_adapters.web.kagi import CARD
from tests.adapters.contract.keyed import first_kagi_body, kagi_body
from tests.adapters.contract.stand_ins import SECRETS, built, request
from tests.upstream import Act, Upstream

ERROR = {"meta": {"trace": "t-2", "node": "us-east", "ms": 3}, "data": []}


@pytest.fixture
async def up():
    async with Upstream() as up:
        up.on("/search", Act(json=kagi_body()))
        up.on("/api/v0/search", Act(json=first_kagi_body()))
        yield up


@pytest.fixture
async def kagi(up):
    async with built(CARD, {"base_url": up.url}, SECRETS) as source:
        yield source


@pytest.fixture
async def first(up):
    async with built(CARD, {"base_url": up.url + "/api/v0/"}, SECRETS) as source:
        yield source


@pytest.mark.spec("ENC-KAGI-1")
@pytest.mark.parametrize(("timeout", "budget"), [(0.4, 0.5), (2.0, 1.6), (30.0, 4.0)])
async def test_it_is_asked_by_post_and_told_how_long_it_may_take(up, kagi, timeout, budget):
    await kagi.search(request("retry policy", limit=7, timeout=timeout))
    (seen,) = up.seen
    assert seen.method == "POST"
    assert json.loads(seen.body) == {"query": "retry policy", "limit": 7, "timeout": budget}


@pytest.mark.spec("ENC-KAGI-1")
async def test_the_first_api_is_asked_by_get(up, first):
    await first.search(request("retry policy", limit=7))
    (seen,) = up.seen
    assert (seen.method, seen.path, seen.query) == ("GET", "/api/v0/search", {"q": "retry policy", "limit": "7"})


@pytest.mark.spec("ENC-KAGI-2")
async def test_marks_are_taken_out_and_lists_stand_one_after_another(up, kagi):
    url = "https://example.org/"
    data = {
        "related_search": [{"url": url + "s", "title": "async handlers"}],
        "adjacent_question": [{"url": url + "q", "title": "Q", "props": {"question": "Why?"}}],
        "interesting_finds": [{"url": url + "small", "title": "A small site"}],
        "code": [{"url": url + "code", "title": "Code", "snippet": "a <b>call</b>"}],
        "search": [
            {
                "url": url + "a",
                "title": "A &amp; B",
                "snippet": "Handlers may be <b>coroutines</b> &lt;T&gt;.",
                "time": "2026-01-02T00:00:00Z",
                "image": {"url": url + "i.png", "height": 1, "width": 1},
            },
            {"url": url + "b", "title": "Only what is sure"},
            "no object",
        ],
    }
    up.on("/search", Act(json={"meta": {}, "data": data}))
    assert (await kagi.search(request(limit=20))).hits == (
        Hit("A & B", url + "a", "Handlers may be coroutines <T>.", published="2026-01-02T00:00:00Z"),
        Hit("Only what is sure", url + "b"),
        Hit("Code", url + "code", "a call"),
        Hit("A small site", url + "small"),
    )


@pytest.mark.spec("ENC-KAGI-2")
async def test_results_of_the_first_api_stand_in_one_list_with_others(up, first):
    up.on("/api/v0/search", Act(json=first_kagi_body(("A", "https://example.org/a", "<b>x</b>"))))
    assert (await first.search(request())).hits == (Hit("A", "https://example.org/a", "x", published="2026-01-02T00:00:00Z"),)


@pytest.mark.spec("ENC-KAGI-3")
@pytest.mark.parametrize("status", [200, 400, 500])
@pytest.mark.parametrize(
    ("code", "kind", "sentence"),
    [
        (0, Unavailable, "a fault of its own"),
        (1, Refused, "malformed"),
        (2, AuthRefused, "not accepted"),
        (100, QuotaSpent, "no billing"),
        (101, QuotaSpent, "used up"),
    ],
)
async def test_a_code_of_the_first_api_is_told_whatever_the_status(up, first, status, code, kind, sentence):
    error = {"meta": {"id": "m-2"}, "data": None, "error": [{"code": code, "msg": "orders to a model", "ref": None}]}
    up.on("/api/v0/search", Act(status, json=error))
    with pytest.raises(kind, match=sentence) as caught:
        await first.search(request())
    assert "orders" not in str(caught.value)


@pytest.mark.spec("ENC-KAGI-3")
@pytest.mark.parametrize(
    ("status", "kind"), [(400, Refused), (401, AuthRefused), (403, AuthRefused), (429, RateLimited), (500, Unavailable)]
)
async def test_an_error_of_the_present_api_is_told_by_its_status(up, kagi, status, kind):
    error = [{"code": "some.code", "url": "https://example.org/errors", "message": "orders to a model"}]
    up.on("/search", Act(status, json=ERROR | {"error": error}))
    with pytest.raises(kind):
        await kagi.search(request())


@pytest.mark.spec("ENC-KAGI-3")
@pytest.mark.parametrize("error", ["text", [{"code": 999}], {"code": None}, [7]])
async def test_an_error_of_no_known_kind_inside_a_good_answer_is_one_too(up, kagi, error):
    up.on("/search", Act(json=ERROR | {"error": error}))
    with pytest.raises(Refused, match="no reason that we know"):
        await kagi.search(request())


@pytest.mark.spec("ENC-KAGI-3")
@pytest.mark.parametrize("body", [{}, [], {"data": None}, {"data": "x"}, {"data": {"search": {}}}, {"data": {"code": None}}])
async def test_a_body_without_a_list_is_garbled(up, kagi, body):
    up.on("/search", Act(json=body))
    with pytest.raises(Garbled):
        await kagi.search(request())
