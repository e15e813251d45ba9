"""Pages of documentation become sections of text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia_adapters.local import html_page

CASES = (Path(__file__).parents[2] / "fixtures" / "reference" / "sections.txt").read_text().split("\n>>> ")[1:]
SCRAPS = ("<h1>", "</h1>", "<h2 id=a>", "<dl>", "</dl>", "<dt id=a>", "<dd>", "<main>", "</main>", "<div role=main>", "</div>")
MORE = (
    "<nav>",
    "</nav>",
    "<title>",
    "</title>",
    "<script>",
    "<pre>",
    "<a name=a>",
    "<a class=headerlink>",
    "</a>",
    "&lt;",
    "<",
    " x ",
)


def written(section):
    mark = "* " if section.headed else ""
    text = section.text.replace("\n", "\\n")
    return f"{mark}{' > '.join(section.headings)} | {' '.join(section.anchors)} | {text}"


def plain(line):
    return " ".join(line.split())


@pytest.mark.spec("ENC-REF-1")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.partition("\n")[0])
def test_pages_are_cut_at_headings_and_anchors(case):
    _, wanted, rest = case.split("\n", 2)
    html, expected = [], []
    for line in rest.split("\n"):
        (expected if " | " in line else html).append(line)
    page = html_page.parse("\n".join(html), set(wanted.split()[1:]))
    assert [plain(written(section)) for section in page.sections] == [plain(line) for line in expected]


def test_title_and_published_address_are_read():
    page = html_page.parse(
        '<head><title>A &amp; b</title><link href="https://docs.example.org/a.html" rel="Canonical">'
        "<link rel=canonical href=https://other.example.org/></head><h1>T</h1><svg><title>no</title></svg><p>text</p>",
        (),
    )
    assert (page.title, page.url) == ("A & b", "https://docs.example.org/a.html")
    assert html_page.parse("text", ()).sections == [html_page.Section((), (), False, "text")]


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("é".encode(), "é"),
        (b'<meta charset="iso-8859-1">\xe9', '<meta charset="iso-8859-1">é'),
        (b"<meta charset=nonsense>\xc3\xa9", "<meta charset=nonsense>é"),
        (b"\xef\xbb\xbfx\xff", "x\ufffd"),
    ],
)
def test_a_page_is_read_in_its_charset(raw, text):
    assert html_page.decode(raw) == text


@given(st.lists(st.sampled_from(SCRAPS + MORE), max_size=40).map("".join))
def test_no_markup_is_too_odd(html):
    page = html_page.parse(html, {"a"})
    for section in page.sections:
        assert section.text == section.text.strip()
        assert "<dt" not in section.text
