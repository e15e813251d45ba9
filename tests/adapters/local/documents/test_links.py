"""Links between notes, and who links here."""

from __future__ import annotations

import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.model.errors import ConfigurationError
from encyclopedia_adapters.local.documents import KIND
from encyclopedia_adapters.local.documents.links import Link, Places, links, mark, marks_of
from tests.adapters.local.documents.shelf import FIXTURES, Shelf


@pytest.mark.spec("ENC-DOCS-21")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see [[Page]]", [("Page", False)]),
        ("[[Page#Part|shown]] [[Page^block]] [[Page|other]]", [("Page", False)]),
        ("![[Embedded]]", [("Embedded", False)]),
        (r"| [[Page\|shown]] |", [("Page", False)]),
        ("[[#only here]] [[]]", []),
        ("[text](other.md) [text](../up/b%20c.md#part 'title')", [("other.md", True), ("../up/b c.md", True)]),
        ("[web](https://example.org/a.md) [mail](mailto:a@b) [root](/a.md) [here](#part)", []),
        ("`[[code]]` and\n```\n[[fenced]]\n```\n[[real]]", [("real", False)]),
        ("[[one]] [[one]]", [("one", False)]),
        ("[[not\nclosed]]", []),
    ],
)
def test_links_are_read_as_they_are_written(text, found):
    assert [tuple(link) for link in links(text)] == found


@pytest.mark.spec("ENC-DOCS-21")
@pytest.mark.parametrize(
    ("link", "start", "known"),
    [
        (Link("Page", path=False), "a/b.md", "[[page]]"),
        (Link("x/Page.md", path=False), "a/b.md", "[[x/page]]"),
        (Link("c.md", path=True), "a/b.md", "[[/a/c]]"),
        (Link("../c.md", path=True), "a/b.md", "[[/c]]"),
        (Link("../../c.md", path=True), "a/b.md", ""),
        (Link("./c", path=False), "a/b.md", "[[/a/c]]"),
    ],
)
def test_a_link_is_known_by_where_it_leads(link, start, known):
    assert mark(link, start) == known


@pytest.mark.parametrize(
    ("marked", "start", "path"),
    [
        ("[[page]]", "x.md", "Page.md"),
        ("[[page]]", "deep/er/x.md", "Page.md"),
        ("[[note]]", "deep/x.md", "deep/Note.md"),
        ("[[note]]", "x.md", "a/Note.md"),
        ("[[deep/note]]", "x.md", "deep/Note.md"),
        ("[[/deep/note]]", "x.md", "deep/Note.md"),
        ("[[/deep]]", "x.md", "deep/index.md"),
        ("[[unknown]]", "x.md", ""),
    ],
)
def test_a_name_means_the_nearest_page(marked, start, path):
    places = Places(["Page.md", "a/Note.md", "deep/Note.md", "deep/index.md", "deep/er/Page.md"])
    assert places.meant(marked, start) == path


@given(st.text(max_size=80), st.sampled_from(["a.md", "x/y.md"]))
def test_any_text_has_links_or_none(text, start):
    for link in links(f"[[{text}]] [x]({text})"):
        marked = mark(link, start)
        assert marked == "" or (marked.startswith("[[") and marked.endswith("]]"))


def test_a_document_is_known_by_its_path_each_end_of_it_and_its_aliases():
    assert list(marks_of("A/B/Name.md", ["Other Name"])) == [
        "[[/a/b/name]]",
        "[[a/b/name]]",
        "[[b/name]]",
        "[[name]]",
        "[[other name]]",
    ]


@pytest.fixture
def vault(tmp_path):
    shutil.copytree(FIXTURES / "vault-kepano", tmp_path / "notes")
    return Shelf(tmp_path)


def from_where(vault, path):
    return [(row["path"], row["lines"]) for row in KIND.document(vault.corpus, path)["backlinks"]]


@pytest.mark.spec("ENC-DOCS-22")
def test_who_links_here_is_told_with_lines(vault):
    vault.index()
    assert [path for path, _ in from_where(vault, "References/Out of Control.md")] == ["Notes/2023-09-12 Meeting with Steph.md"]
    assert from_where(vault, "Categories/Books.md") == [
        ("References/Out of Control.md", [2, 18]),
        ("References/The Machine Stops.md", [2, 16]),
    ]
    told = KIND.document(vault.corpus, "References/Out of Control.md")
    leading = {row["target"]: row["path"] for row in told["links"]}
    assert leading["Books"] == "Categories/Books.md"
    assert leading["Kevin Kelly"] == "References/Kevin Kelly.md"
    assert leading["Futurism"] is None
    assert told["date"] == "2023-09-12"


@pytest.mark.spec("ENC-DOCS-22")
def test_backlinks_follow_what_is_there(vault):
    vault.index()
    (vault.path / "Notes" / "2023-09-12 Meeting with Steph.md").unlink()
    vault.write("Daily/new.md", "---\naliases: [Rooky]\n---\nabout [[Out of Control#Chapter 2|the hive]]")
    vault.write("Daily/rook.md", "[[rooky]] and [the book](../References/Out%20of%20Control.md)")
    vault.index()
    assert [path for path, _ in from_where(vault, "References/Out of Control.md")] == ["Daily/new.md", "Daily/rook.md"]
    assert [path for path, _ in from_where(vault, "Daily/new.md")] == ["Daily/rook.md"]


@pytest.mark.spec("ENC-DOCS-22")
def test_a_note_is_found_by_the_pages_that_its_front_matter_links_to(vault):
    assert "References/The Machine Stops.md" in vault.paths("books", limit=5)


@pytest.mark.spec("ENC-DOCS-22")
def test_links_of_a_real_documentation_vault_lead_where_they_should(tmp_path):
    shutil.copytree(FIXTURES / "vault-foam", tmp_path / "notes")
    foam = Shelf(tmp_path)
    foam.index()
    told = KIND.document(foam.corpus, "wikilinks.md")
    leading = {row["target"]: row["path"] for row in told["links"]}
    assert leading["block-anchors"] == "block-anchors.md"
    assert leading["graph-view"] is None
    assert "block-anchors.md" in {row["path"] for row in told["backlinks"]}


@pytest.mark.spec("ENC-DOCS-22")
def test_a_document_that_is_not_there_is_an_error_with_the_nearest(vault):
    with pytest.raises(ConfigurationError, match="no document of the corpus") as caught:
        KIND.document(vault.corpus, "Categories/Book.md")
    assert caught.value.hint == "did you mean Categories/Books.md?"
    absolute = str(vault.path / "Categories" / "Books.md")
    assert KIND.document(vault.corpus, absolute)["path"] == "Categories/Books.md"
    for outside in ("/etc/passwd", "../secret.md"):
        with pytest.raises(ConfigurationError):
            KIND.document(vault.corpus, outside)
