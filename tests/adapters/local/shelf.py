"""A corpus of any reference kind in a temporary folder."""

from __future__ import annotations

import asyncio
from pathlib import Path

from encyclopedia.model.corpus import Corpus
from encyclopedia.model.plan import Request
from encyclopedia.model.query import QueryType
from encyclopedia.ports import Context
from encyclopedia_adapters.local import devdocs, docset, inventory, llms

KINDS = {"inventory": inventory, "docset": docset, "devdocs": devdocs, "llms": llms}


class NoResources:
    def get(self, name, make):
        raise AssertionError(f"a local source needs no {name}")


def quiet(*_):
    pass


class Shelf:
    """A corpus of one kind in a temporary folder, and the ways to look at it."""

    def __init__(self, kind, folder, path, **more):
        self.kind = KINDS[kind].KIND
        self.path = Path(path)
        self.corpus = Corpus("books", str(path), kind, str(folder / "index"), {QueryType.LIBRARY_DOCS: 0.4}, **more)
        self.context = Context("books", str(folder), "agent", 5.0, NoResources(), lambda name: "")
        self.card = self.kind.card(self.corpus)
        self.source = self.card.make(self.context)

    def index(self, **more):
        return self.kind.index(self.corpus, quiet, **more)

    def report(self):
        return self.kind.report(self.corpus)

    def ask(self, text, *, limit=10, timeout=5.0, **more):
        return asyncio.run(self.source.search(Request(text, QueryType.LIBRARY_DOCS, limit, timeout, **more)))

    def first(self, text, **more):
        return self.ask(text, **more).hits[0]
