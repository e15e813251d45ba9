from __future__ import annotations

import csv
import io
from collections.abc import Callable
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia import Encyclopedia, Hit, Locator
from encyclopedia.faces.http.searx import Asked
from encyclopedia.faces.http.searx_body import LEAST, as_csv, as_json, as_rss
from encyclopedia.model.errors import RateLimited, Unavailable
from encyclopedia_adapters.generic.fixed import Fixed
from tests.encyclopedia.faces.http.site import HITS, site, told

Make = Callable[..., Encyclopedia]
ARRAYS = ("results", "answers", "corrections", "infoboxes", "suggestions", "unresponsive_engines")
RESULT = {"url", "title", "content", "engine", "engines", "positions", "score", "category", "template", "parsed_url", "img_src",
          "thumbnail", "priority", "publishedDate"}  # fmt: skip


async def search(client: Any, **params: str) -> dict[str, Any]:
    body: dict[str, Any] = await told(await client.get("/search", params={"q": "signing keys", "format": "json"} | params))
    return body


@pytest.mark.spec("ENC-SEARX-1")
async def test_every_way_of_asking_gives_the_same(make: Make) -> None:
    given = {"q": "signing keys", "format": "json"}
    plain = {"Content-Type": "application/json"}
    async with site(make(Fixed("one", HITS))) as client:
        first = await search(client)
        ways = [
            await client.get("/", params=given),
            await client.post("/search", data=given),
            await client.post("/", data=given),
            await client.post("/search", json=given),
            await client.post("/search", params=given, headers=plain),
            await client.post("/search", params=given),
            await client.post(
                "/search", data=b'{"q": "signing keys", "format": "json"}', headers={"Content-Type": "text/plain"}
            ),
            await client.get("/search", params=given, headers={"Accept": "text/html"}),
        ]
        assert [await told(way) for way in ways] == [first] * len(ways)
    assert [row["title"] for row in first["results"]] == ["Signing keys", "Lost keys"]


@pytest.mark.spec("ENC-SEARX-2")
async def test_the_json_has_every_field_that_clients_read(make: Make) -> None:
    local = Hit("A note", content="signing keys", locator=Locator("notes", "a b.md", "Keys", (3, 9)))
    async with site(make(Fixed("one", [*HITS, local]))) as client:
        body = await search(client)
        base = str(client.make_url("/")).rstrip("/")
    assert all(isinstance(body[name], list) for name in ARRAYS)
    assert body["number_of_results"] == len(body["results"]) == 3
    for row in body["results"]:
        assert set(row) == RESULT
        assert all(row[name] is not None for name in RESULT - {"publishedDate"})
        assert (row["category"], row["engine"], row["engines"], len(row["parsed_url"])) == ("general", "one", ["one"], 6)
    dates = {row["title"]: row["publishedDate"] for row in body["results"]}
    assert dates == {"Signing keys": "2026-01-02", "Lost keys": None, "A note": None}
    (note,) = (row for row in body["results"] if row["title"] == "A note")
    assert note["url"] == f"{base}/passage?corpus=notes&path=a+b.md&section=Keys&lines=3-9"


@pytest.mark.spec("ENC-SEARX-3")
@given(st.lists(st.floats(0.0, 1.0), max_size=30))
def test_scores_are_within_one_and_fall_along_the_list(scores: list[float]) -> None:
    rows = [
        {
            "title": "t",
            "url": "https://x.org",
            "content": "",
            "source": "s",
            "score": score,
            "fused_from": [],
            "published": None,
        }
        for score in sorted(scores, reverse=True)
    ]
    report = {"query": "q", "results": rows, "corrections": [], "outcomes": [], "degraded": False,
              "degradation": {"missing": [], "errors": []}}  # fmt: skip
    made = [row["score"] for row in as_json(report, Asked("q", "json", size=30), "http://x")["results"]]
    assert all(0 < score <= 1 for score in made)
    assert all(before > after for before, after in pairwise(made))
    assert not made or made[0] == pytest.approx(1 if max(scores) else LEAST, rel=1e-3)


@pytest.mark.spec("ENC-SEARX-4")
async def test_unknown_names_and_empty_strings_are_left_alone(make: Make) -> None:
    one = Fixed("one", HITS)
    async with site(make(one, Fixed("two", HITS[:1]))) as client:
        for odd in (
            {"engines": "google,bing,duckduckgo"}, {"engines": ""}, {"categories": "images,map,social media"}, {"categories": ""},
            {"time_range": ""}, {"theme": "simple", "image_proxy": "0", "nonsense": "1"}, {"language": "all"}, {"language": "de-CH"},
            {"language": "auto"}, {"safesearch": "2"}, {"categories": "general,images,news"}, {"category_general": "on"},
        ):  # fmt: skip
            body = await search(client, **odd)
            assert [row["title"] for row in body["results"]] == ["Signing keys", "Lost keys"], odd
            assert {row["category"] for row in body["results"]} == {"general"}
        only = await search(client, engines="two,google")
        assert [row["engine"] for row in only["results"]] == ["two"]
        named = await search(client, categories="it")
        assert {row["category"] for row in named["results"]} == {"it"}


@pytest.mark.spec("ENC-SEARX-5")
@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"q": ""}, "No query"),
        ({"q": "  "}, "No query"),
        ({"language": "english"}, "Invalid value english for parameter language"),
        ({"safesearch": "9"}, "Invalid value 9 for parameter safesearch"),
        ({"time_range": "hour"}, "Invalid value hour for parameter time_range"),
        ({"pageno": "two"}, "Invalid value two for parameter pageno"),
    ],
)
async def test_what_searxng_refuses_is_refused_in_its_words(make: Make, params: dict[str, str], said: str) -> None:
    async with site(make(Fixed("one", HITS))) as client:
        response = await client.get("/search", params={"q": "keys", "format": "json"} | params)
        assert await told(response, 400) == {"error": said}


@pytest.mark.spec("ENC-SEARX-6")
async def test_engines_that_do_not_answer_are_named_and_the_status_stays_200(make: Make) -> None:
    ill = Fixed("ill", raises=Unavailable("gone"))
    shy = Fixed("shy", raises=RateLimited("wait", 5.0))
    async with site(make(Fixed("one", HITS), ill, shy, Fixed("void", []))) as client:
        body = await search(client)
        assert body["unresponsive_engines"] == [["ill", "network error"], ["shy", "too many requests"], ["void", "no results"]]
        assert body["degraded"]["is_degraded"]
        assert [row["source"] for row in body["degraded"]["errors"]] == ["ill", "shy"]
        again = await search(client, q="other signing keys")
        assert ["shy", "Suspended: too many requests"] in again["unresponsive_engines"]
    async with site(make(Fixed("ill2", raises=Unavailable("gone")))) as client:
        body = await search(client, q="nobody is there")
        assert (body["results"], body["unresponsive_engines"]) == ([], [["ill2", "network error"]])
        assert "no source could answer" in body["degraded"]["message"]


@pytest.mark.spec("ENC-SEARX-7")
async def test_pages_follow_one_another_and_an_empty_one_ends_them(make: Make) -> None:
    hits = [Hit(f"Page {n}", f"https://example.org/{n}", f"signing keys number {n}") for n in range(45)]
    async with site(make(Fixed("one", hits))) as client:
        pages = [await search(client, pageno=str(n)) for n in (1, 2, 3, 4, 99)]
        few = await search(client, limit="3", pageno="2")
        asked_in_js = await search(client, numResults="3", pageNumber="2")
    titles = [row["title"] for page in pages for row in page["results"]]
    assert [len(page["results"]) for page in pages] == [20, 20, 5, 0, 0]
    assert len(set(titles)) == 45
    assert [row["title"] for row in few["results"]] == titles[3:6] == [row["title"] for row in asked_in_js["results"]]


@pytest.mark.spec("ENC-SEARX-7")
async def test_a_time_range_leaves_out_what_is_known_to_be_older(make: Make) -> None:
    hits = [
        Hit("Old signing keys", "https://example.org/a", "keys", published="2001-01-01"),
        Hit("Undated keys", "https://example.org/b", "keys"),
    ]
    async with site(make(Fixed("one", hits))) as client:
        body = await search(client, time_range="year")
    assert [row["title"] for row in body["results"]] == ["Undated keys"]


@pytest.mark.spec("ENC-SEARX-8")
async def test_csv_and_rss_hold_the_same_results(make: Make) -> None:
    async with site(make(Fixed("one", HITS))) as client:
        table = await client.get("/search", params={"q": "signing keys", "format": "csv"})
        assert table.content_type == "text/csv"
        rows = list(csv.reader(io.StringIO(await table.text())))
        feed = await client.get("/search", params={"q": "signing keys", "format": "rss"})
        items = ET.fromstring(await feed.read()).findall("channel/item")  # noqa: S314 - of our own making
    assert rows[0] == ["title", "url", "content", "host", "engine", "score", "type"]
    assert rows[1][:5] == ["Signing keys", "https://example.org/keys", HITS[0].content, "example.org", "one"]
    assert [item.findtext("link") for item in items] == ["https://example.org/keys", "https://example.org/lost"]


@pytest.mark.spec("ENC-SEARX-8")
@given(st.text(max_size=40))
def test_any_text_makes_a_feed_that_can_be_read(text: str) -> None:
    row = {
        "title": text,
        "url": "",
        "content": text,
        "source": "s",
        "score": 0.1,
        "fused_from": [],
        "published": None,
        "locator": None,
    }
    report = {"query": text, "results": [row], "corrections": [], "outcomes": [], "degraded": False}
    assert ET.fromstring(as_rss(report, Asked(text, "rss"), "http://x").decode("utf-8", "replace")) is not None  # noqa: S314 - of our own making
    assert len(list(csv.reader(io.StringIO(as_csv(report, Asked(text, "csv"), "http://x"))))) == 2


@pytest.mark.spec("ENC-SEARX-9")
async def test_what_clients_ask_about_an_instance(make: Make) -> None:
    async with site(make(Fixed("one", HITS), Fixed("ill", raises=Unavailable("gone")))) as client:
        config = await told(await client.get("/config"))
        await search(client)
        errors = await told(await client.get("/stats/errors"))
        described = ET.fromstring(await (await client.get("/opensearch.xml")).read())  # noqa: S314 - of our own making
        base = str(client.make_url("/")).rstrip("/")
        assert await (await client.get("/healthz")).text() == "OK"
    assert [engine["name"] for engine in config["engines"]] == ["ill", "one"]
    assert "general" in config["categories"]
    assert {"general", "it"} <= set(config["engines"][0]["categories"])
    assert [(name, rows[0]["log_message"], rows[0]["percentage"]) for name, rows in errors.items()] == [("ill", "gone", 100)]
    space = "{http://a9.com/-/spec/opensearch/1.1/}"
    templates = {url.get("rel"): url.get("template") for url in described.findall(f"{space}Url")}
    assert templates["results"] == f"{base}/search?q={{searchTerms}}"
    assert templates["suggestions"] == f"{base}/autocompleter?q={{searchTerms}}"


@pytest.mark.spec("ENC-SEARX-10")
async def test_suggestions_come_from_what_is_here_and_are_sent_to_nobody(make: Make) -> None:
    source = Fixed("one", HITS)
    async with site(make(source)) as client:
        await search(client)
        asked = len(source.requests)
        browser = await client.get("/autocompleter?q=sign")
        assert browser.content_type == "application/x-suggestions+json"
        text, found, *_, relevance = await browser.json(content_type=None)
        listed = await told(await client.get("/autocompleter?q=sign", headers={"X-Requested-With": "XMLHttpRequest"}))
        words = await told(await client.get("/autocompleter?q=how+kuber", headers={"X-Requested-With": "XMLHttpRequest"}))
        nothing = await told(await client.get("/autocompleter?q=", headers={"X-Requested-With": "XMLHttpRequest"}))
    assert (text, found, nothing) == ("sign", listed, [])
    assert listed[:1] == ["signing keys"]
    assert len(relevance["google:suggestrelevance"]) == len(found)
    assert "how kubernetes" in words
    assert len(source.requests) == asked
