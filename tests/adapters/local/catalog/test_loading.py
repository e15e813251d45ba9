"""What a load gives back: neighbours, texts as they are now, and what is stale or hostile."""

from __future__ import annotations

import os
import shutil

import pytest

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.topic import TopicLoad
from encyclopedia_adapters.local.catalog import KIND
from tests.adapters.local.catalog.desk import Desk, later, quiet

SCORINGS = pytest.mark.parametrize("scoring", ["default", "classic"])


def vias(body):
    return [(row["slug"], row["via"]) for row in body["matches"]]


@pytest.mark.spec("ENC-CATALOG-10")
@SCORINGS
def test_neighbours_come_after_what_matches_at_most_as_many_each_with_its_seed(desk, scoring) -> None:
    desk.page("a/seed.md", "Zebra. [[out-one]] [[out-two]] [[gone]]")
    desk.page("a/out-one.md", "Plain. [[hub]]")
    desk.page("b/out-two.md", "Plain. [[hub]]")
    desk.page("b/in-one.md", "Points to [[seed]] and [[out-two]].")
    desk.page("b/hub.md", "Far away.")
    assert vias(desk.load("zebra", scoring=scoring, n=1)) == [("seed", None)]
    assert vias(desk.load("zebra", scoring=scoring, n=3, expand=1)) == [
        ("seed", None),
        ("out-two", "seed"),
        ("out-one", "seed"),
        ("in-one", "seed"),
    ]
    body = desk.load("zebra", scoring=scoring, n=1, expand=5)
    assert vias(body) == [("seed", None), ("out-two", "seed")]
    assert "--expand goes one link far" in body["notes"]


@pytest.mark.spec("ENC-CATALOG-10")
@SCORINGS
def test_within_a_type_only_neighbours_of_that_type_are_added(desk, scoring) -> None:
    desk.page("a/seed.md", "Zebra. [[near]] [[far]]")
    desk.page("a/near.md", "Plain.")
    desk.page("b/far.md", "Zebra too.")
    body = desk.load("zebra", scoring=scoring, expand=1, type="a")
    assert vias(body) == [("seed", None), ("near", "seed")]
    assert "neighbours are limited to the type a" in body["notes"]
    assert body["entities"] == 2


@pytest.mark.spec("ENC-CATALOG-10")
def test_an_unknown_type_is_an_error_that_names_the_nearest(desk) -> None:
    desk.page("pattern/a.md", "x")
    with pytest.raises(ConfigurationError, match="no entity is of type 'patern'") as caught:
        desk.load("x", type="patern")
    assert "pattern" in caught.value.hint


@pytest.mark.spec("ENC-CATALOG-12")
@SCORINGS
def test_a_page_is_shown_as_it_is_now_and_one_that_is_gone_is_not(desk, scoring) -> None:
    one, two = desk.page("a/one.md", "Zebra old."), desk.page("a/two.md", "Zebra two.")
    desk.index()
    stamp = one.stat()
    one.write_text("Zebra new.")
    os.utime(one, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    two.unlink()
    body = desk.load("zebra", scoring=scoring)
    assert [(row["id"], row["body"]) for row in body["matches"]] == [("a/one", "Zebra new.")]
    assert any("missing" in sentence for sentence in body["stale"])


@pytest.mark.spec("ENC-CATALOG-12")
def test_a_page_that_moved_or_is_new_is_found_before_the_catalog_knows_it(desk) -> None:
    page = desk.page("a/one.md", "Zebra.")
    desk.index()
    shutil.move(page, page.with_name("moved.md"))
    desk.page("b/new.md", "A zebra too.")
    body = desk.load("zebra")
    assert sorted(row["path"] for row in body["matches"]) == ["research/entities/a/moved.md", "research/entities/b/new.md"]
    assert len(body["stale"]) == 2


@pytest.mark.spec("ENC-CATALOG-11")
def test_a_catalog_is_stale_by_age_by_changed_missing_and_unknown_pages(desk) -> None:
    one, two, three = (desk.page(f"a/{name}.md", "Zebra.") for name in ("one", "two", "three"))
    desk.index()
    assert desk.load("zebra")["stale"] == []
    os.utime(desk.catalog, (1, 1))
    (age,) = desk.load("zebra")["stale"]
    assert age.startswith("the catalog is ")
    desk.index()
    one.write_text("Horse.")
    later(one)
    later(three)  # only the time is another one: it says the same
    two.unlink()
    desk.page("a/four.md", "Zebra.")
    desk.page("a/merged.md", "Zebra.", status="merged")
    assert desk.load("zebra")["stale"] == [
        "1 page (research/entities/a/two.md) of the catalog is missing",
        "1 page (research/entities/a/one.md) changed since the catalog was written",
        "1 page (research/entities/a/four.md) is not in the catalog",
    ]
    desk.index()
    assert desk.load("zebra")["stale"] == []


@pytest.mark.spec("ENC-CATALOG-11")
def test_the_pages_stand_in_for_a_catalog_that_is_not_there_or_cannot_be_read(desk) -> None:
    desk.page("a/one.md", "Zebra.")
    for text in (None, "no blocks", "\0binary", "#### broken"):
        if text is not None:
            desk.write_catalog(text)
        for scoring in ("default", "classic"):
            body = desk.load("zebra", scoring=scoring)
            assert [row["id"] for row in body["matches"]] == ["a/one"]
            assert any("read from 1 pages instead" in note for note in body["notes"])


@pytest.mark.spec("ENC-CATALOG-11")
def test_no_pages_at_all_is_a_configuration_error(desk) -> None:
    with pytest.raises(ConfigurationError, match="no entities"):
        desk.load("zebra")


@pytest.mark.spec("ENC-CATALOG-13")
@SCORINGS
@pytest.mark.parametrize(
    "path", ["../../../secret.md", "{outside}", "a/link.md", "b/../../../../secret.md", "a/pipe.md", "\N{NULL}"]
)
def test_no_path_of_a_catalog_leads_out(desk, tmp_path, scoring, path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("Zebra secret.")
    desk.page("a/honest.md", "Zebra.")
    (desk.root / "research" / "entities" / "a" / "link.md").symlink_to(secret)
    os.mkfifo(desk.root / "research" / "entities" / "a" / "pipe.md")
    told = path.format(outside=secret)
    desk.write_catalog(
        f"#### evil [a·b]\nZebra.\n#zebra\npath: {told}\n\n#### honest [a·b]\nZebra.\n#zebra\npath: a/honest.md\n"
    )
    body = desk.load("zebra", scoring=scoring, body_search=True)
    assert [row["id"] for row in body["matches"]] == ["a/honest"]
    assert "secret" not in str([row["body"] for row in body["matches"]])


@pytest.mark.spec("ENC-CATALOG-13")
def test_a_folder_of_entities_that_is_a_link_out_is_no_folder_of_entities(desk, tmp_path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "x.md").write_text("Zebra.")
    (desk.root / "research").mkdir()
    (desk.root / "research" / "entities").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConfigurationError, match="no entities"):
        desk.load("zebra")


@pytest.mark.spec("ENC-CATALOG-13")
def test_what_acts_on_a_terminal_is_taken_out_of_text_and_properties(desk) -> None:
    desk.page("a/one.md", "Zebra \x1b[31mred\x1b]0;x\x07 \u202eback.", tags=["\x1b[2Jtag"], core_claim="Claim \x1b[31mred")
    desk.index()
    row = desk.load("zebra")["matches"][0]
    assert not any(mark in str(row) for mark in ("\x1b", "\\x1b", "\u202e", "\\u202e"))


@pytest.mark.spec("ENC-CATALOG-16")
def test_catalog_and_entities_may_lie_elsewhere_below_the_root(tmp_path) -> None:
    desk = Desk(tmp_path, catalog="index.md", entities="notes")
    target = desk.root / "notes" / "a" / "one.md"
    target.parent.mkdir(parents=True)
    target.write_text("Zebra.")
    desk.index()
    assert (desk.root / "index.md").is_file()
    assert [row["path"] for row in desk.load("zebra")["matches"]] == ["notes/a/one.md"]
    flat = Desk(tmp_path / "flat", desk.root, catalog="index.md", entities=".")
    assert flat.ids("zebra") == ["notes/a/one"], "the catalog itself is no page"


@pytest.mark.spec("ENC-CATALOG-16")
@pytest.mark.parametrize("name", ["catalog", "entities"])
@pytest.mark.parametrize("value", ["../x", "/etc", "a/../../b", "", 7, "x\0y"])
def test_a_setting_that_leads_out_is_refused(tmp_path, name, value) -> None:
    desk = Desk(tmp_path, **{name: value})
    with pytest.raises(ConfigurationError, match=name):
        KIND.load(desk.corpus, TopicLoad("x"), quiet)


@pytest.mark.spec("ENC-CATALOG-12")
def test_an_index_that_cannot_be_written_is_told_and_the_points_stand_in(desk) -> None:
    desk.page("a/one.md", "Zebra.")
    (desk.folder / "index").write_text("no folder")
    body = desk.load("zebra")
    assert [row["id"] for row in body["matches"]] == ["a/one"]
    assert "scored the classic way" in body["notes"][-1]


@pytest.mark.spec("ENC-CATALOG-11")
def test_the_summary_tells_types_hubs_and_missing_pages(patterns) -> None:
    body = KIND.summary(patterns.corpus, quiet)
    assert body["entities"] == sum(body["types"].values()) == 187
    assert next(iter(body["types"].items())) == ("behavioral", 41)
    assert body["hubs"][0] == {"slug": "strategy", "in_degree": 29}
    assert body["dangling"][0] == {"slug": "dao", "in_degree": 4}
    assert body["schema"] == "dense-catalog-v2"
