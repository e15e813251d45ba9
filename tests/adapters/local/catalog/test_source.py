"""A catalog as a source of a search, and its report."""

from __future__ import annotations

import pytest

from tests.adapters.local.catalog.desk import Desk


@pytest.mark.spec("ENC-CATALOG-14")
def test_a_hit_has_title_claim_the_best_passage_and_its_lines(desk) -> None:
    desk.page(
        "tool/arcan.md",
        "# Arcan\n\nNothing.\n\n## Limits\n\nIt stops at nine zebras.\n",
        title="Arcan",
        core_claim="The runtime.",
    )
    desk.page("tool/other.md", "A horse.")
    (hit,) = desk.ask("nine zebras").hits
    assert hit.title == "Arcan"
    assert hit.content == "The runtime.\n\nIt stops at nine zebras."
    place = hit.locator
    assert (place.corpus, place.path, place.section, place.lines) == (
        "kb",
        "research/entities/tool/arcan.md",
        "Arcan > Limits",
        (11, 11),
    )


@pytest.mark.spec("ENC-CATALOG-14")
def test_several_passages_of_a_page_where_they_are_wanted(desk) -> None:
    desk.page("tool/arcan.md", "# Arcan\n\nA zebra.\n\n## More\n\nTwo zebras in nine.\n\n## Rest\n\nNothing.\n")
    hits = desk.ask("nine zebras", passages=2).hits
    assert [hit.locator.lines for hit in hits] == [(7, 7), (3, 3)]
    assert len({hit.id for hit in hits}) == len({hit.page for hit in hits}) == 2


@pytest.mark.spec("ENC-CATALOG-14")
def test_tags_and_types_narrow_before_anything_is_ranked(desk) -> None:
    for number in range(30):
        desk.page(f"tool/n{number}.md", "Zebra. " * 20, title="Zebra", tags=["Herd"])
    desk.page("idea/lone.md", "Of a zebra, once.", tags=["area/Quiet Place"])
    for tag in ("area", "area/quiet-place", "AREA", "idea", "#idea"):
        assert [hit.title for hit in desk.ask("zebra", tags=(tag,)).hits] == ["lone"], tag
    assert len(desk.ask("zebra", tags=("herd",), limit=50).hits) == 30
    assert desk.ask("zebra", tags=("none",)).hits == ()
    assert dict(desk.report().tags) == {"tool": 30, "herd": 30, "area/quiet-place": 1, "area": 1, "idea": 1}


@pytest.mark.spec("ENC-CATALOG-14")
def test_what_does_not_answer_is_no_hit(patterns) -> None:
    assert patterns.ask("zookeeper quorum ballots").hits == ()
    assert patterns.ask("observer").hits[0].title == "Observer"
    assert len(patterns.ask("decouples objects", limit=3).hits) == 3


@pytest.mark.spec("ENC-CATALOG-12")
def test_a_search_never_shows_what_a_page_no_longer_says(desk) -> None:
    pages = [desk.page(f"a/p{number}.md", f"Zebra {number}.") for number in range(60)]
    desk.index()
    for page in pages:
        page.write_text("Horse.")
    reply = desk.ask("zebra", limit=60)
    assert reply.hits == ()
    assert "changed" in reply.reduced or desk.report().changed == 0
    pages[0].unlink()
    assert all(hit.locator.path != "research/entities/a/p0.md" for hit in desk.ask("horse", limit=60).hits)


@pytest.mark.spec("ENC-CATALOG-15")
def test_the_report_names_what_is_wrong(desk) -> None:
    desk.page("a/one.md", "See [[nowhere]].")
    desk.page("a/twin.md", "First.")
    desk.page("b/twin.md", "Second.")
    gone = desk.page("a/gone.md", "x")
    desk.page("a/bad.md", "---\n: [\n---\nText.")
    desk.index()
    gone.unlink()
    desk.page("a/new.md", "x")
    problems = "\n".join(desk.report().problems)
    assert "docs/knowledge-index.md: 1 page (research/entities/a/gone.md) of the catalog is missing" in problems
    assert "docs/knowledge-index.md: 1 page (research/entities/a/new.md) is not in the catalog" in problems
    assert "the slug twin has two pages, research/entities/a/twin.md and research/entities/b/twin.md" in problems
    assert "research/entities/a/bad.md: its front matter is no YAML" in problems
    assert "links lead to pages that are not there: nowhere" in problems


@pytest.mark.spec("ENC-CATALOG-15")
def test_the_report_names_broken_blocks_paths_that_lead_out_and_a_missing_catalog(desk) -> None:
    desk.page("a/one.md", "x")
    assert any("is not there" in problem for problem in desk.report().problems)
    desk.write_catalog("#### broken\n\n#### one [a·b]\nx\n#t\npath: ../../one.md\n")
    problems = "\n".join(desk.report().problems)
    assert "1 blocks cannot be read, lines 1" in problems
    assert "1 paths lead out of research/entities: ../../one.md" in problems


@pytest.mark.spec("ENC-CATALOG-15")
def test_all_is_well_with_a_whole_catalog(desk) -> None:
    desk.page("a/one.md", "See [[two]].")
    desk.page("a/two.md", "x")
    desk.index()
    report = desk.report()
    assert (report.problems, report.documents, report.added, report.changed, report.removed) == ((), 2, 0, 0, 0)


@pytest.mark.spec("ENC-CATALOG-13")
def test_links_binary_and_huge_pages_are_left_out_and_named(desk, tmp_path) -> None:
    (tmp_path / "secret.md").write_text("Zebra secret.")
    desk.page("a/one.md", "Zebra.")
    folder = desk.root / "research" / "entities" / "a"
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    (folder / "binary.md").write_bytes(b"Zebra\0\1\2")
    (folder / "huge.md").write_text("Zebra. " * 800_000)
    done = desk.index()
    reasons = dict(done.skipped)
    assert reasons["research/entities/a/link.md"] == "a link out of the corpus"
    assert reasons["research/entities/a/binary.md"] == "not text"
    assert "larger" in reasons["research/entities/a/huge.md"]
    assert [hit.title for hit in desk.ask("zebra").hits] == ["one"]


@pytest.mark.spec("ENC-CATALOG-12")
def test_the_names_of_results_are_those_of_the_pages(tmp_path) -> None:
    from encyclopedia_adapters.local.catalog import KIND

    desk = Desk(tmp_path)
    desk.page("a/one.md", "# One\n\nZebra.")
    desk.index()
    assert KIND.names(desk.corpus) == ("research/entities/a/one.md",)
    assert desk.ask("zebra").hits[0].locator.path == "research/entities/a/one.md"
