"""Documentation of others as corpora: Sphinx builds, docsets, DevDocs dumps, llms.txt, each with its own hazards."""

from __future__ import annotations

import json
import os
import plistlib
import shutil

import pytest

from encyclopedia_adapters.local import devdocs, docset_index, inventory, walk
from encyclopedia_adapters.local.walk import Bounds
from encyclopedia_adapters.shared.text_index import TextIndex
from tests.adapters.local import manuals
from tests.adapters.local.shelf import Shelf

# ------------------------------------------------------------------ Sphinx


@pytest.fixture
def build(tmp_path):
    shutil.copytree(manuals.built(), tmp_path / "html")
    return tmp_path / "html"


@pytest.mark.spec("ENC-REF-9")
def test_a_real_build_is_read_by_its_names(build, tmp_path):
    shelf = Shelf("inventory", tmp_path, build)
    shelf.index()
    method = shelf.first("turn the whole train")
    assert (method.title, method.content) == (
        "orrery.gears.Train.turn",
        "turn(angle)\nTurn the whole train by an angle in degrees.",
    )
    assert method.locator.section == "Gears > Tables of ratios > orrery.gears.Train.turn"
    assert shelf.first("Saturn wheel").url == "https://docs.example.org/orrery/gears.html#ratio-tables"
    assert shelf.first("lubrication").title == "Gears > Tables of ratios"
    assert shelf.first("orrery.gears").title.startswith("orrery.gears")
    everything = " ".join(hit.content for hit in shelf.ask("orrery gears copyright search index", limit=50).hits)
    assert "¶" not in everything
    assert "Created using" not in everything
    assert not [hit for hit in shelf.ask("index search modules", limit=50).hits if "genindex" in hit.locator.path]


@pytest.mark.spec("ENC-REF-9")
def test_an_inventory_alone_tells_what_there_is(build, tmp_path):
    alone = tmp_path / "orrery.inv"
    shutil.copy(build / "objects.inv", alone)
    shelf = Shelf("inventory", tmp_path, alone)
    assert shelf.index().added == 1
    hit = shelf.first("orrery.gears.Train.turn")
    assert (hit.title, hit.url, hit.version) == ("orrery.gears.Train.turn", "", "2.4")
    assert hit.content == "py:method of Orrery 2.4: gears.html#orrery.gears.Train.turn"
    assert hit.locator.path == "gears.html"
    assert shelf.first("Tables of ratios").content == "std:label of Orrery 2.4: gears.html#ratio-tables"
    assert len({hit.page for hit in shelf.ask("orrery gears", limit=50).hits}) > 3


def test_the_inventory_itself_names_the_build(build, tmp_path):
    shelf = Shelf("inventory", tmp_path, build / "objects.inv")
    assert shelf.index().added == 3
    assert "millimetres" in shelf.first("mesh slack").content


@pytest.mark.spec("ENC-REF-9")
def test_several_builds_in_one_folder_keep_their_names_apart(build, tmp_path):
    (tmp_path / "all").mkdir()
    shutil.move(build, tmp_path / "all" / "two")
    other = (tmp_path / "all" / "two" / "gears.html").read_text()
    older = tmp_path / "all" / "one"
    older.mkdir()
    (older / "objects.inv").write_text(
        "# Sphinx inventory version 1\n# Project: Astrolabe\n# Version: 0.9\norrery.gears.mesh function gears.html\n"
    )
    (older / "gears.html").write_text(other)
    (tmp_path / "all" / "stray.html").write_text("<h1>stray</h1>")
    shelf = Shelf("inventory", tmp_path, tmp_path / "all")
    shelf.index()
    assert {hit.version for hit in shelf.ask("mesh slack").hits} >= {"2.4", "0.9"}
    assert {hit.version for hit in shelf.ask("mesh slack", version="0.9").hits} == {"0.9"}
    assert {hit.version for hit in shelf.ask("mesh slack", tags=("astrolabe",)).hits} == {"0.9"}
    assert shelf.ask("stray").hits == ()
    assert dict(shelf.report().tags) == {"orrery": 3, "astrolabe": 2}


def test_a_page_changes_with_its_inventory(build, tmp_path):
    shelf = Shelf("inventory", tmp_path, build)
    shelf.index()
    raw = (build / "objects.inv").read_bytes()
    (build / "objects.inv").write_bytes(raw.replace(b"# Version: 2.4", b"# Version: 2.5"))
    assert shelf.index().changed == 3
    assert shelf.first("mesh slack").version == "2.5"


@pytest.mark.spec("ENC-REF-10")
def test_a_damaged_inventory_is_a_problem_and_its_pages_are_read(build, tmp_path):
    (build / "objects.inv").write_bytes((build / "objects.inv").read_bytes()[:-30])
    shelf = Shelf("inventory", tmp_path, build)
    assert shelf.index().skipped[-1][0] == "objects.inv"
    (problem,) = shelf.report().problems
    assert problem.startswith("objects.inv: it is damaged")
    assert "millimetres" in shelf.first("mesh slack").content


def test_an_inventory_is_found_when_a_walk_is_cut_short(build):
    form = inventory.InventoryFormat()
    whole = form.listing(str(build))
    short = form.listing(str(build), Bounds(files=1, seconds=0.0))
    assert not short.complete
    assert short.files.items() <= whole.files.items()
    assert {"gears.html", "objects.inv"} <= set(short.files)


def test_few_good_passages_among_very_many_are_found(tmp_path):
    root = manuals.docset(tmp_path, **{"many.html": "".join(f"<h2 id=s{at}>Part {at}</h2>escapement" for at in range(500))})
    (root / "Contents" / "Resources" / "Documents" / "one.html").write_text("<h1>One</h1>escapement of a tourbillon")
    shelf = Shelf("docset", tmp_path, root)
    shelf.index()
    hits = shelf.ask("tourbillon escapement", limit=5).hits
    assert hits[0].title == "One"
    assert 1 <= len(hits) <= 5


# ------------------------------------------------------------------ docsets


@pytest.mark.spec("ENC-REF-11")
@pytest.mark.parametrize("core_data", [False, True])
def test_both_forms_of_a_docset_are_read(tmp_path, core_data):
    shelf = Shelf("docset", tmp_path, manuals.docset(tmp_path, core_data=core_data))
    assert shelf.index().skipped == ()
    hit = shelf.first("orrery.mesh")
    assert (hit.title, hit.version) == ("Gears > mesh (orrery.mesh)", "2.4")
    missing = shelf.first("orrery.crank")
    assert missing.title == "orrery.crank"
    assert missing.content.startswith("Function of Orrery 2.4: ")
    assert missing.url == "https://docs.example.org/orrery/cranks.html#crank"


def test_a_folder_of_docsets_is_one_corpus(tmp_path):
    (tmp_path / "docsets").mkdir()
    root = manuals.docset(tmp_path / "docsets")
    (root / "Contents" / "Info.plist").write_bytes(b"<plist><!ENTITY a 'b'>broken")
    shelf = Shelf("docset", tmp_path, tmp_path / "docsets")
    assert shelf.index().added == 2
    hit = shelf.first("orrery.mesh")
    assert (hit.version, hit.url) == ("", "")
    assert hit.locator.path == "Orrery.docset/Contents/Resources/Documents/gears.html"
    assert dict(shelf.report().tags) == {"orrery": 2}


@pytest.mark.spec("ENC-REF-6")
@pytest.mark.parametrize(
    "link",
    [
        "../../../../secret.html",
        "/etc/passwd",
        "a/../../secret.html",
        "..\\secret.html",
        "file:///etc/passwd",
        "x\0.html",
        "//host/x",
    ],
)
def test_names_that_lead_out_of_a_docset_are_left_out(tmp_path, link):
    (tmp_path / "secret.html").write_text("<h1>Secret</h1>clockwork password")
    shelf = Shelf("docset", tmp_path, manuals.docset(tmp_path, ("burglar", "Function", link)))
    shelf.index()
    assert shelf.ask("burglar").hits == ()
    assert shelf.ask("password").hits == ()
    assert shelf.first("mesh").title == "Gears > mesh (orrery.mesh)"


ENDLESS = "CREATE VIEW searchIndex AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT "
FLOOD = f"{ENDLESS}'a' AS name, 'b' AS type, 'c.html' AS path FROM n"
SILENCE = f"{FLOOD} WHERE x < 0"


def view(table, text):
    manuals.rows(table, ("DROP TABLE searchIndex", []), (text, []))


@pytest.mark.spec("ENC-REF-10")
def test_a_flood_of_names_is_stopped(tmp_path):
    table = manuals.docset(tmp_path) / "Contents" / "Resources" / "docSet.dsidx"
    view(table, FLOOD)
    with pytest.raises(ValueError, match="more than 300000 names"):
        docset_index.names(str(table))


@pytest.mark.spec("ENC-REF-10")
@pytest.mark.parametrize(
    ("break_it", "reason"),
    [
        (lambda table: table.write_bytes(b"no database " * 100), "file is not a database"),
        (lambda table: table.write_bytes(table.read_bytes()[:5000] + os.urandom(3000)), "malformed"),
        (lambda table: table.write_bytes(b""), "no such table"),
        (
            lambda table: manuals.rows(table, ("DROP TABLE searchIndex", []), ("CREATE TABLE searchIndex(x)", [])),
            "no such column",
        ),
        (lambda table: view(table, SILENCE), "interrupted"),
    ],
    ids=["garbage", "damaged", "empty", "other columns", "without end"],
)
def test_a_damaged_docset_is_a_problem_and_its_pages_are_read(tmp_path, break_it, reason):
    many = [(f"name{at}", "Function", "gears.html") for at in range(500)]
    shelf = Shelf("docset", tmp_path, manuals.docset(tmp_path, *many))
    break_it(shelf.path / "Contents" / "Resources" / "docSet.dsidx")
    shelf.index()
    (problem,) = shelf.report().problems
    assert "it cannot be read as a docset: " in problem
    assert reason in problem
    assert "millimetres" in shelf.first("mesh slack").content


def test_odd_rows_of_a_docset_are_left_out(tmp_path):
    table = tmp_path / "docSet.dsidx"
    names = [
        (1, b"\xff\xfe", "a.html"),
        (None, "f", "a.html"),
        ("good", None, "a.html"),
        ("no link", "f", None),
        ("bad \udcff", "f", 7),
    ]
    manuals.rows(
        table,
        ("CREATE TABLE searchIndex(name, type, path)", []),
        ("INSERT INTO searchIndex VALUES (?, ?, ?)", names[:4]),
        ("INSERT INTO searchIndex SELECT CAST(x'66ff' AS TEXT), 'f', 'b.html'", []),
    )
    assert docset_index.names(str(table)) == [("good", "entry", "a.html"), ("f\ufffd", "f", "b.html")]


def test_a_docset_in_write_ahead_form_is_left_as_it_is(tmp_path):
    root = manuals.docset(tmp_path)
    table = root / "Contents" / "Resources" / "docSet.dsidx"
    manuals.rows(table, ("PRAGMA journal_mode = WAL", []))
    before = sorted(table.parent.iterdir())
    assert len(docset_index.names(str(table))) == 3
    assert sorted(table.parent.iterdir()) == before


def test_every_passage_is_found_by_the_name_of_its_project(tmp_path):
    root = manuals.docset(tmp_path)
    (root / "Contents" / "Info.plist").write_bytes(plistlib.dumps({"CFBundleName": "Planetarium"}))
    shelf = Shelf("docset", tmp_path, root)
    passages = shelf.index().passages
    assert len(TextIndex(shelf.corpus.folder).search("planetarium", limit=50)) == passages > 3


# ------------------------------------------------------------------ DevDocs


@pytest.mark.spec("ENC-REF-12")
def test_a_folder_of_dumps_is_one_corpus_with_versions(tmp_path):
    manuals.devdocs(tmp_path / "dumps", "orrery~2")
    manuals.devdocs(tmp_path / "dumps", "orrery~3", release="3.1")
    (tmp_path / "dumps" / "empty").mkdir()
    (tmp_path / "dumps" / "link").symlink_to(tmp_path / "dumps" / "orrery~2")
    shelf = Shelf("devdocs", tmp_path, tmp_path / "dumps")
    assert shelf.index().added == 2
    assert {hit.version for hit in shelf.ask("mesh").hits} == {"2.4", "3.1"}
    assert {hit.locator.path for hit in shelf.ask("mesh", version="v3").hits} == {"orrery~3/gears"}
    assert shelf.ask("mesh", version="4").note == "books holds 2.4, 3.1, not 4"
    shutil.rmtree(tmp_path / "dumps" / "orrery~3")
    assert shelf.ask("mesh", version="3").hits == ()


@pytest.mark.spec("ENC-REF-12")
def test_names_without_a_page_and_pages_without_credit_have_an_address(tmp_path):
    root = manuals.devdocs(tmp_path)
    (root / "meta.json").unlink()
    (root / "db.json").write_text(json.dumps({"gears": manuals.PAGE.format(more=""), "odd": 7}))
    shelf = Shelf("devdocs", tmp_path, root)
    assert shelf.index().skipped == ()
    hit = shelf.first("mesh slack")
    assert (hit.url, hit.version) == ("https://devdocs.io/orrery~2/gears#mesh", "2")
    crank = shelf.first("orrery.crank")
    assert (crank.title, crank.url) == ("orrery.crank()", "https://devdocs.io/orrery~2/cranks#crank")
    assert "Licensed" not in hit.content


@pytest.mark.spec("ENC-REF-10")
@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("db.json", "no", "db.json is not JSON"),
        ("db.json", "[" * 200_000, "db.json is not JSON"),
        ("db.json", "[1]", "db.json is not a JSON object"),
        ("index.json", '{"entries": ', "index.json is not JSON"),
        ("meta.json", "7", "meta.json is not a JSON object"),
    ],
    ids=["text", "deep", "list", "torn", "number"],
)
def test_a_damaged_dump_is_a_problem(tmp_path, name, text, reason):
    shelf = Shelf("devdocs", tmp_path, manuals.devdocs(tmp_path))
    (shelf.path / name).write_text(text)
    assert shelf.index().skipped == (("orrery~2", reason),)
    assert shelf.report().problems == (f"orrery~2: {reason}",)
    assert shelf.ask("mesh").hits == ()


@pytest.mark.spec("ENC-REF-10")
def test_a_dump_that_is_too_large_is_not_read(tmp_path):
    shelf = Shelf("devdocs", tmp_path, manuals.devdocs(tmp_path))
    os.truncate(shelf.path / "db.json", devdocs.LARGEST + 1)
    assert shelf.index().skipped == (("orrery~2", "cannot be read: it is larger than 150 MB"),)


@pytest.mark.parametrize("entries", [None, 7, [None, 7, {"name": 1, "path": "x"}, {"name": "x"}, []], {"a": 1}])
def test_odd_entries_cost_only_themselves(tmp_path, entries):
    shelf = Shelf("devdocs", tmp_path, manuals.devdocs(tmp_path))
    (shelf.path / "index.json").write_text(json.dumps({"entries": entries}))
    assert shelf.index().skipped == ()
    assert "millimetres" in shelf.first("mesh slack").content


def test_a_large_dump_is_left_to_the_command(tmp_path):
    shelf = Shelf("devdocs", tmp_path, manuals.devdocs(tmp_path, more="<p>" + "padding " * 700_000))
    assert shelf.ask("mesh").reduced == "not indexed yet, 1 files: run `encyclopedia corpus index books`"
    assert not os.path.exists(shelf.corpus.folder)
    assert (shelf.path / "db.json").stat().st_size > walk.LARGEST


# ------------------------------------------------------------------ llms.txt


@pytest.mark.spec("ENC-REF-13")
def test_links_without_a_page_are_found_by_title_and_note(tmp_path):
    shelf = Shelf("llms", tmp_path, manuals.llms(tmp_path))
    shelf.index()
    cranks = shelf.first("turning by hand")
    assert (cranks.title, cranks.url, cranks.content) == ("Cranks", "https://docs.example.org/orrery/cranks", "turning by hand")
    assert (cranks.locator.path, cranks.locator.section) == ("llms.txt", "Docs")
    assert shelf.first("who built it").title == "History"
    assert shelf.first("clockwork model").title == "Orrery"
    assert shelf.first("how gears come together").locator.path == "orrery/gears.md"
    assert not [hit for hit in shelf.ask("gears", limit=50).hits if hit.title == "Gears" and hit.locator.path == "llms.txt"]


@pytest.mark.spec("ENC-REF-6")
def test_links_of_llms_txt_that_lead_out_are_not_read(tmp_path):
    path = manuals.llms(tmp_path)
    (path / "cranks.md").symlink_to(tmp_path / "secret.md")
    (path / "up").symlink_to(tmp_path)
    text = (path / "llms.txt").read_text()
    links = [
        "../secret.md",
        "%2e%2e/secret.md",
        "https://h/%2e%2e/secret.md",
        "a/../../secret.md",
        "..\\secret.md",
        "cranks.md",
        "up/secret.md",
        "x%00.md",
        "http://[bad",
    ]
    (path / "llms.txt").write_text(text + "".join(f"- [Trap](<{link}>): trap\n" for link in links))
    shelf = Shelf("llms", tmp_path, path)
    shelf.index()
    assert not [hit for hit in shelf.ask("clockwork password secret", limit=50).hits if "password" in hit.content]
    assert (shelf.report().documents, shelf.report().problems) == (2, ())


def test_a_page_that_goes_leaves_its_link(tmp_path):
    path = manuals.llms(tmp_path)
    shelf = Shelf("llms", tmp_path, path)
    shelf.index()
    (path / "orrery" / "gears.md").unlink()
    hit = shelf.first("how gears come together")
    assert (hit.title, hit.locator.path) == ("Gears", "llms.txt")


@pytest.mark.spec("ENC-REF-13")
def test_the_full_form_is_cut_at_its_pages(tmp_path):
    path = tmp_path / "llms-full.txt"
    path.write_text(manuals.FULL)
    shelf = Shelf("llms", tmp_path, path)
    assert shelf.index().added == 1
    mesh, cranks = shelf.first("mesh slack"), shelf.first("turning by hand")
    assert (mesh.title, mesh.url) == ("Gears > mesh", "https://docs.example.org/orrery/gears")
    assert (cranks.title, cranks.url, cranks.locator.lines) == ("Cranks", "", (12, 12))
    assert mesh.page != cranks.page


def test_text_that_is_none_is_a_problem(tmp_path):
    (tmp_path / "llms.txt").write_bytes(b"\0\1\2")
    shelf = Shelf("llms", tmp_path, tmp_path)
    assert shelf.index().skipped[-1] == ("llms.txt", "not text")
