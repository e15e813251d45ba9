"""A document as a whole, as its file stands now, without what may not be shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from encyclopedia import ConfigurationError, Encyclopedia
from encyclopedia.faces.document import document
from encyclopedia.model.errors import NothingFound
from encyclopedia.model.label import Label
from tests.governed import SECRET, environ, shelf


def opened(home: Path, ceiling: str = "secret") -> Encyclopedia:
    return Encyclopedia(home=str(home), environ=environ(), ceiling=ceiling)


@pytest.mark.spec("ENC-DOCUMENT-1")
async def test_all_passages_come_in_their_order_under_their_headings(tmp_path: Path) -> None:
    shelf(tmp_path)
    path = tmp_path / "shelf" / "notes" / "long.md"
    path.write_text("# Long\n\nfirst\n\n## One\n\nsecond\n\n## Two\n\nthird\n")
    async with opened(tmp_path) as e:
        found = document(e.engine, "notes", "long.md")
        assert (found.title, found.label, found.withheld) == ("Long", Label.PUBLIC, 0)
        places = [found.text.index(word) for word in ("first", "One", "second", "Two", "third")]
        assert places == sorted(places)
        path.write_text("# Long\n\nother\n")
        assert document(e.engine, "notes", "long.md").text.endswith("other")


@pytest.mark.spec("ENC-DOCUMENT-2")
async def test_passages_above_the_ceiling_are_left_out_and_counted(tmp_path: Path) -> None:
    shelf(tmp_path)
    async with opened(tmp_path) as e:
        whole = document(e.engine, "notes", "keys.md")
        assert (SECRET in whole.text, whole.label) == (True, Label.SECRET)
    async with opened(tmp_path, "internal") as e:
        part = document(e.engine, "notes", "keys.md")
        assert (SECRET in part.text, "keeper" in part.text, part.withheld, part.label) == (False, True, 1, Label.PUBLIC)
        assert document(e.engine, "notes", "party.md").text == ""
        with pytest.raises(ConfigurationError, match="unknown corpus 'diary'") as caught:
            document(e.engine, "diary", "monday.md")
        assert "vault" not in caught.value.hint


@pytest.mark.spec("ENC-DOCUMENT-1")
@pytest.mark.parametrize("path", ["none.md", "../config.toml", "/etc/passwd", "", "..", "link.md"])
async def test_only_documents_of_the_corpus_are_read(tmp_path: Path, path: str) -> None:
    shelf(tmp_path)
    (tmp_path / "outside.md").write_text("# Outside\n\nnot for you\n")
    (tmp_path / "shelf" / "notes" / "link.md").symlink_to(tmp_path / "outside.md")
    async with opened(tmp_path) as e:
        with pytest.raises(NothingFound):
            document(e.engine, "notes", path)


@pytest.mark.spec("ENC-CEILING-2")
async def test_a_ceiling_holds_for_every_verb_and_is_checked(tmp_path: Path) -> None:
    shelf(tmp_path)
    async with opened(tmp_path, "public") as e:
        report = await e.search("penguins birthday", corpora="notes")
        assert all(result.label == "public" for result in report.results)
        assert report.body["withheld"] == 1
        assert "birthday" not in str((await e.ask("who came to my birthday?")).body["answer"])
        lookup = await e.lookup("penguins birthday")
        assert "birthday" not in lookup.content
        assert {row["source"] for row in await e.sources()}.isdisjoint({"diary", "vault"})
    with pytest.raises(ConfigurationError, match="unknown label"):
        opened(tmp_path, "publik")


@pytest.mark.spec("ENC-CEILING-2")
async def test_settings_of_a_corpus_above_the_ceiling_are_no_error(tmp_path: Path) -> None:
    shelf(tmp_path)
    with (tmp_path / "config.toml").open("a") as file:
        file.write("\n[sources.diary]\ntimeout = 2.0\n")
    async with opened(tmp_path, "public") as e:
        assert (await e.search("penguins", corpora="notes")).results
