"""The lines of llms.txt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia_adapters.local import llms_text
from encyclopedia_adapters.local.llms_text import Link
from tests.adapters.local import manuals


@pytest.mark.spec("ENC-REF-13")
def test_an_overview_is_read() -> None:
    found = llms_text.parse(manuals.LLMS)
    assert (found.title, found.summary) == ("Orrery", "A clockwork model of the planets.\n\nRead the gears first.")
    assert [(link.title, link.section) for link in found.links] == [
        ("Gears", "Docs"),
        ("Cranks", "Docs"),
        ("Outside", "Docs"),
        ("History", "Optional"),
    ]


@pytest.mark.parametrize(
    ("line", "link"),
    [
        ("- [A](https://h/a.md): note: more", Link("A", "https://h/a.md", "note: more", "")),
        ("* [A b](<a.md>)", Link("A b", "a.md", "", "")),
        ("  + [A](a.md) - note", Link("A", "a.md", "note", "")),
        ("[A](a.md)", None),
        ("- [](a.md)", None),
        ("- [A]()", None),
        ("- text [A](a.md)", None),
    ],
)
def test_lines_that_are_links(line: str, link: Link | None) -> None:
    assert llms_text.parse(line).links == ([link] if link else [])


@pytest.mark.spec("ENC-REF-6")
@pytest.mark.parametrize(
    ("target", "paths"),
    [
        ("a/b.md", ["a/b.md"]),
        ("https://h/x/./b.md?q#f", ["x/b.md"]),
        ("/a b%20c", ["a b c.md", "a b c/index.md", "a b c/index.html.md"]),
        ("https://h/p.html", ["p.html.md", "p.html/index.md", "p.html/index.html.md"]),
        ("https://h/", ["index.md", "index.html.md"]),
        ("../a.md", []),
        ("a/%2e%2e/%2E%2e/b.md", []),
        ("a\\..\\b.md", []),
        ("a%00.md", []),
        ("http://[bad", []),
    ],
)
def test_where_a_page_may_lie(target: str, paths: list[str]) -> None:
    assert list(llms_text.beside(target)) == paths


def test_links_are_bounded() -> None:
    assert len(llms_text.parse("- [a](b)\n" * (llms_text.MOST_LINKS + 1)).links) == llms_text.MOST_LINKS


@given(st.text(alphabet="#>-*[]()<>: a\n", max_size=200))
def test_no_text_is_too_odd(text: str) -> None:
    for link in llms_text.parse(text).links:
        assert link.title == link.title.strip()
        list(llms_text.beside(link.target))
