import json
from pathlib import Path

import pytest

from encyclopedia.model.errors import ConfigurationError, Garbled
from encyclopedia.model.outcome import Hit
from encyclopedia.model.query import QueryType
from encyclopedia_adapters.docs.mdn import CARD
from tests.adapters.contract.stand_ins import built, request
from tests.upstream import Act, Upstream

WIRE = json.loads((Path(__file__).parents[2] / "fixtures/wire/mdn.json").read_text())
API = "/api/v1/search"


@pytest.fixture
async def up():
    async with Upstream() as up:
        up.on(API, Act(json=WIRE))
        yield up


@pytest.fixture
async def mdn(up):
    async with built(CARD, {"base_url": up.url + "/"}) as source:
        yield source


@pytest.mark.spec("ENC-MDN-1")
def test_the_card_needs_no_key():
    assert CARD.serves == {QueryType.LIBRARY_DOCS: 0.10}
    assert CARD.keyless
    assert CARD.default


@pytest.mark.spec("ENC-MDN-2")
async def test_documents_become_hits(up, mdn):
    assert (await mdn.search(request("fetch", limit=20))).hits == (
        Hit(
            "Window: fetch() method",
            f"{up.url}/en-US/docs/Web/API/Window/fetch",
            "The fetch() method starts the process of fetching a resource.\n\nto fetch a Promise<Response> … with fetch()",
        ),
        Hit("Django", f"{up.url}/en-US/docs/Glossary/Django", "A web framework."),
        Hit("Elsewhere", f"{up.url}//evil.example.org/"),
        Hit("No path"),
    )


@pytest.mark.spec("ENC-MDN-2")
async def test_it_is_asked_in_the_language_of_the_settings(up, mdn):
    await mdn.search(request("grid", limit=7))
    assert up.seen[0].query == {"q": "grid", "locale": "en-US", "size": "7"}
    async with built(CARD, {"base_url": up.url, "locale": "fr"}) as source:
        await source.search(request("grid", limit=500))
    assert up.seen[1].query == {"q": "grid", "locale": "fr", "size": "50"}


@pytest.mark.spec("ENC-MDN-3")
@pytest.mark.parametrize(
    ("library", "titles"),
    [("", 4), ("django", ["Django"]), ("Fetch", ["Window: fetch() method"]), ("fastapi", [])],
)
async def test_of_a_question_about_a_library_only_what_speaks_of_it(mdn, library, titles):
    hits = (await mdn.search(request("fetch", library=library))).hits
    assert [hit.title for hit in hits] == titles or len(hits) == titles


@pytest.mark.spec("ENC-MDN-2")
@pytest.mark.parametrize("body", [{}, [], {"documents": None}, {"documents": {}}, "text"])
async def test_a_body_without_a_list_is_garbled(up, mdn, body):
    up.on(API, Act(json=body))
    with pytest.raises(Garbled):
        await mdn.search(request())


@pytest.mark.spec("ENC-MDN-1")
@pytest.mark.parametrize("options", [{"locale": "../x"}, {"locale": 3}, {"base_url": "file:///x"}])
async def test_a_wrong_setting_is_named(options):
    with pytest.raises(ConfigurationError, match=rf"\[sources.mdn\] {next(iter(options))}"):
        async with built(CARD, options):
            pass


@pytest.mark.spec("ENC-MDN-1")
async def test_without_settings_the_service_itself_is_asked():
    async with built(CARD) as source:
        assert source._base == "https://developer.mozilla.org"
