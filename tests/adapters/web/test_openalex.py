import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.model.errors import Garbled
from encyclopedia.model.outcome import Hit
from encyclopedia.model.query import QueryType
from encyclopedia.ports import Key
from encyclopedia_adapters.web.openalex import CARD, MAX_WORDS, text_of
from tests.adapters.contract.stand_ins import built, request
from tests.public_bodies import inverted, openalex_body
from tests.upstream import Act, Upstream


@pytest.fixture
async def up():
    async with Upstream() as up:
        up.on("/works", Act(json=openalex_body()))
        yield up


@pytest.fixture
async def works(up):
    async with built(CARD, {"base_url": up.url}, {"OPENALEX_API_KEY": "s3cr3t"}) as source:
        yield source


@pytest.mark.spec("ENC-OPENALEX-1")
def test_the_card_needs_a_key_and_has_the_free_quota_as_its_cap():
    assert CARD.serves == {QueryType.GENERAL_SEARCH: 0.10}
    assert Key("OPENALEX_API_KEY") in CARD.requires
    assert (CARD.keyless, CARD.daily_calls) == (False, 1000)


@pytest.mark.spec("ENC-OPENALEX-2")
async def test_a_hit_is_a_work_with_its_place_people_and_abstract(up, works):
    people = [{"author": {"display_name": name}} for name in ("A. One", "B. Two", "C. Three", "D. Four", "E. Five")]
    place = {"landing_page_url": "https://example.org/a", "source": {"display_name": "Journal of Examples"}}
    row = ("Routing", "", "We route the route that we route")
    more = {
        "doi": "https://doi.org/10.5555/a(b)<c>",
        "authorships": people,
        "publication_date": "2026-01-02",
        "publication_year": 2026,
    }
    up.on("/works", Act(json=openalex_body(row, primary_location=place, **more)))
    (hit,) = (await works.search(request())).hits
    assert hit == Hit(
        "Routing",
        "https://doi.org/10.5555/a(b)%3Cc%3E",
        "A. One, B. Two, C. Three and 2 more, Journal of Examples, 2026\nWe route the route that we route",
        published="2026-01-02",
        id="https://openalex.org/W1",
    )


@pytest.mark.spec("ENC-OPENALEX-2")
@pytest.mark.parametrize(
    ("work", "url"),
    [
        ({"display_name": "A", "id": "https://openalex.org/W1"}, "https://openalex.org/W1"),
        ({"title": "A", "primary_location": {"landing_page_url": "https://a.example"}}, "https://a.example"),
        ({"title": "A", "primary_location": [], "authorships": {}, "doi": 3, "publication_date": "soon"}, ""),
        ({"title": "A", "authorships": [None, {"author": None}], "abstract_inverted_index": []}, ""),
    ],
)
async def test_fields_may_be_missing_or_odd(up, works, work, url):
    up.on("/works", Act(json={"results": [None, {"id": "x"}, work]}))
    (hit,) = (await works.search(request())).hits
    assert (hit.url, hit.content, hit.published) == (url, "", "")


@pytest.mark.spec("ENC-OPENALEX-3")
async def test_words_and_key_go_with_every_request(up, works):
    await works.search(request("async routing", limit=500))
    asked = up.seen[0].query
    assert (asked["search"], asked["per-page"], asked["api_key"]) == ("async routing", "100", "s3cr3t")
    assert "abstract_inverted_index" in asked["select"]


@pytest.mark.spec("ENC-OPENALEX-2")
@pytest.mark.parametrize("body", [{}, [], {"results": {}}, "text"])
async def test_a_body_without_a_list_is_garbled(up, works, body):
    up.on("/works", Act(json=body))
    with pytest.raises(Garbled):
        await works.search(request())


@pytest.mark.spec("ENC-OPENALEX-4")
@given(st.lists(st.text(st.characters(categories=["L"]), min_size=1), min_size=1, max_size=50))
def test_an_inverted_index_becomes_its_text(words):
    assert text_of(inverted(" ".join(words))) == " ".join(words)


@pytest.mark.spec("ENC-OPENALEX-4")
@pytest.mark.parametrize(
    ("index", "text"),
    [
        (None, ""),
        ([], ""),
        ({"a": 0, "b": [1]}, "b"),
        ({"a": [-1, 0, 10**9, "x", None]}, "a"),
        ({"b": [5], "a": [2]}, "a b"),
    ],
)
def test_an_index_with_damage_gives_what_is_sound(index, text):
    assert text_of(index) == text


@pytest.mark.spec("ENC-OPENALEX-4")
def test_a_flood_of_positions_is_bounded():
    assert len(text_of({"a": [0] * 50_000, "b": list(range(50_000))}).split()) == MAX_WORDS
