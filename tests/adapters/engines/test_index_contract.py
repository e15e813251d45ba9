"""What an index of passages does, the same in a folder and on every engine."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from encyclopedia.model.corpus import Corpus
from encyclopedia_adapters.engines.opening import open_index
from encyclopedia_adapters.shared.text_index import Passage
from tests.adapters.engines.conftest import SERVERS
from tests.adapters.engines.passages import PETS, WORDS, fill, ids, library, passage
from tests.adapters.shared.text_index.meanings import Meanings, no_progress

if TYPE_CHECKING:
    from encyclopedia_adapters.engines.opening import Index


@pytest.mark.spec("ENC-ENGINE-1")
def test_an_index_that_is_not_there_is_empty(index: Index) -> None:
    assert (index.count(), dict(index.documents()), index.problem) == (0, {}, "")
    assert (index.stamp(), index.changed_at(), index.encoded()) == (None, 0.0, None)
    assert index.search("cat", limit=5) == index.passages("cat") == index.tagged(("animal",)) == ()
    assert index.vectors(Meanings()).total == index.fill(Meanings(), no_progress) == 0
    index.remove()


@pytest.mark.spec("ENC-ENGINE-1")
def test_what_was_put_is_found_whole(index: Index) -> None:
    fill(index, *PETS)
    assert (index.count(), dict(index.documents())) == (3, {"cat": "s", "dog": "s", "oak": "s"})
    (found,) = index.search("oaks", limit=5)
    assert (found.id, found.document, found.title, found.data) == ("oak", "oak", "Trees", {"lines": [1, 2]})
    assert found.body == "An oak grows for three hundred years."
    assert found.score > 0
    assert ids(index.search("cat sleeps stove nonsense", limit=5)) == ["cat", "dog"]
    assert ids(index.search("cat", limit=1)) == ["cat"]
    assert ids(index.search("hound", limit=5)) == ["dog"]
    assert index.search("nonsense", limit=5) == index.search("cat", limit=0) == index.search("", limit=5) == ()


@pytest.mark.spec("ENC-ENGINE-1")
def test_tags_and_documents_narrow_before_anything_is_ranked(index: Index) -> None:
    fill(index, *PETS, *(passage(f"filler{number}", "cat cat cat", tags=("other",)) for number in range(30)))
    assert ids(index.search("cat", limit=2, tags=("animal",))) == ["cat", "dog"]
    assert ids(index.search("cat", limit=2, tags=("animal", "plant"), documents=("dog", "oak"))) == ["dog"]
    assert index.search("cat", limit=2, tags=("nobody has it",)) == ()
    whole = {found.id: found.score for found in index.search("cat", limit=50)}
    narrowed = index.search("cat", limit=50, documents=("cat", "dog"))
    assert {found.id: found.score for found in narrowed} == {name: pytest.approx(whole[name]) for name in ("cat", "dog")}
    assert ids(index.tagged(("plant", "home"))) == ["cat", "oak"]


@pytest.mark.spec("ENC-ENGINE-1")
def test_documents_are_replaced_marked_and_removed(index: Index) -> None:
    with index.update() as writer:
        writer.put("two", [passage("two#1", "second", document="two"), passage("two#0", "first", document="two")], "1")
        writer.put("one", [passage("one#0", "lonely")], "1")
    before = index.stamp()
    with index.update() as writer:
        writer.put("two", [passage("two#2", "third", document="two")], "2")
        writer.mark("one", "3")
    assert index.stamp() != before
    assert dict(index.documents()) == {"two": "2", "one": "3"}
    assert [(found.id, found.score) for found in index.passages("two")] == [("two#2", 0)]
    assert (index.search("first", limit=5), ids(index.search("lonely", limit=5))) == ((), ["one#0"])
    with index.update() as writer:
        writer.remove("one")
        writer.remove("never there")
    assert (dict(index.documents()), index.count()) == ({"two": "2"}, 1)
    assert index.search("lonely", limit=5) == ()
    with index.update() as writer:
        writer.clear()
        writer.put("new", [passage("new", "begun again")], "1")
    assert (dict(index.documents()), index.count()) == ({"new": "1"}, 1)


@pytest.mark.spec("ENC-ENGINE-1")
def test_an_update_that_fails_changes_nothing(index: Index) -> None:
    fill(index, *PETS)
    before = index.stamp()

    def failing() -> None:
        with index.update() as writer:
            writer.put("cat", [passage("cat", "changed")], "2")
            writer.remove("dog")
            raise RuntimeError("interrupted")

    with pytest.raises(RuntimeError, match="interrupted"):
        failing()
    assert (index.stamp(), index.count()) == (before, 3)
    assert index.search("changed", limit=5) == ()
    with index.update():
        pass
    assert index.stamp() == before


@pytest.mark.spec("ENC-ENGINE-1")
def test_words_in_titles_quotations_and_beginnings_count_as_ever(index: Index) -> None:
    rest = [passage(f"x{number}", "nothing to see here", title="Elsewhere") for number in range(10)]
    fill(
        index,
        passage("titled", "all of it and more words here", title="Backup"),
        passage("plain", "backup of it and more words here"),
        passage("row", "deploy the release notes on friday evening and go"),
        passage("apart", "notes on friday say: deploy what the release brings"),
        passage("hump", "class HttpServerFactory makes it"),
        passage("accent", "Das Café am Fluß"),
        passage("thai", "検索エンジンの索引"),
        *rest,
    )
    assert ids(index.search("backup", limit=2)) == ["titled", "plain"]
    assert ids(index.search('"release notes"', limit=2)) == ["row", "apart"]
    assert ids(index.search("httpserv*", limit=5)) == ["hump"]
    assert ids(index.search("server factory", limit=5)) == ["hump"]
    assert ids(index.search("cafe", limit=5)) == ["accent"]
    assert ids(index.search("検索エンジン", limit=5)) == ["thai"]


ODD = (
    Passage(
        "a'\\ \0b",
        "o'dd \\ \ud800 \0 % {} name",
        "It's a \\ title",
        "bo'dy: \\ \ud800 \0 'quoted' & | ! <-> :* words",
        ("t'a\\g \0",),
    ),
    Passage("empty", "empty", "", ""),
    Passage("long", "l" * 5000, "", "word " * 50_000, ("x" * 5000,)),
    Passage("same", "twice", "", "first of two"),
    Passage("same", "twice", "", "second of two"),
    Passage("blob", "blob", "", "A" * 20_000 + " behind the blob"),
)


@pytest.mark.spec("ENC-ENGINE-1")
def test_any_text_goes_in_and_comes_back(index: Index) -> None:
    with index.update() as writer:
        for document in dict.fromkeys(each.document for each in ODD):
            writer.put(document, [each for each in ODD if each.document == document], "st'a\\te \ud800")
    assert index.count() == len(ODD)
    assert dict(index.documents()) == dict.fromkeys((each.document for each in ODD), "st'a\\te \ud800")
    found = [match for document in index.documents() for match in index.passages(document)]
    assert sorted((each.id, each.document, each.title, each.body) for each in found) == sorted(tuple(each[:4]) for each in ODD)
    for each in ODD[0], ODD[2]:
        assert ids(index.tagged(each.tags)) == [each.id]
        assert ids(index.search("words" if each is ODD[0] else "word", limit=9, documents=(each.document,))) == [each.id]
    assert ids(index.search("behind", limit=5)) == ["blob"]
    assert ids(index.search("'quoted' & | ! <-> :* \\ \0 \ud800 $$ ; DROP TABLE passage", limit=1)) == [ODD[0].id]
    with index.update() as writer:
        for document in dict.fromkeys(each.document for each in ODD):
            writer.remove(document)
    assert (index.count(), dict(index.documents())) == (0, {})


@pytest.mark.spec("ENC-ENGINE-1")
def test_meaning_counts_where_there_are_vectors(index: Index) -> None:
    fill(
        index,
        passage("auto", "a quick automobile", tags=("road",)),
        passage("sea", "the ocean is wide", tags=("water",)),
        passage("boat", "a vehicle at sea", tags=("water",)),
        passage("oak", "an oak is a tree", tags=("wood",)),
    )
    embedder = Meanings()
    assert index.search("car", limit=5, embedder=embedder) == ()
    assert index.fill(embedder, no_progress) == 4
    assert (index.encoded(), index.vectors(embedder)[:2]) == (4, (4, 4))
    found = index.search("car", limit=5, embedder=embedder)
    assert ids(found)[:2] == ["auto", "boat"]
    assert all(0 <= each.score <= 1 and each.near is not None for each in found)
    assert ids(index.search("car", limit=5, embedder=embedder, tags=("water",)))[0] == "boat"
    assert ids(index.search("car", limit=5, embedder=embedder, documents=("oak",))) == []
    assert index.fill(embedder, no_progress) == 0
    fill(index, passage("auto", "a quick automobile", tags=("road",)), passage("new", "a rapid car"), state="2")
    assert index.vectors(embedder)[:2] == (4, 5)
    assert index.fill(embedder, no_progress) == 1
    assert set(ids(index.search("fast", limit=2, embedder=embedder))) == {"auto", "new"}


@pytest.mark.spec("ENC-ENGINE-1")
def test_vectors_of_another_embedder_are_never_compared(index: Index) -> None:
    fill(index, passage("auto", "automobile"))
    index.fill(Meanings(), no_progress)
    other = Meanings("another", dimension=16)
    assert "another" in index.vectors(other).problem
    assert index.search("car", limit=5, embedder=other) == ()
    assert index.fill(other, no_progress) == 1
    assert (index.vectors(other), index.encoded()) == ((1, 1, ""), 1)
    assert ids(index.search("car", limit=5, embedder=other)) == ["auto"]


@pytest.mark.spec("ENC-ENGINE-1")
def test_coverage_weighs_words_by_how_rare_they_are_here(index: Index) -> None:
    fill(index, *(passage(f"d{number}", f"common words and word{number}") for number in range(400)))
    needs = index.coverage("common word7")
    assert needs.share("word7") > 0.8
    assert needs.share("common") < 0.2


@pytest.mark.spec("ENC-ENGINE-1")
@pytest.mark.parametrize("engine", SERVERS)
def test_a_folder_and_an_engine_rank_alike(corpus: Callable[[str], Corpus], engine: str) -> None:
    """Scores agree but for the lengths, which a folder keeps rounded; so does the order, but for scores that are about equal."""
    here, there = (open_index(corpus(place)) for place in ("folder", engine))
    fill(here, *library(300))
    fill(there, *library(300))
    here.fill(Meanings(), no_progress)
    there.fill(Meanings(), no_progress)
    chance = random.Random(7)
    for tags in ((), ("odd",)):
        for embedder in (None, Meanings()):
            for _ in range(15):
                text = " ".join(chance.sample(WORDS, chance.randint(1, 4)))
                own = {each.id: each.score for each in here.search(text, limit=400, tags=tags, embedder=embedder)}
                other = {each.id: each.score for each in there.search(text, limit=400, tags=tags, embedder=embedder)}
                assert own.keys() == other.keys(), text
                best = max(own.values())
                for name, score in own.items():
                    assert other[name] == pytest.approx(score, rel=0.08, abs=0.03 * best), (text, name)
