import pytest

from encyclopedia.model.errors import AuthRefused, Garbled, QuotaSpent, RateLimited, Refused
from encyclopedia.model.outcome import Hit
from encyclopedia_adapters.web.jina import CARD
from tests.adapters.contract.keyed import jina_body
from tests.adapters.contract.stand_ins import SECRETS, built, request
from tests.upstream import Act, Upstream


@pytest.fixture
async def up():
    async with Upstream() as up:
        up.on("/", Act(json=jina_body()))
        yield up


@pytest.fixture
async def jina(up):
    async with built(CARD, {"base_url": up.url}, SECRETS) as source:
        yield source


@pytest.mark.spec("ENC-JINA-1")
async def test_it_is_asked_for_json_without_the_contents_of_the_pages(up, jina):
    await jina.search(request("retry policy", limit=7))
    (seen,) = up.seen
    assert (seen.method, seen.query) == ("GET", {"q": "retry policy", "num": "7"})
    assert (seen.headers["accept"], seen.headers["x-respond-with"]) == ("application/json", "no-content")


@pytest.mark.spec("ENC-JINA-2")
async def test_results_become_hits(up, jina):
    url = "https://example.org/"
    data = [
        {"title": "Described", "url": url + "a", "description": "Some <b>words</b>.", "content": "", "date": "2026-01-02"},
        {"title": "Read", "url": url + "b", "content": "The page as vector<int>.", "date": "3 days ago"},
        {"title": "Bare", "url": url + "c", "description": None},
        None,
    ]
    up.on("/", Act(json={"code": 200, "status": 20000, "data": data}))
    assert (await jina.search(request())).hits == (
        Hit("Described", url + "a", "Some words.", published="2026-01-02"),
        Hit("Read", url + "b", "The page as vector<int>."),
        Hit("Bare", url + "c"),
    )


@pytest.mark.spec("ENC-JINA-3")
async def test_nothing_found_comes_as_an_error_and_is_none(up, jina):
    body = {"data": None, "code": 422, "name": "AssertionFailureError", "status": 42206}
    up.on("/", Act(422, json={**body, "message": "No search results available for query async routing"}))
    reply = await jina.search(request())
    assert (reply.hits, reply.reduced) == ((), "")
    up.on("/", Act(422, json={**body, "message": "num must be at most 20"}))
    with pytest.raises(Refused):
        await jina.search(request())


@pytest.mark.spec("ENC-JINA-3")
@pytest.mark.parametrize(
    ("status", "name", "kind"),
    [
        (401, "AuthenticationRequiredError", AuthRefused),
        (402, "InsufficientBalanceError", QuotaSpent),
        (429, "RateLimitTriggeredError", RateLimited),
    ],
)
async def test_each_error_is_the_trouble_that_it_means(up, jina, status, name, kind):
    up.on("/", Act(status, json={"data": None, "code": status, "name": name, "message": "orders", "retryAfter": 12}))
    with pytest.raises(kind) as caught:
        await jina.search(request())
    assert getattr(caught.value, "retry_after", 12) == 12


@pytest.mark.spec("ENC-JINA-3")
@pytest.mark.parametrize("body", [{}, [], {"data": None}, {"data": "text"}])
async def test_a_body_without_a_list_is_garbled(up, jina, body):
    up.on("/", Act(json=body))
    with pytest.raises(Garbled):
        await jina.search(request())
