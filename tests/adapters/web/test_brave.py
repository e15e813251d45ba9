import pytest

from encyclopedia.model.errors import AuthRefused, Garbled, QuotaSpent, RateLimited, Refused
from encyclopedia.model.outcome import Hit
from encyclopedia_adapters.web.brave import CARD
from tests.adapters.contract.keyed import brave_body
from tests.adapters.contract.stand_ins import SECRETS, built, request
from tests.upstream import Act, Upstream

PATH = "/web/search"


@pytest.fixture
async def up():
    async with Upstream() as up:
        up.on(PATH, Act(json=brave_body()))
        yield up


@pytest.fixture
async def brave(up):
    async with built(CARD, {"base_url": up.url}, SECRETS) as source:
        yield source


@pytest.mark.spec("ENC-BRAVE-1")
async def test_it_is_asked_for_results_of_the_web(up, brave):
    await brave.search(request("retry policy", limit=7))
    (seen,) = up.seen
    assert (seen.method, seen.query) == ("GET", {"q": "retry policy", "count": "7", "result_filter": "web"})


@pytest.mark.spec("ENC-BRAVE-1")
@pytest.mark.parametrize(
    ("text", "sent", "note"),
    [
        ("x" * 401, "x" * 400, "asked with the first 400 characters"),
        ("a " * 50 + "b", ("a " * 50).strip(), "asked with the first 50 words"),
        ("a " * 250, ("a " * 50).strip(), "asked with the first 50 words"),
        ("word" * 100 + " b", "word" * 100, "asked with the first 400 characters"),
        ("a  b", "a  b", ""),
    ],
)
async def test_a_query_longer_than_it_takes_is_cut_and_says_so(up, brave, text, sent, note):
    assert (await brave.search(request(text))).note == note
    assert up.seen[0].query["q"] == sent


@pytest.mark.spec("ENC-BRAVE-2")
async def test_marks_are_taken_out_and_more_passages_are_kept_as_lines(up, brave):
    url = "https://example.org/"
    results = [
        {
            "title": "A &amp; <strong>B</strong>",
            "url": url + "a",
            "description": "Handlers may be <strong>coroutines</strong> &lt;T&gt;.",
            "extra_snippets": ["One <strong>more</strong>.", "And another."],
            "page_age": "2026-01-02T03:04:05",
            "age": "January 2, 2026",
        },
        {"title": "Old", "url": url + "b", "description": "x", "age": "3 days ago"},
        {"title": "Bare", "url": url + "c"},
    ]
    up.on(PATH, Act(json={"type": "search", "query": {"original": "q"}, "web": {"results": results}}))
    assert (await brave.search(request())).hits == (
        Hit("A & B", url + "a", "Handlers may be coroutines <T>.\nOne more.\nAnd another.", published="2026-01-02T03:04:05"),
        Hit("Old", url + "b", "x"),
        Hit("Bare", url + "c"),
    )


@pytest.mark.spec("ENC-BRAVE-3")
@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (422, "SUBSCRIPTION_TOKEN_INVALID", AuthRefused),
        (404, "SUBSCRIPTION_NOT_FOUND", AuthRefused),
        (422, "VALIDATION", Refused),
        (429, "QUOTA_LIMITED", QuotaSpent),
        (429, "RATE_LIMITED", RateLimited),
    ],
)
@pytest.mark.parametrize("wrapped", [lambda error: {"error": error}, lambda error: {"errors": [error]}], ids=["one", "list"])
async def test_each_code_is_the_trouble_that_it_means(up, brave, status, code, kind, wrapped):
    error = {"id": "e-1", "status": status, "code": code, "detail": "No subscription found."}
    up.on(PATH, Act(status, json={"type": "ErrorResponse", **wrapped(error), "time": 1790000000}))
    with pytest.raises(kind) as caught:
        await brave.search(request())
    assert "found" not in str(caught.value)


@pytest.mark.spec("ENC-BRAVE-3")
@pytest.mark.parametrize(
    ("remaining", "reset", "seconds"), [("0, 1999", "3, 1419704", 3), ("1, 0", "1, 1419704", 3600), ("0, 0", "1, 1000", 1)]
)
async def test_the_window_that_is_used_up_tells_how_long_to_wait(up, brave, remaining, reset, seconds):
    headers = {
        "X-RateLimit-Limit": "1, 2000",
        "X-RateLimit-Policy": "1;w=1, 2000;w=2592000",
        "X-RateLimit-Remaining": remaining,
        "X-RateLimit-Reset": reset,
    }
    up.on(PATH, Act(429, json={"type": "ErrorResponse", "error": {"code": "RATE_LIMITED"}}, headers=headers))
    with pytest.raises(RateLimited) as caught:
        await brave.search(request())
    assert caught.value.retry_after == seconds


@pytest.mark.spec("ENC-BRAVE-3")
@pytest.mark.parametrize("body", [{}, [], {"web": None}, {"web": {}}, {"query": {}, "web": {"results": {}}}, {"query": "q"}])
async def test_a_body_without_a_list_is_garbled(up, brave, body):
    up.on(PATH, Act(json=body))
    with pytest.raises(Garbled):
        await brave.search(request())
