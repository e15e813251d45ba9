import json

import pytest

from encyclopedia.model.errors import Garbled, QuotaSpent, RateLimited, Refused, Unavailable
from encyclopedia.model.outcome import Hit
from encyclopedia_adapters.web.exa import CARD
from tests.adapters.contract.stand_ins import SECRETS, built, request
from tests.upstream import Act, Upstream


@pytest.fixture
async def up():
    async with Upstream() as up:
        up.on("/search", Act(json={"results": []}))
        yield up


@pytest.fixture
async def exa(up):
    async with built(CARD, {"base_url": up.url + "/"}, SECRETS) as source:
        yield source


@pytest.mark.spec("ENC-EXA-1")
async def test_it_is_asked_for_passages_and_never_for_whole_pages(up, exa):
    await exa.search(request("retry policy of http clients", limit=7))
    (seen,) = up.seen
    assert (seen.method, seen.headers["content-type"]) == ("POST", "application/json")
    assert json.loads(seen.body) == {
        "query": "retry policy of http clients",
        "type": "auto",
        "numResults": 7,
        "contents": {"highlights": True},
    }


@pytest.mark.spec("ENC-EXA-2")
async def test_passages_go_before_a_summary_and_that_before_the_text(up, exa):
    url = "https://example.org/"
    results = [
        {"url": url + "1", "title": "Passages", "highlights": ["One.", "Two <T>."], "summary": "s", "text": "t"},
        {"url": url + "2", "title": "Summary", "highlights": [], "summary": "In short.", "text": "t"},
        {"url": url + "3", "title": "Text", "highlights": None, "text": "At length."},
        {"url": url + "4", "title": None, "publishedDate": None, "score": None},
        {"url": url + "5", "title": "Dated", "publishedDate": "2026-01-02T03:04:05.000Z"},
        {"url": url + "6", "title": "Dated oddly", "publishedDate": "last week"},
        "no object",
        None,
    ]
    up.on("/search", Act(json={"results": results}))
    assert (await exa.search(request(limit=20))).hits == (
        Hit("Passages", url + "1", "One.\nTwo <T>."),
        Hit("Summary", url + "2", "In short."),
        Hit("Text", url + "3", "At length."),
        Hit("Dated", url + "5", published="2026-01-02T03:04:05.000Z"),
        Hit("Dated oddly", url + "6"),
    )


@pytest.mark.spec("ENC-EXA-3")
@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (400, {"requestId": "r-2", "error": "bad numResults", "tag": "INVALID_NUM_RESULTS"}, Refused),
        (402, {"requestId": "r-2", "error": "no more", "tag": "NO_MORE_CREDITS"}, QuotaSpent),
        (403, {"requestId": "r-2", "error": "moderated", "tag": "PROHIBITED_CONTENT"}, Refused),
        (422, {"error": "odd"}, Refused),
        (429, {"error": "slow down"}, RateLimited),
        (501, {"error": "could not"}, Unavailable),
        (503, {"error": "busy", "tag": "SERVICE_OVERLOADED"}, Unavailable),
    ],
)
async def test_each_error_is_the_trouble_that_it_means(up, exa, status, body, kind):
    up.on("/search", Act(status, json=body))
    with pytest.raises(kind, match=f"HTTP {status}") as caught:
        await exa.search(request())
    assert body["error"] not in str(caught.value)


@pytest.mark.spec("ENC-EXA-3")
@pytest.mark.parametrize("body", [{}, [], {"results": None}, {"results": {}}, "text"])
async def test_a_body_without_a_list_is_garbled(up, exa, body):
    up.on("/search", Act(json=body))
    with pytest.raises(Garbled):
        await exa.search(request())
