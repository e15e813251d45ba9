"""A corpus goes from a folder to an engine and back, whole, without its files, however often it is interrupted."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from encyclopedia_adapters.engines.moving import BATCH, end_of, move
from encyclopedia_adapters.engines.opening import open_index
from tests.adapters.engines.conftest import SERVERS
from tests.adapters.engines.passages import PETS, fill, library, passage
from tests.adapters.engines.test_index_contract import ODD
from tests.adapters.shared.text_index.meanings import Meanings, no_progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from encyclopedia.model.corpus import Corpus
    from encyclopedia_adapters.engines.opening import Index

WAYS = [way for engine in SERVERS for way in (("folder", engine), (engine, "folder"))]
QUESTIONS = ("river bridge", "whisper", "car", "cat on the stove")


def everything(index: Index) -> dict[str, Any]:
    """All that can be seen of an index, but for scores, which lengths move a little."""
    found = {document: sorted(each[:2] + each[3:7] for each in index.passages(document)) for document in index.documents()}
    tags = {tag: sorted(each.id for each in index.tagged((tag,))) for tag in ("odd", "even", "animal", "home", "plant")}
    return {"states": dict(index.documents()), "passages": found, "tags": tags, "vectors": index.vectors(Meanings())}


class Interrupted(Exception):
    """As Ctrl-C is."""


def interrupting(after: int) -> Callable[[str, int, int], None]:
    calls = iter(range(after))

    def progress(_what: str, _done: int, _total: int) -> None:
        if next(calls, None) is None:
            raise Interrupted

    return progress


@pytest.mark.spec("ENC-ENGINE-7")
@pytest.mark.parametrize(("origin", "goal"), WAYS)
def test_all_that_can_be_seen_of_it_arrives(corpus: Callable[[str], Corpus], origin: str, goal: str) -> None:
    source, target = open_index(corpus(origin)), open_index(corpus(goal))
    fill(source, *library(BATCH + 50), *PETS, state="a state")
    with source.update() as writer:
        for document in dict.fromkeys(each.document for each in ODD):
            writer.put(document, [each for each in ODD if each.document == document], "odd")
        writer.put("nothing in it", [], "empty")
    embedder = Meanings()
    source.fill(embedder, no_progress)
    before, scores = everything(source), [source.search(text, limit=9, embedder=Meanings()) for text in QUESTIONS]
    done = move(end_of(corpus(origin)), end_of(corpus(goal)), no_progress)
    assert (done.documents, done.passages) == (len(before["states"]), source.count())
    assert everything(target) == before == everything(source)
    for text, expected in zip(QUESTIONS, scores, strict=True):
        found = {each.id: each for each in target.search(text, limit=400, embedder=Meanings())}
        for each in expected:
            assert found[each.id].score == pytest.approx(each.score, abs=0.1)
            assert found[each.id].near == pytest.approx(each.near, abs=1e-5)
    assert target.fill(Meanings(), no_progress) == 0, "a vector was lost"


@pytest.mark.spec("ENC-ENGINE-7")
@pytest.mark.parametrize(("origin", "goal"), WAYS)
def test_who_interrupts_it_goes_on_later(corpus: Callable[[str], Corpus], origin: str, goal: str) -> None:
    source, target = open_index(corpus(origin)), open_index(corpus(goal))
    fill(source, *library(3 * BATCH))
    source.fill(Meanings(), no_progress)
    for after in (1, 1, 1):
        with pytest.raises(Interrupted):
            move(end_of(corpus(origin)), end_of(corpus(goal)), interrupting(after))
    assert len(target.documents()) == 3 * BATCH, "what was done is not kept"
    told: list[str] = []
    move(end_of(corpus(origin)), end_of(corpus(goal)), lambda what, *_: told.append(what))
    assert told == ["vectors"]
    assert everything(target) == everything(source)


@pytest.mark.spec("ENC-ENGINE-7")
@pytest.mark.parametrize(("origin", "goal"), WAYS)
def test_what_changes_meanwhile_is_copied_again(corpus: Callable[[str], Corpus], origin: str, goal: str) -> None:
    source, target = open_index(corpus(origin)), open_index(corpus(goal))
    fill(source, *library(BATCH + 10))
    calls = iter(range(2))

    def progress(_what: str, _done: int, _total: int) -> None:
        if next(calls, None) == 1:
            fill(source, passage("d0000", "changed on the way"), passage("new", "come on the way"), state="2")
            with source.update() as writer:
                writer.remove("d0001")

    move(end_of(corpus(origin)), end_of(corpus(goal)), progress)
    assert everything(target) == everything(source)
    assert target.documents()["d0000"] == target.documents()["new"] == "2"


@pytest.mark.spec("ENC-ENGINE-7")
@pytest.mark.parametrize(("origin", "goal"), WAYS)
def test_vectors_arrive_bit_for_bit_and_without_any_none_are_made(
    corpus: Callable[[str], Corpus], origin: str, goal: str
) -> None:
    source, target = open_index(corpus(origin)), open_index(corpus(goal))
    fill(source, *library(20))
    move(end_of(corpus(origin)), end_of(corpus(goal)), no_progress)
    assert target.encoded() is None
    source.fill(Meanings(), no_progress)
    move(end_of(corpus(origin)), end_of(corpus(goal)), no_progress)
    here, there = end_of(corpus(origin)), end_of(corpus(goal))
    keys = list(islice(_keys(source), 50))
    sent, came = here.vectors_of(keys), there.vectors_of(keys)
    assert len(sent) == len(keys) == len(came) == 20
    assert all(np.array_equal(sent[key], came[key]) for key in keys)


def _keys(index: Index) -> list[int]:
    from encyclopedia_adapters.shared.text_index import questions

    found = [each for document in index.documents() for each in index.passages(document)]
    return [questions.key(each.title, each.body) for each in found]
