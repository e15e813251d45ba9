"""Vectors are used where there are some, made behind, and never waited for."""

from __future__ import annotations

import asyncio
import threading

import numpy as np
import pytest

from encyclopedia.model.plan import Request
from encyclopedia.model.query import QueryType
from encyclopedia_adapters.local.documents import KIND
from encyclopedia_adapters.shared.text_index import TextIndex
from tests.adapters.local.documents.shelf import Shelf

GROUPS = ({"zeppelin", "airship", "dirigible"}, {"bread", "loaf", "dough"}, {"river", "stream"})


class Meaningful:
    """Knows a few words that mean the same; counts what it is given, and waits if it is told to."""

    fingerprint = "groups-1"
    dimension = 4

    def __init__(self):
        self.texts = []
        self.gate = threading.Event()
        self.gate.set()

    def embed(self, texts):
        self.gate.wait()
        self.texts += texts
        rows = [[*(float(any(word in group for word in text.lower().split())) for group in GROUPS), 0.01] for text in texts]
        found = np.array(rows, np.float32)
        return found / np.linalg.norm(found, axis=1, keepdims=True)


@pytest.fixture
def embedder():
    return Meaningful()


@pytest.fixture
def shelf(tmp_path, embedder):
    (tmp_path / "notes").mkdir()
    shelf = Shelf(tmp_path, embedder=lambda: embedder)
    shelf.write("air.md", "# Flying\n\nThe zeppelin crossed the ocean\n")
    shelf.write("food.md", "# Eating\n\nThe bread is baked\n")
    return shelf


@pytest.mark.spec("ENC-DOCS-25")
def test_what_means_the_same_is_found_once_there_are_vectors(shelf, embedder):
    shelf.index()
    assert shelf.ask("an airship").hits == ()
    done = shelf.index(embedder=embedder)
    assert (done.unchanged, done.vectors) == (2, 2)
    reply = shelf.ask("an airship")
    assert ([hit.locator.path for hit in reply.hits], reply.note) == (["air.md"], "")


@pytest.mark.spec("ENC-DOCS-25")
def test_without_vectors_no_embedder_is_made(tmp_path):
    def none():
        raise AssertionError("nobody asked for it")

    (tmp_path / "notes").mkdir()
    shelf = Shelf(tmp_path, embedder=none)
    shelf.write("a.md", "zeppelin")
    assert shelf.paths("zeppelin") == ["a.md"]


@pytest.mark.spec("ENC-DOCS-25")
def test_words_are_searched_before_vectors_are_made_and_an_interruption_keeps_them(shelf, embedder):
    def interrupt(label, done, total):
        if label.startswith("vectors"):
            assert TextIndex(shelf.corpus.folder).count() == 2
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        KIND.index(shelf.corpus, interrupt, embedder=embedder)
    assert shelf.paths("zeppelin") == ["air.md"]
    assert shelf.index(embedder=embedder).vectors == 2


@pytest.mark.spec("ENC-DOCS-25")
async def test_a_small_rest_is_made_behind_and_no_search_waits_for_it(shelf, embedder):
    KIND.index(shelf.corpus, lambda *_: None, embedder=embedder)
    shelf.write("new.md", "# Water\n\nThe river is wide\n")

    async def ask(text):
        return await shelf.source.search(Request(text, QueryType.LIBRARY_DOCS, 5, 5.0))

    reply = await ask("river")
    assert [hit.locator.path for hit in reply.hits] == ["new.md"]
    assert reply.note == "1 of 3 passages have no vector yet and are found by their words only"
    assert TextIndex(shelf.corpus.folder).vectors(embedder).done == 2  # who asks once starts nothing
    await ask("river")
    while TextIndex(shelf.corpus.folder).vectors(embedder).done < 3:
        await asyncio.sleep(0)
    reply = await ask("a stream")
    assert ([hit.locator.path for hit in reply.hits], reply.note) == (["new.md"], "")
    await shelf.source.aclose()


@pytest.mark.spec("ENC-DOCS-25")
async def test_closing_ends_what_goes_on_behind(shelf, embedder):
    KIND.index(shelf.corpus, lambda *_: None, embedder=embedder)
    for at in range(100):
        shelf.write(f"new{at}.md", f"# Water {at}\n\nThe river is wide\n")
    KIND.index(shelf.corpus, lambda *_: None)
    for _ in range(3):
        await shelf.source.search(Request("river", QueryType.LIBRARY_DOCS, 5, 5.0))
    await shelf.source.aclose()
    assert not any(thread.name == "encyclopedia-vectors" for thread in threading.enumerate())
