"""Documentation of others as corpora: what holds for every kind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from encyclopedia.model.corpus import CorpusReport
from encyclopedia.model.errors import ConfigurationError, Refused
from encyclopedia.model.query import Form
from tests.adapters.local import manuals
from tests.adapters.local.shelf import KINDS, Shelf, quiet


class Sample(NamedTuple):
    """Where a kind's sample lies, the file to change in it, and what is found: counts, then the hit for ``mesh slack``."""

    path: Path
    edited: Path
    documents: int
    title: str
    url: str
    locator: str
    version: str = "2.4"


def make(kind, folder):
    site = "https://docs.example.org/orrery"
    if kind == "inventory":
        path = folder / "html"
        shutil.copytree(manuals.built(), path)
        url = f"{site}/gears.html#orrery.gears.mesh"
        return Sample(path, path / "gears.html", 3, "orrery.gears.mesh", url, "gears.html")
    if kind == "docset":
        path = manuals.docset(folder)
        page = "Contents/Resources/Documents/gears.html"
        url = f"{site}/gears.html#//apple_ref/cpp/Function/mesh"
        return Sample(path, path / page, 2, "Gears > mesh (orrery.mesh)", url, page)
    if kind == "devdocs":
        path = manuals.devdocs(folder)
        url = f"{site}/gears.html?a=1&b=2#mesh"
        return Sample(path, path / "db.json", 1, "Gears > mesh (orrery.mesh())", url, "orrery~2/gears")
    path = manuals.llms(folder)
    return Sample(path, path / "orrery" / "gears.md", 2, "Gears > mesh", f"{site}/gears.md", "orrery/gears.md", "")


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def sample(kind, tmp_path):
    return make(kind, tmp_path)


@pytest.fixture
def shelf(kind, sample, tmp_path):
    return Shelf(kind, tmp_path, sample.path)


# ------------------------------------------------------------------ what holds for every kind


@pytest.mark.spec("ENC-REF-2")
def test_the_names_and_texts_of_every_kind_are_found(shelf, sample):
    done = shelf.index()
    assert (done.added, done.unchanged) == (sample.documents, 0)
    hit = shelf.first("mesh slack")
    assert (hit.title, hit.url, hit.version) == (sample.title, sample.url, sample.version)
    assert (hit.locator.corpus, hit.locator.path) == ("books", sample.locator)
    assert "mesh" in hit.locator.section
    assert "Bring two gears together; slack is in millimetres." in hit.content
    assert "Every planet" not in hit.content
    assert "Every planet hangs on one gear." in shelf.first("planet hangs").content


@pytest.mark.spec("ENC-REF-3")
def test_only_what_changed_is_read_again(shelf, sample):
    shelf.index()
    assert shelf.index().unchanged == sample.documents
    before = shelf.card.revision(shelf.context)
    text = sample.edited.read_text()
    sample.edited.write_text(text.replace("in millimetres", "in thousandths of a metre"))
    assert shelf.card.revision(shelf.context) != before
    report = shelf.report()
    assert (report.added, report.changed, report.removed) == (0, 1, 0)
    assert "thousandths" in shelf.first("mesh slack thousandths").content
    assert (shelf.report().changed, shelf.index().unchanged) == (0, sample.documents)
    os.utime(sample.edited, ns=(1, 1))
    assert shelf.report().changed == 1
    touched = shelf.index()
    assert (touched.changed, touched.unchanged) == (0, sample.documents)


@pytest.mark.spec("ENC-REF-3")
def test_what_is_gone_is_not_served(shelf, sample, kind):
    shelf.index()
    sample.edited.unlink()
    if kind == "devdocs":
        with pytest.raises(Refused, match=r"no corpus of kind devdocs"):
            shelf.ask("mesh slack")
        return
    texts = [hit.content for hit in shelf.ask("mesh slack millimetres").hits]
    assert not [text for text in texts if "Bring two" in text]


def test_the_card_and_the_report_say_how_it_stands(shelf, sample):
    card = shelf.card
    assert (card.form, card.corpus, card.tags, card.alternatives) == (Form.KEYWORD, True, True, True)
    assert str(sample.path) in card.description
    assert card.state(shelf.context) == "not indexed yet"
    report = shelf.report()
    assert report == CorpusReport(added=sample.documents, skipped=report.skipped)
    assert not os.path.exists(shelf.corpus.folder)
    assert card.index(shelf.context, quiet).added == sample.documents
    report = shelf.report()
    assert (report.documents, report.problems, report.added) == (sample.documents, (), 0)
    assert report.bytes > 0
    assert card.state(shelf.context) == f"{sample.documents} documents, {report.passages} passages"
    assert card.knows(shelf.context, "millimetres")
    assert not card.knows(shelf.context, "kilometres")
    assert shelf.index(rebuild=True).added == sample.documents


@pytest.mark.spec("ENC-REF-4")
def test_another_version_is_never_given_in_silence(shelf, sample):
    shelf.index()
    assert shelf.ask("mesh slack", version="2").hits
    reply = shelf.ask("mesh slack", version="3")
    if sample.version:
        assert (reply.hits, reply.note) == ((), "books holds 2.4, not 3")
    else:
        assert reply.hits
        assert reply.note == ""


@pytest.mark.spec("ENC-REF-5")
def test_a_path_that_holds_something_else_is_told(kind, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.md").write_text("# Notes\n\nmesh\n")
    for path in (tmp_path / "other", tmp_path / "other" / "notes.md"):
        shelf = Shelf(kind, tmp_path, path)
        with pytest.raises(ConfigurationError, match=f"is no corpus of kind {kind}: there is no ") as caught:
            shelf.index()
        assert "--kind" in caught.value.hint
        assert f"no corpus of kind {kind}" in shelf.report().problems[0]
        assert shelf.card.revision(shelf.context) == ""
        with pytest.raises(Refused, match=f"no corpus of kind {kind}"):
            shelf.ask("mesh")
    gone = Shelf(kind, tmp_path, tmp_path / "nowhere")
    with pytest.raises(ConfigurationError, match="is not there"):
        gone.index()
    with pytest.raises(Refused, match="is not there"):
        gone.ask("mesh")


@pytest.mark.spec("ENC-REF-6")
def test_links_out_of_the_collection_are_not_followed(shelf, sample, tmp_path):
    secret = tmp_path / "secret.html"
    secret.write_text("<h1>Secret</h1>clockwork password")
    sample.edited.unlink()
    sample.edited.symlink_to(secret)
    try:
        shelf.index()
    except ConfigurationError:
        assert sample.edited.name == "db.json"
        return
    assert not [hit for hit in shelf.ask("clockwork password secret").hits if "password" in hit.content]


@pytest.mark.spec("ENC-REF-7")
def test_reading_leaves_no_trace_in_the_collection(shelf, sample):
    def tree():
        return {path: path.stat().st_mtime_ns for path in sorted(sample.path.rglob("*"))}

    before = tree()
    shelf.index()
    shelf.ask("mesh")
    assert tree() == before


@pytest.mark.spec("ENC-REF-8")
def test_scripts_and_escapes_do_not_come_through(shelf, sample, kind):
    text = sample.edited.read_text()
    evil = "<script>steal('cookies')</script><p onclick=steal()>visible \x1b[31m\u202e text</p>"
    if kind == "devdocs":
        manuals.devdocs(sample.path.parent, more=evil)
    else:
        sample.edited.write_text(text.replace("millimetres.", f"millimetres. {evil}"))
    shelf.index()
    for hit in shelf.ask("mesh visible text steal cookies slack").hits:
        assert not {"\x1b", "\u202e"} & {*hit.content, *hit.title}
        assert "steal" not in hit.content
    assert [hit for hit in shelf.ask("visible text").hits if "visible" in hit.content]


@pytest.mark.spec("ENC-INDEX-9")
def test_cards_cost_nothing_heavy():
    code = (
        "import importlib; from encyclopedia.model.corpus import Corpus\n"
        f"for kind in {list(KINDS)}: importlib.import_module('encyclopedia_adapters.local.' + kind).KIND.card(Corpus('n', '/',"
        " kind, '/nowhere', {}))\n"
        "print([m for m in ('tantivy', 'asyncio', 'pathlib', 'urllib.parse', 'hashlib', 'sqlite3', 'plistlib', 'zlib',"
        " 'encyclopedia_adapters.shared.text_index', 'encyclopedia_adapters.local.html_page') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{code}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "[]"
