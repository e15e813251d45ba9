"""Writing the catalog of the pages that there are."""

from __future__ import annotations

import os
import stat

import pytest

from encyclopedia_adapters.local.catalog.page import read_page
from encyclopedia_adapters.local.catalog.render import Graph, render
from tests.adapters.local.catalog.desk import PATTERNS, Desk


def entity_pages(root):
    entities = root / "research" / "entities"
    return [read_page(str(path.relative_to(entities)), path.read_text(encoding="utf-8")) for path in entities.rglob("*.md")]


def made(**pages):
    return render(Graph([read_page(f"{name.replace('_', '/')}.md", text) for name, text in pages.items()]), "now")


@pytest.mark.spec("ENC-CATALOG-2")
def test_the_given_catalog_comes_out_to_the_byte() -> None:
    given = (PATTERNS / "docs" / "knowledge-index.md").read_bytes()
    generated = given.split(b"\n")[1].removeprefix(b"generated: ").decode()
    pages = entity_pages(PATTERNS)
    assert render(Graph(pages), generated).encode() == given
    assert render(Graph(reversed(pages)), generated).encode() == given


@pytest.mark.spec("ENC-CATALOG-2")
def test_hubs_missing_pages_and_order() -> None:
    text = made(tool_a="[[b]] [[gone]] [[gone]]", tool_b="", idea_c="[[b]] [[a]] [[gone]]", idea_d="[[lost]]")
    assert "**4 entities · 6 edges · 2 dangling**" in text
    assert "`b` (2) · `a` (1)\n" in text
    assert "- `gone` (2\N{MULTIPLICATION SIGN})\n- `lost` (1\N{MULTIPLICATION SIGN})\n" in text
    assert [line for line in text.split("\n") if line.startswith("###")] == [
        "### idea (2)",
        "#### c [idea·—]",
        "#### d [idea·—]",
        "### tool (2)",
        "#### b [tool·—]",
        "#### a [tool·—]",
    ]


@pytest.mark.spec("ENC-CATALOG-2")
def test_a_block_holds_the_most_linked_and_the_first_of_everything() -> None:
    names = ", ".join(f"t{n}" for n in range(9))
    links = " ".join(f"[[l{n}]]" for n in range(9))
    text = made(
        a_x=f"---\ntags: [{names}]\nsources: [{names}]\naliases: [X, 'a,b', 'c·d', N, n, {names}]\ncore_claim: {'w' * 300}\n---\n{links}",
        a_y="[[l7]] [[x]]",
    )
    assert "→ l7, l0, l1, l2, l3 · ← y · #t0 #t1 #t2 #t3 · aka: N, t0, t1, t2, t3 · src: t0 | t1\n" in text
    assert f"{'w' * 219}…\n" in text


@pytest.mark.spec("ENC-CATALOG-2")
def test_of_two_pages_with_one_slug_the_later_path_speaks_and_merged_pages_do_not() -> None:
    text = made(pattern_x="first", tool_x="second", tool_old="---\nstatus: merged\n---\n[[x]]")
    assert "path: tool/x.md" in text
    assert "pattern/x.md" not in text
    assert "**1 entities · 0 edges · 0 dangling**" in text


@pytest.mark.spec("ENC-CATALOG-2")
def test_from_5001_entities_on_blocks_are_shorter() -> None:
    head = f"---\ntags: [a, b, c]\ncore_claim: {'w' * 300}\n---\n"
    text = render(Graph([read_page(f"a/{number}.md", head) for number in range(5001)]), "now")
    assert "schema: dense-catalog-v2-compact\ncompact: true\nentity_count: 5001" in text
    assert f"{'w' * 99}…\n#a #b\n" in text


@pytest.mark.spec("ENC-CATALOG-3")
def test_indexing_writes_the_catalog_only_if_it_says_something_else(tmp_path) -> None:
    desk = Desk.of_patterns(tmp_path)
    before = desk.catalog.read_bytes()
    os.utime(desk.catalog, (1, 1))
    assert desk.index().skipped == ()
    assert desk.catalog.read_bytes() == before
    assert desk.catalog.stat().st_mtime > 1, "it was looked at now"
    desk.page("idiom/new.md", "A new [[singleton]].", title="New")
    desk.index()
    text = desk.catalog.read_text(encoding="utf-8")
    assert "entity_count: 188" in text
    assert "path: idiom/new.md" in text
    assert sorted(path.name for path in desk.catalog.parent.iterdir()) == ["knowledge-index.md"]


@pytest.mark.spec("ENC-CATALOG-3")
def test_a_catalog_is_made_where_there_is_none_and_loading_or_searching_writes_none(desk) -> None:
    desk.page("tool/arcan.md", "The runtime.")
    assert desk.ids("runtime") == ["tool/arcan"]
    assert desk.ask("runtime").hits
    assert not desk.catalog.exists()
    desk.index()
    assert "#### arcan [tool·—]\nThe runtime.\n" in desk.catalog.read_text(encoding="utf-8")
    assert stat.S_IMODE(desk.catalog.stat().st_mode) & 0o600 == 0o600


@pytest.mark.spec("ENC-CATALOG-3")
def test_the_rights_of_the_catalog_stay(desk) -> None:
    desk.page("tool/arcan.md", "The runtime.")
    desk.write_catalog("old")
    desk.catalog.chmod(0o640)
    desk.index()
    assert stat.S_IMODE(desk.catalog.stat().st_mode) == 0o640


@pytest.mark.spec("ENC-CATALOG-3")
@pytest.mark.parametrize("hindrance", ["a folder", "a link", "a link of a folder", "a file for a folder"])
def test_a_place_that_cannot_be_written_is_told_and_the_pages_are_indexed(desk, tmp_path, hindrance) -> None:
    desk.page("tool/arcan.md", "The runtime.")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file.md").write_text("mine")
    if hindrance == "a folder":
        desk.catalog.mkdir(parents=True)
    elif hindrance == "a link":
        desk.catalog.parent.mkdir()
        desk.catalog.symlink_to(outside / "file.md")
    elif hindrance == "a link of a folder":
        desk.catalog.parent.symlink_to(outside)
    else:
        desk.catalog.parent.write_text("a file")
    done = desk.index()
    ((path, reason),) = done.skipped
    assert path == "docs/knowledge-index.md"
    assert "catalog" in reason
    assert done.added == 1
    assert [one.name for one in outside.iterdir()] == ["file.md"]
    assert (outside / "file.md").read_text() == "mine"
    assert desk.ids("runtime") == ["tool/arcan"]
