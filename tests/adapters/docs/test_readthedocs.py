import json
from pathlib import Path

import pytest

from encyclopedia.model.errors import ConfigurationError, Garbled
from encyclopedia.model.outcome import Hit, Reply
from encyclopedia.model.query import QueryType
from encyclopedia_adapters.docs.readthedocs import CARD
from tests.adapters.contract.stand_ins import built, request
from tests.upstream import Act, Upstream

WIRE = json.loads((Path(__file__).parents[2] / "fixtures/wire/readthedocs.json").read_text())
API = "/api/v3/search/"


@pytest.fixture
async def up():
    async with Upstream() as up:
        up.on(API, Act(json=WIRE))
        yield up


@pytest.fixture
async def rtd(up):
    async with built(CARD, {"base_url": up.url}) as source:
        yield source


@pytest.mark.spec("ENC-RTD-1")
def test_the_card_needs_no_key():
    assert CARD.serves == {QueryType.LIBRARY_DOCS: 0.15}
    assert CARD.keyless
    assert CARD.default


@pytest.mark.spec("ENC-RTD-2")
async def test_pages_become_hits_at_their_best_section(rtd):
    assert (await rtd.search(request("routes", library="webkit"))).hits == (
        Hit(
            "Routing § Declare a route",
            "https://webkit.example.org/en/latest/routing.html#declare-a-route",
            'A route is a vector<int> & more.\n\nOrder\nRoutes match in order, as in a vector<int>. … The last "route" wins',
        ),
        Hit(
            "Routing § webkit.route",
            "https://webkit.example.org/en/v2.1.0/routing.html#webkit.route",
            "Declares a route.",
            version="v2.1.0",
        ),
        Hit("Only a title", "https://webkit.example.org/x.html"),
    )


@pytest.mark.spec("ENC-RTD-3")
@pytest.mark.parametrize(
    ("options", "more", "scope"),
    [
        ({}, {"library": "webkit"}, "project:webkit"),
        ({}, {"library": "Web_Kit.Tools"}, "project:web-kit-tools"),
        ({}, {"library": "webkit", "version": "2.1.0"}, "project:webkit/2.1.0"),
        ({"projects": {"WebKit": "acme-docs"}}, {"library": "webkit"}, "project:acme-docs"),
        ({"projects": {"webkit": "acme-docs"}}, {"library": "other"}, "project:other"),
        ({"projects": ["acme", "webkit"]}, {"library": "webkit"}, "project:webkit project:acme"),
        ({"projects": ["acme", "tools"]}, {}, "project:acme project:tools"),
        ({"projects": ["acme"]}, {"library": "webkit", "version": "2"}, "project:webkit/2"),
    ],
)
async def test_it_looks_in_the_project_of_the_library(up, options, more, scope):
    async with built(CARD, {"base_url": up.url, **options}) as source:
        await source.search(request("how to route", limit=70, **more))
    assert up.seen[0].query == {"q": f"{scope} how to route", "page_size": "50"}


@pytest.mark.spec("ENC-RTD-3")
@pytest.mark.parametrize(
    ("options", "more"),
    [
        ({}, {}),
        ({"projects": {"webkit": "acme-docs"}}, {}),
        ({}, {"library": "c++"}),
        ({}, {"library": "@angular/core"}),
        ({"projects": ["acme"]}, {"version": "2"}),
        ({}, {"library": "webkit", "version": "2 project:other"}),
    ],
)
async def test_without_a_project_nobody_is_asked(up, options, more):
    async with built(CARD, {"base_url": up.url, **options}) as source:
        assert await source.search(request("how to route", **more)) == Reply()
    assert up.count() == 0


@pytest.mark.spec("ENC-RTD-4")
@pytest.mark.parametrize(("version", "titles"), [("2.1.0", 1), ("v2.1.0", 1), ("2.1", 0), ("latest", 1)])
async def test_another_version_is_never_given(rtd, version, titles):
    hits = (await rtd.search(request("routes", library="webkit", version=version))).hits
    assert len(hits) == titles
    assert all(hit.version == version for hit in hits)


@pytest.mark.spec("ENC-RTD-2")
@pytest.mark.parametrize("body", [{}, [], {"results": None}, {"results": {}}, "text"])
async def test_a_body_without_a_list_is_garbled(up, rtd, body):
    up.on(API, Act(json=body))
    with pytest.raises(Garbled):
        await rtd.search(request(library="webkit"))


@pytest.mark.spec("ENC-RTD-1")
@pytest.mark.parametrize(
    "options",
    [{"projects": "acme"}, {"projects": [3]}, {"projects": [""]}, {"projects": {"a": 3}}, {"base_url": "file:///x"}],
)
async def test_a_wrong_setting_is_named(options):
    with pytest.raises(ConfigurationError, match=rf"\[sources.readthedocs\] {next(iter(options))}"):
        async with built(CARD, options):
            pass


@pytest.mark.spec("ENC-RTD-1")
async def test_without_settings_the_service_itself_is_asked():
    async with built(CARD) as source:
        assert source._address == "https://app.readthedocs.org/api/v3/search/"
