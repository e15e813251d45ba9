"""The web page in a real browser: search as it lands, scope, reasons, answers, keys, no script, hostile titles, pictures."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import ENTER, ESCAPE, SPACE, TAB, Browser, browser
from tests.encyclopedia.faces.cli.command import Command
from tests.serving import serving
from tests.upstream import UpstreamProcess

FIXTURES = Path(__file__).parents[1] / "fixtures"
DOCS = os.environ.get("ENCYCLOPEDIA_SCREENSHOTS", "")
"""Where pictures for the documents are kept, if they are wanted."""
SOURCE = """
[sources.{name}]
kind = "json"
serves = {{ library_docs = 0.3 }}
url = "{url}/{name}?q={{query}}"
results = "hits[]"
fields = {{ title = "title", url = "url", content = "content" }}
timeout = 20.0
"""
GOOD = [
    {
        "title": "Observer in practice",
        "url": "https://wiki.example.org/observer",
        "content": "How we use the observer pattern.",
    },
    {
        "title": "Events and observers",
        "url": "https://wiki.example.org/events",
        "content": "An observer is told of each event.",
    },
]
EVIL = [
    {"title": "<img src=x onerror='window.pwned=1'>Observer pattern", "url": "javascript:window.pwned=2", "content": "<script>window.pwned=3</script> observer"},
    {"title": '"><svg onload=window.pwned=4> observer pattern', "url": 'https://evil.example.org/"onmouseover="window.pwned=5', "content": "'><a href=javascript:window.pwned=6>observer</a>"},
]  # fmt: skip


@pytest.fixture(scope="module")
def upstream() -> Iterator[UpstreamProcess]:
    with UpstreamProcess() as running:
        yield running


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory, upstream: UpstreamProcess) -> Iterator[Browser]:
    """A browser on a service with two corpora and two sources that answer over HTTP."""
    command = Command(tmp_path_factory.mktemp("page"))
    command.json("corpus", "add", "books", str(FIXTURES / "books-patterns"), "--kind", "graph")
    command.json("corpus", "add", "decisions", str(FIXTURES / "adr-govuk"), "--tag", "adr")
    command.settings("".join(SOURCE.format(name=name, url=upstream.url) for name in ("wiki", "forum")))
    upstream.on("/wiki", json={"hits": GOOD})
    upstream.on("/forum", json={"hits": []})
    with serving(command) as served, browser(served.url) as window:
        window.open("/")
        yield window


@pytest.fixture(autouse=True)
def calm(page: Browser, upstream: UpstreamProcess) -> Iterator[None]:
    """Before each test the sources are well; after it the console is empty."""
    upstream.on("/wiki", json={"hits": GOOD})
    upstream.on("/forum", json={"hits": []})
    page.scripts(on=True)
    page.size(1100, 760)
    page.scheme("light")
    page.complaints()
    yield
    assert page.complaints() == []


def picture(page: Browser, name: str, folder: Path) -> None:
    path = Path(DOCS or folder) / f"{name}.png"
    assert page.driver.save_screenshot(str(path))
    assert path.stat().st_size > 10_000


def titles(page: Browser) -> list[str]:
    return [one.text for one in page.all(".result h2")]


@pytest.mark.spec("ENC-WEB-1")
def test_results_are_there_while_a_source_is_still_being_asked(
    page: Browser, upstream: UpstreamProcess, tmp_path: Path
) -> None:
    upstream.on("/forum", hang=True)
    page.open("/")
    page.press("observer pattern", ENTER)
    page.until(lambda: page.all(".result") and page.all(".sources .waiting") and len(page.all(".sources .ok")) >= 2)
    assert page.one(".sources .waiting .name").text == "forum"
    assert page.driver.current_url.endswith("/search?q=observer+pattern&limit=10")
    picture(page, "web-landing", tmp_path)
    upstream.on("/forum", json={"hits": []})
    page.open("/search?q=observer+in+practice&limit=5")
    assert "Observer in practice" in titles(page)


@pytest.mark.spec("ENC-WEB-1", "ENC-WEB-2")
def test_at_the_end_the_page_says_what_became_of_each_source(page: Browser, upstream: UpstreamProcess, tmp_path: Path) -> None:
    upstream.on("/forum", status=500)
    page.open("/")
    page.press("kuberntes observer", ENTER)
    page.until(lambda: "results from" in page.one("#status").text)
    chips = {one.text.split("\n")[0].split(" ")[0]: one.get_attribute("class") for one in page.all(".sources li")}
    assert chips["forum"] == "unavailable"
    assert {"books", "decisions", "wiki"} <= set(chips)
    assert "kubernetes" in page.one(".remarks").text
    assert "forum" in page.one(".lost").text
    page.one(".result:nth-child(1) .why summary").click()
    picture(page, "web-search", tmp_path)


@pytest.mark.spec("ENC-WEB-2")
def test_why_a_result_stands_where_it_stands(page: Browser) -> None:
    page.open("/search?q=observer+pattern&limit=10")
    page.press("j")
    assert page.run("return document.activeElement.matches('.result:nth-child(1)')")
    page.press("w")
    told = page.one(".result:nth-child(1) .shares").text
    assert "its 1st result" in told
    assert "weight" in told
    page.press("w")
    assert not page.run("return document.querySelector('.result .why').open")


@pytest.mark.spec("ENC-WEB-3")
def test_scopes_narrow_the_search(page: Browser) -> None:
    page.open("/")
    page.one(".scope summary").click()
    page.one("input[name=corpora][value=decisions]").click()
    page.one("#q").send_keys("graviton", ENTER)
    page.until(lambda: "results from" in page.one("#status").text or "result from" in page.one("#status").text)
    assert [one.text for one in page.all(".sources .name")] == ["decisions"]
    assert "corpora=decisions" in page.driver.current_url
    page.open("/search?q=graviton&tags=nothing")
    assert "no document has the tag" in page.one(".trouble").text
    page.complaints()  # of the status 400


@pytest.mark.spec("ENC-WEB-4")
def test_an_answer_leads_to_its_passages(page: Browser, tmp_path: Path) -> None:
    page.open("/ask")
    page.press("Why did we choose Graviton?", ENTER)
    assert "Graviton" in page.one(".answer").text
    picture(page, "web-ask", tmp_path)
    assert page.faults() == []
    page.one(".answer .cite").click()
    here = page.one("#here")
    assert "Graviton" in here.text
    assert page.one("h1").text == "0011-use-graviton-for-compute-instances.md"
    assert page.faults() == []
    page.open("/ask?q=zzzqqq+what")
    assert "do not answer" in page.one(".refusal").text


@pytest.mark.spec("ENC-WEB-5")
def test_everything_can_be_done_with_the_keyboard(page: Browser) -> None:
    page.open("/health")
    page.open("/search?q=strategy&limit=5")
    page.press(TAB)
    assert page.run("return document.activeElement.className") == "skip"
    page.press("/")
    assert page.run("return document.activeElement.id") == "q"
    page.press("observer pattern", ENTER)  # what stood there was selected
    page.until(lambda: "observer" in page.driver.title and "from" in page.one("#status").text)
    page.press(ESCAPE, "j", "j", "k")
    assert page.run("return document.activeElement.matches('.result:nth-child(1)')")
    where = page.run("return document.querySelector('.result h2 a').href")
    page.press("o")
    page.until(lambda: page.driver.current_url == where)
    page.driver.back()
    page.press(TAB, TAB)
    summary = page.one(".scope summary")
    page.run("arguments[0].focus()", summary)
    page.press(SPACE)
    assert page.run("return document.querySelector('.scope').open")


@pytest.mark.spec("ENC-WEB-6")
def test_without_a_script_the_page_works_as_well(page: Browser) -> None:
    page.scripts(on=False)
    page.open("/")
    page.one("#q").send_keys("observer pattern", ENTER)
    page.until(lambda: page.all(".result"))
    assert "results from" in page.one("#status").text or "from the cache" in page.one("#status").text
    page.one(".result .why summary").click()
    assert "its 1st result" in page.one(".result .shares").text
    page.open("/ask?q=Why+did+we+choose+Graviton%3F")
    assert "Graviton" in page.one(".answer").text


@pytest.mark.spec("ENC-WEB-7")
@pytest.mark.parametrize("streamed", [True, False])
def test_hostile_titles_are_text(page: Browser, upstream: UpstreamProcess, streamed: bool) -> None:
    upstream.on("/wiki", json={"hits": EVIL})
    query = f"hostile observer pattern {streamed}"
    if streamed:
        page.open("/")
        page.press(query, ENTER)
        page.until(lambda: "results from" in page.one("#status").text)
    else:
        page.open(f"/search?q={query.replace(' ', '+')}&limit=20")
    page.until(lambda: any("wiki" in one.text for one in page.all(".result .by")))
    assert page.run("return window.pwned") is None
    assert page.all("main img, main script, main svg[onload], [onerror], [onmouseover]") == []
    assert all(one.get_attribute("href").startswith("http") for one in page.all("main a[href]"))


@pytest.mark.spec("ENC-WEB-8")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_and_small_screens_do_not_scroll_sideways(page: Browser, scheme: str, tmp_path: Path) -> None:
    page.scheme(scheme)
    for path in (
        "/",
        "/search?q=kuberntes+observer+pattern&limit=10",
        "/search?q=zzzqqq",
        "/ask",
        "/health",
    ):
        page.open(path)
        for details in page.all("details"):
            page.run("arguments[0].open = true", details)
        assert page.faults() == [], path
        page.size(360, 700)
        assert page.run("return document.documentElement.scrollWidth <= window.innerWidth"), path
        page.size(1100, 760)
    page.open("/search?q=observer+pattern&limit=10")
    if scheme == "dark":
        picture(page, "web-dark", tmp_path)
        page.size(390, 760)
        picture(page, "web-small", tmp_path)


@pytest.mark.spec("ENC-WEB-9")
def test_the_health_page_tells_how_each_source_stands(page: Browser, upstream: UpstreamProcess) -> None:
    upstream.on("/forum", status=500)
    page.open("/search?q=somebody+is+ill")
    page.open("/health")
    rows = {one.text.split("\n")[0]: one for one in page.all("tbody th")}
    assert {"books", "decisions", "wiki", "forum"} <= set(rows)
    ill = [one.text for one in page.all("tr.ill")]
    assert len(ill) == 1
    assert "forum" in ill[0]


@pytest.mark.spec("ENC-WEB-9")
def test_the_search_box_suggests_what_was_asked_before(page: Browser) -> None:
    page.open("/search?q=facade+pattern&limit=5")
    page.open("/")
    page.press("faca")
    page.until(lambda: "facade pattern" in page.run("return [...document.querySelectorAll('#said option')].map(o => o.value)"))
