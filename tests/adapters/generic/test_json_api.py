import json

import pytest

from encyclopedia.model.errors import ConfigurationError, Garbled, Unavailable
from encyclopedia.model.outcome import Hit
from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Key, Package
from encyclopedia_adapters.generic.json_api import card
from tests.adapters.contract.stand_ins import SECRETS, built, described, request
from tests.upstream import Act, Upstream

PATH = "/api/search"


@pytest.fixture
async def up():
    async with Upstream() as up:
        yield up


async def ask(up, said, *, asked=None, secrets=SECRETS, **more):
    up.on(PATH, said if isinstance(said, Act) else Act(json=said))
    async with built(described(up, **more), secrets=secrets) as source:
        return await source.search(asked or request())


@pytest.mark.spec("ENC-JSON-3")
async def test_the_card_says_what_the_table_says(up):
    made = described(up, timeout=2, form="raw", alternatives=True, description="our wiki")
    assert (made.name, made.timeout, made.form, made.alternatives) == ("intranet", 2.0, Form.RAW, True)
    assert made.serves == {QueryType.GENERAL_SEARCH: 0.3}
    assert made.description == "our wiki"
    assert set(made.requires) == {Package("aiohttp"), Package("jmespath"), Key("WIKI_TOKEN")}


@pytest.mark.spec("ENC-JSON-3")
async def test_headers_are_filled_raw_and_the_url_encoded(up):
    await ask(up, {"found": []}, url=up.url + PATH + "?q={query}&k=${WIKI_TOKEN}", secrets={"WIKI_TOKEN": "a&b=/c"})
    seen = up.seen[0]
    assert seen.headers["authorization"] == "Bearer a&b=/c"
    assert seen.query == {"q": "async routing", "k": "a&b=/c"}


@pytest.mark.spec("ENC-JSON-3")
async def test_all_placeholders_are_filled(up):
    url = up.url + PATH + "?q={query}&n={limit}&l={library}&v={version}&r={repository}"
    asked = request("a/b", limit=3, library="aiohttp", version="3.9", repository="owner/name")
    await ask(up, {"found": []}, asked=asked, url=url)
    assert up.seen[0].query == {"q": "a/b", "n": "3", "l": "aiohttp", "v": "3.9", "r": "owner/name"}
    assert "r=owner%2Fname" in up.seen[0].raw_path


@pytest.mark.spec("ENC-JSON-3")
async def test_a_query_in_the_path_stays_one_step_of_it(up):
    up.on("*", Act(json={"found": []}))
    async with built(described(up, url=up.url + "/find/{query}/end"), secrets=SECRETS) as source:
        for text in ("a/../b", "..", "?x#y"):
            await source.search(request(text))
    assert [seen.raw_path for seen in up.seen] == ["/find/a%2F..%2Fb/end", "/find/%2E%2E/end", "/find/%3Fx%23y/end"]


@pytest.mark.spec("ENC-JSON-3")
async def test_a_body_makes_it_a_post(up):
    body = {"query": "{query}", "size": "{limit}", "deep": [{"key": "${WIKI_TOKEN}"}, 7, True]}
    await ask(up, {"found": []}, asked=request('say "x"', limit=4), url=up.url + PATH, body=body)
    assert up.seen[0].method == "POST"
    assert json.loads(up.seen[0].body) == {"query": 'say "x"', "size": 4, "deep": [{"key": "s3cr3t-t0ken"}, 7, True]}


@pytest.mark.spec("ENC-JSON-4")
async def test_values_of_all_kinds_become_text(up):
    fields = {"title": "t", "url": "u", "content": "c", "published": "p", "version": "v", "id": "i"}
    body = {
        "found": [
            {"t": "One", "u": "https://example.org/1", "c": ["first", "second"], "p": 1767225600, "v": 2.5, "i": 17},
            {"t": ["Two", "parts"], "u": None, "c": None, "p": "never", "v": {}, "i": "x"},
            {"t": None, "c": 3},
            {"t": "", "c": None, "u": "https://example.org/4"},
            "no object",
            {},
        ]
    }
    reply = await ask(up, body, fields=fields)
    assert reply.hits == (
        Hit("One", "https://example.org/1", "first\nsecond", published="2026-01-01T00:00:00+00:00", version="2.5", id="17"),
        Hit("Two parts", "", "", id="x", page="intranet:x"),
        Hit("3", "", "3"),
    )


@pytest.mark.spec("ENC-JSON-4")
@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("/page?x=1", "{up}/page?x=1"),
        ("page", "{up}/api/page"),
        ("//example.org/x", "http://example.org/x"),
        ("javascript:alert(1)", ""),
        ("http://[", ""),
        ("https://example.org/ü", "https://example.org/ü"),
        (7, "{up}/api/7"),
    ],
)
async def test_addresses_are_taken_relative_to_the_api(up, url, shown):
    (hit,) = (await ask(up, {"found": [{"name": "n", "links": {"html": url}}]})).hits
    assert hit.url == shown.format(up=up.url)


@pytest.mark.spec("ENC-JSON-4")
async def test_markup_is_recognised_or_as_the_table_says(up):
    body = {"found": [{"name": "vector<int>", "text": "see <em>this</em> &amp; that"}]}
    said = [(await ask(up, body, **more)).hits[0].content for more in ({}, {"html": True}, {"html": False})]
    assert said == ["see this & that", "see this & that", "see <em>this</em> &amp; that"]
    assert (await ask(up, body)).hits[0].title == "vector<int>"


@pytest.mark.spec("ENC-JSON-4")
@pytest.mark.parametrize(
    ("results", "body"),
    [
        ("@", [{"name": "n"}]),
        ("a.b[].c[]", {"a": {"b": [{"c": [{"name": "n"}]}]}}),
        ("[?name]", [{"name": "n"}, {"name": ""}]),
        ("hits || `[]`", {"hits": [{"name": "n"}]}),
        ("values(@)", {"x": {"name": "n"}}),
    ],
)
async def test_any_jmespath_finds_the_list(up, results, body):
    assert [hit.title for hit in (await ask(up, body, results=results)).hits] == ["n"]


@pytest.mark.spec("ENC-JSON-5")
@pytest.mark.parametrize(
    ("results", "body"),
    [
        ("found[]", {}),
        ("found", {"found": {}}),
        ("found", {"found": "text"}),
        ("found", {"found": ["a", "b"]}),
        ("found", []),
        ("length(found)", {}),
        ("@", "text"),
        ("@", None),
    ],
)
async def test_results_of_another_shape_are_garbled_and_name_the_path(up, results, body):
    with pytest.raises(Garbled, match=r"^intranet: .* results = "):
        await ask(up, body if body is not None else Act(body="null"), results=results)


@pytest.mark.spec("ENC-JSON-5")
async def test_a_field_that_does_not_fit_is_garbled_and_named(up):
    with pytest.raises(Garbled, match=r"fit title = join"):
        await ask(up, {"found": [{"name": 3}]}, fields={"title": "join(',', name)"})


@pytest.mark.spec("ENC-JSON-5")
async def test_an_absent_list_can_be_said_to_be_empty(up):
    assert (await ask(up, {}, results="found || `[]`")).hits == ()


@pytest.mark.spec("ENC-JSON-5")
async def test_only_so_many_elements_are_looked_at(up):
    empty = [{}] * 10_000
    assert (await ask(up, {"found": [*empty, {"name": "too late"}]})).hits == ()
    assert len((await ask(up, {"found": [*empty[1:], {"name": "in time"}]})).hits) == 1


@pytest.mark.spec("ENC-JSON-6")
async def test_the_expanded_wording_gives_a_second_list_if_the_table_says_so(up):
    up.on(PATH, Act(json={"found": [{"name": "n"}]}))
    asked = request("k8s", expanded="k8s kubernetes")
    reply = await ask(up, {"found": [{"name": "n"}]}, asked=asked, alternatives=True)
    assert (len(reply.hits), len(reply.alternatives)) == (1, 1)
    assert sorted(seen.query["q"] for seen in up.seen) == ["k8s", "k8s kubernetes"]
    up.seen.clear()
    assert (await ask(up, {"found": []}, asked=asked)).alternatives == ()
    assert (await ask(up, {"found": []}, alternatives=True)).alternatives == ()
    assert [seen.query["q"] for seen in up.seen] == ["k8s", "async routing"]


@pytest.mark.spec("ENC-JSON-6")
async def test_a_failing_second_list_costs_a_note_and_a_failing_first_the_answer(up):
    up.on("/one", Act(500))
    up.on("/two", Act(json={"found": [{"name": "n"}]}))
    table = {"url": up.url + "/{query}", "alternatives": True}
    async with built(described(up, **table), secrets=SECRETS) as source:
        reply = await source.search(request("two", expanded="one"))
        assert (len(reply.hits), reply.alternatives, reply.note) == (1, (), "the expanded wording was not answered")
        with pytest.raises(Unavailable):
            await source.search(request("one", expanded="two"))


@pytest.mark.spec("ENC-JSON-3")
async def test_an_address_that_the_environment_spoils_is_a_setting_to_mend():
    table = {"serves": {"general_search": 1}, "url": "https://${HOST}/{query}", "fields": {"title": "t"}}
    with pytest.raises(ConfigurationError, match=r"\[sources.intranet\] url"):
        async with built(card("intranet", table), secrets={"HOST": "not a host"}):
            pass


@pytest.mark.spec("ENC-JSON-7")
@pytest.mark.parametrize(
    ("fields", "rows", "note"),
    [
        ({"title": "nam", "content": "c"}, [{"name": "x", "c": "y"}], "fields.title = 'nam' finds nothing in the results"),
        (
            {"title": "nam", "url": "links.htm"},
            [{"name": "x", "links": {"html": "/a"}}, {"name": "y", "links": {}}],
            "fields.title = 'nam' and fields.url = 'links.htm' find nothing in the results",
        ),
        ({"title": "name", "published": "updated"}, [{"name": "x"}], ""),
        ({"title": "name", "url": "u"}, [{"name": "x", "u": "/a"}, {"name": ""}], ""),
        ({"title": "nam"}, [], ""),
    ],
)
async def test_a_field_that_finds_nothing_anywhere_is_noted(up, fields, rows, note):
    assert (await ask(up, {"found": rows}, fields=fields)).note == note
