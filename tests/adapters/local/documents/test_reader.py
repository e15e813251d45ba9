"""Every kind of file, good and bad, gives its text with its place, or costs only itself."""

from __future__ import annotations

import importlib
import sys

import pytest

from encyclopedia_adapters.local import walk
from encyclopedia_adapters.local.documents import files, worker
from encyclopedia_adapters.local.documents.format import DocumentFormat
from encyclopedia_adapters.local.documents.reader import DocumentReader, Unreadable
from encyclopedia_adapters.shared.apart import Apart, Spoiled
from tests.adapters.local.documents.office import docx, paragraph, pdf, word
from tests.adapters.local.documents.shelf import Shelf

RST = """\
=====
Title
=====

Intro about airships.

Part
----

Some::

    code of a zeppelin

    still the same code

.. include:: /etc/passwd

.. raw:: html

   <script>alert(1)</script>

Sub *part*
~~~~~~~~~~

The last text.
"""


@pytest.fixture
def empty(tmp_path):
    (tmp_path / "notes").mkdir()
    return Shelf(tmp_path)


@pytest.fixture
def libraries(monkeypatch):
    """Takes the libraries of the extra ``files`` away, and gives them back."""

    modules = {name: importlib.import_module(name) for name in ("pypdf", "mammoth", "docutils")}

    def give(*, back):
        for name, module in modules.items():
            monkeypatch.setitem(sys.modules, name, module if back else None)
        files.lacks.cache_clear()

    yield give
    files.lacks.cache_clear()


def place(hit):
    return (hit.locator.path, hit.locator.section, hit.locator.lines, hit.locator.page)


@pytest.mark.spec("ENC-DOCS-18")
def test_each_kind_tells_where_a_text_stands(empty):
    empty.write("a.rst", RST)
    empty.write("b.pdf", pdf(["An airship flies", "second page about\nhelium"], [("Start", 0), ("Gas", 1)], "Airships"))
    empty.write("c.docx", docx(word(paragraph("Contract", "Heading1") + paragraph("The balloon is leased."))))
    empty.write("d.html", "<title>Page</title><nav>menu</nav><main><h1>Kites</h1><p>A kite on a string.</p></main>")
    empty.write("e.txt", "gliders\n\nhave no engine")
    empty.write("f.mdx", "# Parachutes\n\nfall slowly")
    assert empty.index().skipped == ()
    assert place(empty.ask("zeppelin code").hits[0]) == ("a.rst", "Title > Part", (10, 20), None)
    assert place(empty.ask("last text").hits[0]) == ("a.rst", "Title > Part > Sub part", (25, 25), None)
    gas = empty.ask("helium page").hits[0]
    assert place(gas) == ("b.pdf", "Gas", None, 2)
    assert gas.title == "Airships > Gas"
    assert place(empty.ask("balloon leased").hits[0]) == ("c.docx", "Contract", None, None)
    assert place(empty.ask("kite string").hits[0]) == ("d.html", "Kites", None, None)
    assert empty.ask("menu").hits == ()
    assert place(empty.ask("gliders").hits[0])[:1] == ("e.txt",)
    assert place(empty.ask("parachutes").hits[0]) == ("f.mdx", "Parachutes", (3, 3), None)


@pytest.mark.spec("ENC-DOCS-18")
def test_restructured_text_includes_nothing_and_keeps_code_whole(empty):
    empty.write("a.rst", RST)
    content = empty.ask("zeppelin code").hits[0].content
    assert "code of a zeppelin\n\n    still the same code" in content
    assert "root:" not in content


@pytest.mark.spec("ENC-DOCS-19")
@pytest.mark.parametrize(
    ("name", "raw", "reason"),
    [
        ("enc.pdf", pdf(["x"], password="pw"), "it is encrypted"),
        ("broken.pdf", b"%PDF-1.7 junk", "it cannot be read as pdf (PdfStreamError)"),
        ("nothing.pdf", pdf([""]), "it holds no text, perhaps only images of it"),
        ("old.docx", b"\xd0\xcf\x11\xe0" + b"x" * 100, "it is encrypted, or in the format of older versions"),
        ("broken.docx", b"PK junk", "it cannot be read as docx (BadZipFile)"),
        ("bomb.docx", docx(word(paragraph("x" * 210_000_000))), "it unpacks to more than 200 MB or 5000 files"),
        ("empty.docx", docx(word("")), "it holds no text"),
    ],
)
def test_a_bad_file_costs_only_itself(empty, name, raw, reason):
    empty.write(name, raw)
    empty.write("good.md", "zeppelin")
    done = empty.index()
    assert done.skipped == ((name, reason),)
    assert empty.paths("zeppelin") == ["good.md"]


@pytest.mark.spec("ENC-DOCS-19")
def test_entities_that_explode_cost_only_their_file(empty):
    bomb = "".join(f'<!ENTITY a{at} "{f"&a{at - 1};" * 10 if at else "lol"}">' for at in range(12))
    empty.write("bomb.docx", docx(f"<!DOCTYPE w [{bomb}]>{word(paragraph('&a11;'))}"))
    empty.write("good.md", "zeppelin")
    (skipped,) = empty.index().skipped
    assert skipped[0] == "bomb.docx"
    assert empty.paths("zeppelin") == ["good.md"]


@pytest.mark.spec("ENC-DOCS-19")
def test_a_structure_that_cannot_be_read_leaves_the_text(empty):
    empty.write("deep.rst", "".join(f"{'  ' * depth}- zeppelin\n" for depth in range(1500)))
    ((path, reason),) = empty.index().skipped
    assert (path, reason) == ("deep.rst", "read without its headings: it cannot be read as rst (RecursionError)")
    assert empty.paths("zeppelin") == ["deep.rst"]


@pytest.mark.spec("ENC-DOCS-19")
def test_work_apart_that_hangs_or_ends_is_ended_and_begun_again():
    with Apart("encyclopedia_adapters.no_such_module", seconds=20) as gone, pytest.raises(Spoiled, match="crashed"):
        gone.do("rst", b"")
    with Apart(worker.MODULE, seconds=20) as apart:
        assert "KeyError" in apart.do("no such converter", b"")
        assert '"headings"' in apart.do("rst", b"A\n=\n")
    with Apart("tests.programs.hang", seconds=0.2) as hangs, pytest.raises(Spoiled, match=r"took longer than 0\.2 s"):
        hangs.do("rst", b"")


@pytest.mark.spec("ENC-DOCS-20")
def test_a_missing_library_is_named_with_its_remedy_and_once_there_the_file_is_read(empty, libraries):
    remedy = "is not installed: pip install 'encyclopedia-search[files]'"
    empty.write("a.pdf", pdf(["An airship"]))
    empty.write("b.rst", RST)
    empty.write("c.docx", docx(word(paragraph("balloon"))))
    empty.settle()
    libraries(back=False)
    assert dict(empty.index().skipped) == {
        "a.pdf": f"pypdf {remedy}",
        "b.rst": f"read without its headings: docutils {remedy}",
        "c.docx": f"mammoth {remedy}",
    }
    assert empty.paths("zeppelin") == ["b.rst"]
    libraries(back=True)
    assert empty.index().skipped == ()
    assert empty.paths("airship") == ["a.pdf", "b.rst"]


def test_a_large_pdf_is_a_document_and_a_large_note_is_none(empty):
    empty.write("a.pdf", b"%PDF" + b" " * (walk.LARGEST + 1))
    empty.write("a.md", b" " * (walk.LARGEST + 1))
    listing = DocumentFormat().listing(str(empty.path))
    assert (list(listing.files), listing.skipped) == (["a.pdf"], [("a.md", "larger than 5 MB")])


def test_what_is_no_text_is_refused(empty):
    empty.write("a.md", b"\0\1")
    reader = DocumentReader(DocumentFormat().listing(str(empty.path)))
    with pytest.raises(Unreadable, match="not text"):
        reader.note("a.md", b"\0\1")
    assert reader("a.md").problem == "not text"
    reader.close()
