from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia import Encyclopedia, Hit, Locator
from encyclopedia.faces.web import answer, found, layout, places
from encyclopedia.faces.web.html import excerpt, followable, marked, text
from encyclopedia.model.errors import Unavailable
from encyclopedia_adapters.generic.fixed import Fixed
from tests.encyclopedia.faces.http.site import HITS, site

Make = Callable[..., Encyclopedia]
ODD = st.text(alphabet=st.sampled_from("<>\"'&;:/\\= \n`javscriptonldx0"), max_size=60) | st.text(max_size=20)
TAGS = {
    "html", "head", "meta", "title", "link", "script", "body", "a", "header", "nav", "ul", "li", "main", "form", "div", "label", "input",
    "datalist", "button", "details", "summary", "fieldset", "legend", "option", "select", "footer", "p", "span", "kbd", "ol", "article",
    "h1", "h2", "svg", "rect", "mark", "strong", "section", "pre", "sup", "br", "table", "caption", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip


class Reader(HTMLParser):
    """What a browser would make of a page: its elements with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def harmless(page: str) -> Reader:
    """The page read, all of whose elements are ours and run nothing."""
    read = Reader(page)
    for tag, attributes in read.elements:
        assert tag in TAGS, tag
        assert not [name for name in attributes if name.startswith("on") or name == "style"], attributes
        assert tag != "script" or attributes["src"] == "/static/app.js"
        for name in ("href", "action"):
            assert followable(attributes.get(name) or "/") or (attributes[name] or "").startswith("#"), attributes
    return read


def row(one: str, other: str) -> dict[str, Any]:
    share = {"source": one, "rank": 1, "weight": 0.5, "score": 0.1}
    return {
        "rank": 1, "title": one, "url": other, "content": one, "source": other, "score": 0.1, "fused_from": [share, share | {"weak": True}],
        "locator": {"corpus": one, "path": other, "section": one, "lines": [1, 2]}, "published": one, "version": other, "label": one,
    }  # fmt: skip


@pytest.mark.spec("ENC-WEB-7")
@given(ODD, ODD)
def test_no_text_becomes_more_than_text(one: str, other: str) -> None:
    outcome = {"source": one, "status": other, "results": 1, "ms": 3, "reason": one, "optional": False}
    lost = {"degraded": True, "degradation": {"missing": [outcome], "errors": [outcome | {"message": other}]}}
    body = {
        "results": [row(one, other)], "outcomes": [outcome], "query_type": one, "cached": False, "corrections": [f"{one} → {other}"],
        "evidence_gap": [one], "notes": [other], "verbose": {"query_analysis": {"expansions": [[one, other]]}}, **lost,
    }  # fmt: skip
    cited = {
        "n": 1,
        "source": one,
        "title": other,
        "path": one,
        "places": [{"section_id": other}, {"section_id": one}],
        "label": other,
    }
    said = {
        "answer": f"{one} [1] {other}", "confidence": one, "grounded": True, "citations": [cited], "divergence": [[1, 2]], "gaps": [one],
        "structural_insights": [other], **lost,
    }  # fmt: skip
    form = layout.Form(one, other, (one,), other, 7, True, (one, other), (other,))
    part = Hit(one, other, one, locator=Locator(one, other, one, (1, 2)))
    pieces = [
        layout.form(form, "/search"), layout.form(form, "/ask"), found.standing(body, 0.1), found.sources([outcome], [one]),
        found.results([row(one, other), row(other, one)], one, body["corrections"]), answer.answer(said), layout.trouble(one, other),
        places.passage(one, other, [part, part], 1),
    ]  # fmt: skip
    for piece in pieces:
        harmless(layout.page("search", one, piece))


@pytest.mark.spec("ENC-WEB-7")
@given(ODD, st.lists(ODD, max_size=3))
def test_marking_words_changes_no_letter(value: str, words: list[str]) -> None:
    assert (
        "".join(Reader(f"<p>{marked(value, words)}</p>").words).split()
        == "".join(Reader(f"<p>{text(value)}</p>").words).split()
    )
    assert excerpt(value, words).strip("… ") in " ".join(value.split())


@pytest.mark.spec("ENC-WEB-7")
@pytest.mark.parametrize(
    ("address", "yes"),
    [("https://a.org/x", True), ("http://a.org", True), ("/passage?x", True), ("//evil.org", False), ("/\\evil.org", False),
     ("javascript:alert(1)", False), ("JAVASCRIPT:x", False), ("data:text/html,x", False), ("https://", False), ("ftp://a.org", False),
     ("http://[", False), ("", False)],
)  # fmt: skip
def test_only_the_web_and_our_own_pages_are_links(address: str, yes: bool) -> None:
    assert followable(address) is yes


@pytest.mark.spec("ENC-WEB-6")
async def test_the_first_page_and_the_page_of_a_search_are_whole_without_a_script(make: Make) -> None:
    ill = Fixed("ill", raises=Unavailable("gone <b>away</b>"))
    async with site(make(Fixed("one", HITS), ill)) as client:
        first = harmless(await (await client.get("/")).text())
        page = harmless(await (await client.get("/search?q=signing+keys")).text())
        nothing = await client.get("/search?q=keys&sources=x&type=odd")
        assert (await client.get("/search")).status == 200
        told = harmless(await nothing.text())
    assert ("form", "/search") in [(tag, attributes.get("action")) for tag, attributes in first.elements]
    assert "Signing keys" in page.words
    assert any("gone <b>away</b>" in word for word in page.words)
    classes = [attributes.get("class") for tag, attributes in page.elements if tag == "li"]
    assert {"ok", "unavailable", "result"} <= set(classes)
    assert nothing.status == 400
    assert any("unknown query type" in word for word in told.words)


@pytest.mark.spec("ENC-WEB-10")
async def test_the_files_of_the_page_are_served_with_their_types(make: Make) -> None:
    async with site(make(Fixed("one", HITS))) as client:
        for name, kind in (("style.css", "text/css"), ("app.js", "text/javascript"), ("icon.svg", "image/svg+xml")):
            response = await client.get(f"/static/{name}")
            assert (response.status, response.content_type) == (200, kind)
        script = await (await client.get("/static/app.js")).text()
    assert not [word for word in ("eval(", "document.write", "new Function", "http://", "https://") if word in script]
