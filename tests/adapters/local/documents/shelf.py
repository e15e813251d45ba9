"""A corpus of documents in a temporary folder, and the ways to look at it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from encyclopedia.model.corpus import Corpus
from encyclopedia.model.plan import Request
from encyclopedia.model.query import QueryType
from encyclopedia.ports import Context, no_embedder
from encyclopedia_adapters.local import walk
from encyclopedia_adapters.local.documents import KIND

FIXTURES = Path(__file__).parents[3] / "fixtures"
NOTES = FIXTURES / "notes"


class NoResources:
    def get(self, name, make):
        raise AssertionError(f"a local source needs no {name}")


def quiet(*_):
    pass


class Shelf:
    """A corpus in a temporary folder, and the ways to look at it."""

    def __init__(self, folder, path=None, embedder=no_embedder, **more):
        self.path = path or folder / "notes"
        self.corpus = Corpus("notes", str(self.path), "documents", str(folder / "index"), {QueryType.LIBRARY_DOCS: 0.4}, **more)
        self.card = KIND.card(self.corpus)
        self.source = self.card.make(
            Context("notes", str(folder), "agent", 5.0, NoResources(), lambda name: "", embedder=embedder)
        )

    def write(self, name, text):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def settle(self):
        """Wait for the clock of the file system to move on, so that another write would leave another stamp."""
        while walk.walk(str(self.path)).fresh:
            pass

    def index(self, **more):
        return KIND.index(self.corpus, quiet, **more)

    def ask(self, text, *, limit=10, timeout=5.0, **more):
        return asyncio.run(self.source.search(Request(text, QueryType.LIBRARY_DOCS, limit, timeout, **more)))

    def paths(self, text, **more):
        return [hit.locator.path for hit in self.ask(text, **more).hits]
