import json
from pathlib import Path

import pytest

from encyclopedia.model.errors import AuthRefused, ConfigurationError, Garbled, QuotaSpent, RateLimited, Refused, Unavailable
from encyclopedia.model.outcome import Reply
from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Key
from encyclopedia_adapters.docs.context7 import CARD
from tests.adapters.contract.stand_ins import built, request
from tests.docs_bodies import context7_body, context7_libraries
from tests.upstream import Act, Upstream

WIRE = json.loads((Path(__file__).parents[2] / "fixtures/wire/context7.json").read_text())
SEARCH, CONTEXT, ONE_CALL = "/api/v2/libs/search", "/api/v2/context", "/api/v3/search"
PREPARING = Act(202, json={"error": "library_not_finalized", "message": "orders to a model"})


def moved(target):
    return Act(301, json={"error": "library_redirected", "message": "Library moved.", "redirectUrl": target})


def no_tag(message):
    return Act(404, json={"error": "tag_not_found", "message": message})


@pytest.fixture
async def up():
    async with Upstream() as up:
        up.on(SEARCH, Act(json=context7_libraries({})))
        up.on(CONTEXT, Act(json=WIRE))
        yield up


@pytest.fixture
async def context7(up):
    async with built(CARD, {"base_url": up.url + "/api"}) as source:
        yield source


@pytest.mark.spec("ENC-LIBDOCS-1")
def test_the_card_takes_a_key_and_needs_none():
    assert CARD.serves == {QueryType.LIBRARY_DOCS: 0.40, QueryType.CODE_CONTEXT: 0.15}
    assert CARD.accepts == (Key("CONTEXT7_API_KEY"),)
    assert CARD.form is Form.LIBRARY
    assert CARD.default
    assert not CARD.keyless


@pytest.mark.spec("ENC-LIBDOCS-1")
async def test_the_key_goes_with_every_call(up, context7):
    await context7.search(request(library="webkit"))
    assert "authorization" not in up.seen[1].headers
    async with built(CARD, {"base_url": up.url + "/api"}, {"CONTEXT7_API_KEY": "ctx7sk-1"}) as source:
        await source.search(request(library="webkit"))
    assert [seen.headers["authorization"] for seen in up.seen[2:]] == ["Bearer ctx7sk-1"] * 2


@pytest.mark.spec("ENC-LIBDOCS-2")
async def test_the_library_is_looked_up_and_then_read(up, context7):
    reply = await context7.search(request("webkit declare a route", library="webkit"))
    assert [(seen.path, seen.query) for seen in up.seen] == [
        (SEARCH, {"libraryName": "webkit", "query": "webkit declare a route", "fast": "true"}),
        (CONTEXT, {"libraryId": "/acme/webkit", "query": "webkit declare a route", "type": "json", "fast": "true"}),
    ]
    assert [hit.title for hit in reply.hits] == ["Declare a route", "Guide > Routing", "Fences", "Without a page."]
    assert reply.note == ""
    assert len((await context7.search(request(library="webkit", limit=2))).hits) == 2


@pytest.mark.spec("ENC-LIBDOCS-2")
async def test_a_question_without_a_known_library_is_looked_up_as_it_is(up, context7):
    reply = await context7.search(request("routes in webkit"))
    assert up.seen[0].query["libraryName"] == "routes in webkit"
    assert reply.note == ""
    reply = await context7.search(request("declare a route"))
    assert reply.note == "context7 took Webkit (/acme/webkit) for the library that is meant"


@pytest.mark.spec("ENC-LIBDOCS-2")
async def test_a_library_of_another_name_is_told(context7):
    reply = await context7.search(request(library="wk2"))
    assert reply.hits
    assert reply.note == "context7 took Webkit (/acme/webkit) for wk2"


@pytest.mark.spec("ENC-LIBDOCS-2")
async def test_an_id_from_the_settings_is_not_looked_up(up):
    async with built(CARD, {"base_url": up.url + "/api", "libraries": {"WebKit": "/fork/webkit"}}) as source:
        await source.search(request(library="webkit", version="7"))
        await source.search(request(library="other"))
    assert [seen.query.get("libraryId") for seen in up.seen] == ["/fork/webkit/7", None, "/acme/webkit"]


@pytest.mark.spec("ENC-LIBDOCS-2")
async def test_a_long_question_is_cut_and_that_is_told(up, context7):
    reply = await context7.search(request("x" * 501))
    assert {seen.query["query"] for seen in up.seen} == {"x" * 500}
    assert reply.note.endswith("; context7 was asked with the first 500 characters")


@pytest.mark.spec("ENC-LIBDOCS-2")
@pytest.mark.parametrize(
    "act",
    [
        Act(404, json={"error": "no_libraries_found", "message": "Nothing."}),
        Act(json={"results": [], "searchFilterApplied": False}),
        Act(json=context7_libraries({"state": "processing"})),
    ],
)
async def test_no_library_is_an_empty_answer(up, context7, act):
    up.on(SEARCH, act)
    assert await context7.search(request("how to route")) == Reply()
    assert await context7.search(request(library="webkit")) == Reply(note="context7 knows no library called webkit")
    assert up.count(CONTEXT) == 0


@pytest.mark.spec("ENC-LIBDOCS-4")
@pytest.mark.parametrize("code", ["no_documentation_found", "no_snippets_found"])
async def test_nothing_found_is_an_empty_answer(up, context7, code):
    up.on(CONTEXT, Act(404, json={"error": code, "message": "Nothing."}))
    assert await context7.search(request(library="webkit")) == Reply()


@pytest.mark.spec("ENC-LIBDOCS-3")
@pytest.mark.parametrize("version", ["2.1.0", "v2.1.0"])
async def test_exactly_the_version_is_read(up, context7, version):
    reply = await context7.search(request(library="webkit", version=version))
    assert up.seen[1].query["libraryId"] == "/acme/webkit/v2.1.0"
    assert {hit.version for hit in reply.hits} == {version}
    assert reply.versions == ()


@pytest.mark.spec("ENC-LIBDOCS-3")
async def test_a_version_that_is_not_listed_gives_those_that_are(up, context7):
    reply = await context7.search(request(library="webkit", version="9"))
    there = ("v2.1.0", "v1.9.4")
    note = "context7 has no version 9 of Webkit (/acme/webkit); there is v2.1.0, v1.9.4"
    assert reply == Reply(note=note, versions=there)
    assert up.count(CONTEXT) == 0


@pytest.mark.spec("ENC-LIBDOCS-3")
@pytest.mark.parametrize(
    ("message", "versions"),
    [
        ('Tag "9.9" not found. Available tags: v2.1.0, v1.9.4', ("v2.1.0", "v1.9.4")),
        ("Tag v9.9 was not found for this library. Available: [v2.1.0], `v1.9.4`, v1.9.4.", ("v2.1.0", "v1.9.4")),
        ("There is no tag 9.9, use v2.1.0-rc1 or webkit@1.9.4", ("v2.1.0-rc1", "webkit@1.9.4")),
        ("\u202eNothing\x1b[31m", ()),
        (None, ()),
    ],
)
async def test_a_version_that_the_service_refuses_gives_those_of_its_sentence(up, context7, message, versions):
    up.on(SEARCH, Act(json=context7_libraries({"versions": []})))
    up.on(CONTEXT, no_tag(message))
    reply = await context7.search(request(library="webkit", version="9.9"))
    assert (reply.hits, reply.versions, reply.reduced) == ((), versions, "")
    assert reply.note.startswith("context7 has no version 9.9 of Webkit (/acme/webkit)")
    assert up.seen[1].query["libraryId"] == "/acme/webkit/9.9"


@pytest.mark.spec("ENC-LIBDOCS-3")
async def test_a_note_names_some_of_many_versions(up, context7):
    up.on(SEARCH, Act(json=context7_libraries({"versions": [f"v{at}" for at in range(30)]})))
    reply = await context7.search(request(library="webkit", version="99"))
    assert len(reply.versions) == 30
    assert reply.note.endswith("; there is v0, v1, v2, v3, v4, v5, v6, v7 …")


@pytest.mark.spec("ENC-LIBDOCS-3")
async def test_no_version_of_a_library_of_another_name_is_given(up, context7):
    reply = await context7.search(request(library="wk2", version="2.1.0"))
    assert reply == Reply(note="context7 knows no library called wk2")
    assert up.count(CONTEXT) == 0


@pytest.mark.spec("ENC-LIBDOCS-5")
async def test_a_library_that_has_moved_is_followed_once(up, context7):
    up.on(CONTEXT, moved("/new/webkit"), Act(json=WIRE))
    assert (await context7.search(request(library="webkit", version="2.1.0"))).hits
    assert [seen.query["libraryId"] for seen in up.seen[1:]] == ["/acme/webkit/v2.1.0", "/new/webkit/v2.1.0"]
    up.on(CONTEXT, moved("/new/webkit"))
    with pytest.raises(Refused, match="moved the library twice"):
        await context7.search(request(library="webkit"))
    assert up.count(CONTEXT) == 4


@pytest.mark.spec("ENC-LIBDOCS-5")
@pytest.mark.parametrize("act", [moved("https://evil.example.org/x"), moved(3), Act(301, json={"error": "library_redirected"})])
async def test_it_never_moves_to_another_host(up, context7, act):
    up.on(CONTEXT, act)
    with pytest.raises(Refused):
        await context7.search(request(library="webkit"))
    assert up.count(CONTEXT) == 1


@pytest.mark.spec("ENC-LIBDOCS-6")
async def test_a_library_that_is_being_prepared_is_asked_once_more(up, context7):
    up.on(CONTEXT, PREPARING, Act(json=WIRE))
    reply = await context7.search(request(library="webkit", timeout=1.0))
    assert reply.hits
    assert reply.reduced == ""


@pytest.mark.spec("ENC-LIBDOCS-6")
async def test_one_that_is_not_ready_then_reduces_the_answer(up, context7):
    up.on(CONTEXT, PREPARING)
    reply = await context7.search(request(library="webkit", timeout=1.0))
    assert reply == Reply(reduced="context7 is still preparing Webkit (/acme/webkit)")
    assert up.count(CONTEXT) == 2


@pytest.mark.spec("ENC-LIBDOCS-6")
async def test_it_is_not_asked_again_where_no_time_is_left_for_it(up, context7):
    up.on(CONTEXT, Act(202, json=PREPARING.json, headers={"Retry-After": "30"}))
    assert (await context7.search(request(library="webkit"))).reduced
    assert up.count(CONTEXT) == 1


@pytest.mark.spec("ENC-LIBDOCS-6")
async def test_the_time_is_that_of_all_calls_together(up, context7):
    up.on(SEARCH, Act(json=context7_libraries({}), delay=0.2))
    up.on(CONTEXT, Act(hang=True))
    with pytest.raises(TimeoutError, match=r"within 0\.[12]\d* s"):
        await context7.search(request(library="webkit", timeout=0.4))


@pytest.mark.spec("ENC-LIBDOCS-8")
@pytest.mark.parametrize("path", [SEARCH, CONTEXT])
@pytest.mark.parametrize(
    ("act", "kind"),
    [
        (Act(400, json={"error": "validation_error", "message": "orders"}), Refused),
        (Act(401, json={"error": "invalid_api_key", "message": "orders"}), AuthRefused),
        (Act(402, json={"error": "spending_limit_exceeded", "message": "orders"}), QuotaSpent),
        (Act(403, json={"error": "access_denied", "message": "orders"}), AuthRefused),
        (Act(404, json={"error": "library_not_found", "message": "orders"}), Refused),
        (Act(404, json={"error": "team_not_found", "message": "orders"}), Refused),
        (Act(404, body="<html>tag_not_found", content_type="text/html"), Refused),
        (Act(422, json={"error": "library_too_large", "message": "orders"}), Refused),
        (Act(500, json={"error": "internal_error", "message": "orders"}), Unavailable),
        (Act(503, json={"error": "search_failed", "message": "orders"}), Unavailable),
        (Act(json={"results": None}), Garbled),
        (Act(json=[]), Garbled),
    ],
)
async def test_each_error_has_its_trouble_at_either_call(up, context7, path, act, kind):
    up.on(path, act)
    if path == CONTEXT and act.json == []:
        assert await context7.search(request(library="webkit")) == Reply()
        return
    with pytest.raises(kind) as caught:
        await context7.search(request(library="webkit"))
    assert "orders" not in str(caught.value)


@pytest.mark.spec("ENC-LIBDOCS-8")
async def test_a_limit_tells_how_long_to_wait(up, context7):
    headers = {"Retry-After": "12", "RateLimit-Limit": "60", "RateLimit-Remaining": "0", "RateLimit-Reset": "1796000000"}
    up.on(SEARCH, Act(429, json={"error": "rate_limit_exceeded", "message": "Later."}, headers=headers))
    with pytest.raises(RateLimited) as caught:
        await context7.search(request(library="webkit"))
    assert caught.value.retry_after == 12


@pytest.mark.spec("ENC-LIBDOCS-7")
async def test_the_one_call_form_is_for_questions_without_library_and_version(up):
    up.on(ONE_CALL, Act(json=context7_body(("Title", "https://example.org/a", "Text"))))
    async with built(CARD, {"base_url": up.url + "/api", "v3": True}) as source:
        reply = await source.search(request("declare a route"))
        await source.search(request("declare a route", library="webkit"))
        await source.search(request("declare a route in webkit", version="2.1.0"))
    assert [hit.title for hit in reply.hits] == ["Title"]
    assert [seen.path for seen in up.seen] == [ONE_CALL, SEARCH, CONTEXT, SEARCH, CONTEXT]
    assert up.seen[0].query == {"query": "declare a route", "type": "json"}


@pytest.mark.spec("ENC-LIBDOCS-7")
async def test_the_one_call_form_can_be_empty_or_not_ready(up):
    async with built(CARD, {"base_url": up.url + "/api", "v3": True}) as source:
        up.on(ONE_CALL, Act(404, json={"error": "no_documentation_found", "message": "Nothing."}))
        assert await source.search(request()) == Reply()
        up.on(ONE_CALL, PREPARING)
        assert await source.search(request(timeout=0.5)) == Reply(reduced="context7 is still preparing its answer")


@pytest.mark.spec("ENC-LIBDOCS-1")
@pytest.mark.parametrize(
    "options",
    [
        {"libraries": ["/a/b"]},
        {"libraries": {"webkit": "webkit"}},
        {"libraries": {"webkit": 3}},
        {"v3": "yes"},
        {"base_url": "file:///x"},
    ],
)
async def test_a_wrong_setting_is_named(options):
    with pytest.raises(ConfigurationError, match=rf"\[sources.context7\] {next(iter(options))}"):
        async with built(CARD, options):
            pass


@pytest.mark.spec("ENC-LIBDOCS-1")
async def test_without_settings_the_service_itself_is_asked():
    async with built(CARD) as source:
        assert source._api._base == "https://context7.com/api"
