import json
from pathlib import Path

import pytest

from encyclopedia.model.errors import ConfigurationError, Garbled, RateLimited, Refused, Unavailable
from encyclopedia.model.outcome import Hit
from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Option
from encyclopedia_adapters.web.searxng import CARD
from tests.adapters.contract.stand_ins import built, request
from tests.upstream import Act, Upstream, searxng_body

WIRE = json.loads((Path(__file__).parents[2] / "fixtures/wire/searxng.json").read_text())


@pytest.fixture
async def up():
    async with Upstream() as up:
        up.on("/search", Act(json=WIRE))
        yield up


@pytest.fixture
async def searxng(up):
    async with built(CARD, {"base_url": up.url}) as source:
        yield source


@pytest.mark.spec("ENC-SEARXNG-1")
def test_the_card_needs_an_address():
    assert CARD.serves == {QueryType.GENERAL_SEARCH: 0.10}
    assert Option("base_url", env="SEARXNG_URL") in CARD.requires
    assert CARD.form is Form.KEYWORD
    assert not CARD.keyless


@pytest.mark.spec("ENC-SEARXNG-2")
async def test_results_of_all_kinds_become_hits(searxng):
    reply = await searxng.search(request(limit=20))
    assert reply.hits == (
        Hit("Async routing", "https://example.org/a", "Handlers may be coroutines."),
        Hit("Only what is sure", "https://example.org/b"),
        Hit("Dated", "https://example.org/c", published="2026-03-04T05:06:07"),
        Hit("Dated the old way", "https://example.org/d", published="2026-03-04 05:06:07"),
        Hit("Code", "https://example.org/e", "def f():\n    return vector<int>"),
        Hit("A package", "https://example.org/f", "does it", version="1.2.3"),
        Hit("https://example.org/g", "https://example.org/g", "no title"),
        Hit("no address", "", "but text"),
    )


@pytest.mark.spec("ENC-SEARXNG-2")
async def test_it_is_asked_for_the_first_page_as_json(up, searxng):
    await searxng.search(request("!gh router"))
    assert up.seen[0].query == {"q": "!gh router", "format": "json", "pageno": "1"}


@pytest.mark.spec("ENC-SEARXNG-2")
async def test_language_categories_and_engines_are_passed_on(up):
    options = {"base_url": up.url + "/", "language": "de", "categories": "it,science", "engines": ""}
    async with built(CARD, options) as source:
        await source.search(request())
    assert up.seen[0].query == {
        "q": "async routing",
        "format": "json",
        "pageno": "1",
        "language": "de",
        "categories": "it,science",
    }


@pytest.mark.spec("ENC-SEARXNG-2")
@pytest.mark.parametrize("path", ["", "/", "/search", "/search/"])
async def test_the_address_may_be_that_of_the_instance_or_of_its_search(up, path):
    async with built(CARD, secrets={"SEARXNG_URL": up.url + path}) as source:
        assert (await source.search(request())).hits
    assert up.count("/search") == 1


@pytest.mark.spec("ENC-SEARXNG-2")
async def test_an_instance_below_a_path_is_found(up):
    up.on("/searxng/search", Act(json=WIRE))
    async with built(CARD, {"base_url": up.url + "/searxng"}) as source:
        assert (await source.search(request())).hits


@pytest.mark.spec("ENC-SEARXNG-3")
async def test_silent_engines_are_a_note_where_there_are_results(searxng):
    reply = await searxng.search(request())
    assert reply.note == "engines that did not answer: google (Suspended: CAPTCHA), startpage (timeout)"
    assert reply.reduced == ""


@pytest.mark.spec("ENC-SEARXNG-3")
@pytest.mark.parametrize(
    ("engines", "said"),
    [
        ([["google", "timeout"]], "google (timeout)"),
        (["google"], "google"),
        ([["google"]], "google"),
        ([["google", ""]], "google"),
        ([{"engine": "google", "reason": "timeout"}], "google (timeout)"),
        ([["go\x1b[31mogle\n", "or\u202eders"]], "google (orders)"),
        ([[]], "unnamed"),
        ([[f"e{at}", "timeout"] for at in range(10)], ", ".join(f"e{at} (timeout)" for at in range(8)) + " and 2 more"),
    ],
)
async def test_silent_engines_and_no_results_are_a_reduced_answer(up, searxng, engines, said):
    up.on("/search", Act(json=searxng_body(unresponsive_engines=engines)))
    reply = await searxng.search(request())
    assert reply.hits == ()
    assert reply.reduced == f"engines that did not answer: {said}"


@pytest.mark.spec("ENC-SEARXNG-3")
@pytest.mark.parametrize("engines", [[], None, "none", {}, [["void", "no results"]]])
async def test_no_results_with_all_engines_up_are_just_none(up, searxng, engines):
    up.on("/search", Act(json=searxng_body(unresponsive_engines=engines)))
    reply = await searxng.search(request())
    assert (reply.hits, reply.reduced, reply.note) == ((), "", "")


@pytest.mark.spec("ENC-SEARXNG-4")
@pytest.mark.parametrize(
    ("act", "kind", "sentence"),
    [
        (Act(403, body="<html>", content_type="text/html"), Refused, "add json to search.formats"),
        (Act(302, redirect="/"), Refused, "its limiter sends programs away"),
        (Act(429, body="Too Many Requests", content_type="text/plain"), RateLimited, "too many requests"),
        (Act(400, json={"error": "No query"}), Refused, "HTTP 400"),
        (Act(500, json={"error": "search error"}), Unavailable, "HTTP 500"),
        (Act(body="<html>", content_type="text/html"), Garbled, "something else than JSON"),
    ],
)
async def test_each_refusal_says_what_to_do(up, searxng, act, kind, sentence):
    up.on("/search", act)
    with pytest.raises(kind, match=sentence):
        await searxng.search(request())


@pytest.mark.spec("ENC-SEARXNG-4")
@pytest.mark.parametrize("body", [{}, [], {"results": None}, {"results": {}}])
async def test_a_body_without_a_list_is_garbled(up, searxng, body):
    up.on("/search", Act(json=body))
    with pytest.raises(Garbled):
        await searxng.search(request())


@pytest.mark.spec("ENC-SEARXNG-1")
@pytest.mark.parametrize("url", ["", "searx.example.org", "file:///x", "http://user:secret@example.org"])
async def test_a_wrong_address_is_named(url):
    with pytest.raises(ConfigurationError, match="SEARXNG_URL") as caught:
        async with built(CARD, secrets={"SEARXNG_URL": url}):
            pass
    assert "secret" not in str(caught.value)
