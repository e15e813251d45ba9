"""Answers from the books of a graph: passages, those first that are about the concept that is asked for."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import ConfigurationError, Refused
from encyclopedia.model.outcome import Hit, Locator, Reply
from encyclopedia.ports import no_embedder
from encyclopedia_adapters.local.corpus_meaning import Meaning
from encyclopedia_adapters.local.graph import texts
from encyclopedia_adapters.local.graph.ask import passages
from encyclopedia_adapters.local.graph.kind import refusals
from encyclopedia_adapters.local.graph.layer import Layer, View
from encyclopedia_adapters.local.graph.rows import known_books
from encyclopedia_adapters.local.graph.shelf import Shelf, shelf
from encyclopedia_adapters.local.graph.store import Store, several
from encyclopedia_adapters.local.graph.update import Run, bring, changes, known_units
from encyclopedia_adapters.local.walk import Bounds

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from threading import Event

    from encyclopedia.model.corpus import Corpus
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Embedder

BOUNDS = Bounds(files=2000, seconds=0.1)
LITTLE = 2_000_000
"""Bytes of changed books that a search reads by itself; more is left to ``corpus index``."""

_SHARE = 0.6
_DEPTH = 4


class GraphSource:
    """The source of one corpus of books."""

    def __init__(self, corpus: Corpus, embedder: Callable[[], Embedder | None] = no_embedder) -> None:
        self._corpus = corpus
        self._meaning = Meaning(texts.sections_of(corpus.folder), embedder)
        self._store = Store(corpus.folder)

    async def search(self, request: Request) -> Reply:
        """The best sections; what only ``request.expanded`` finds is in ``alternatives``."""
        from encyclopedia_adapters.shared.blocking import in_thread

        return await in_thread(self.answer, request)

    def answer(self, request: Request, cancelled: Event) -> Reply:
        """As ``search``, in the thread that asks; ``cancelled`` set means that nobody waits for it any longer."""
        until = time.monotonic() + _SHARE * request.timeout
        try:
            found = shelf(self._corpus, BOUNDS)
            reduced = self._refresh(found, lambda: cancelled.is_set() or time.monotonic() > until)
            notes = self._meaning.note()
            with refusals(self._corpus), self._store.reader() as con:
                hits = self._hits(con, request, request.text, found) if con else ()
                others = self._hits(con, request, request.expanded, found) if con and request.expanded else ()
        except FileNotFoundError:
            remedy = f"bring it back, or `encyclopedia corpus remove {self._corpus.name}`"
            raise Refused(f"{self._corpus.path} is not there: {remedy}") from None
        except ConfigurationError as error:
            raise Refused(f"{error.message}: {error.hint}") from error
        pages = {hit.page for hit in hits}
        return Reply(hits, tuple(hit for hit in others if hit.page not in pages), reduced, "; ".join(notes))

    def _refresh(self, found: Shelf, stop: Callable[[], bool]) -> str:
        """Read what little has changed; the reason why the answer is less than the books could give, if it is."""
        made = changes(known_units(self._store), found)
        pending = [found.units[name] for name in (*made.added, *made.changed, *made.doubtful)]
        little = sum(stamp[0] for unit in pending for stamp in unit.files.values()) <= LITTLE
        failure = ""
        if (made or made.doubtful or self._behind()) and found.complete and little:
            try:
                with refusals(self._corpus):
                    bring(self._corpus, found, Run(wait=0.25, stop=stop))
            except ConfigurationError as error:
                failure = error.message
            made = changes(known_units(self._store), found)
        if not made:
            return ""
        told = failure or f"run `encyclopedia corpus index {self._corpus.name}`"
        return f"{len(made)} books are not searched as they are now: {told}"

    def _behind(self) -> bool:
        with refusals(self._corpus), self._store.reader() as con:
            return con is not None and texts.behind(self._corpus.folder, known_books(con))

    def _hits(self, con: sqlite3.Connection, request: Request, text: str, found: Shelf) -> tuple[Hit, ...]:
        books = self._books(con, request.tags)
        if not books:
            return ()
        layer = Layer("", books, {}, {})
        coverage = texts.sections_of(self._corpus.folder).coverage(request.text, request.stands_for)
        rows = passages(View(con, self._corpus.folder, layer, self._meaning.embedder()), text, (), request.limit * _DEPTH)
        there = found.paths if found.complete else frozenset()
        hits = []
        for row in rows:
            names = (self._corpus.name, row["book_title"], row["title"], *self._concepts(con, row["concept_ids"]))
            gone = found.complete and row["path"] not in there
            if not gone and coverage.share(*names, row["content"]) >= coverage.enough:
                hits.append(self._hit(row))
        return tuple(hits[: request.limit])

    def _books(self, con: sqlite3.Connection, tags: tuple[str, ...]) -> tuple[str, ...]:
        """The books in scope: all, if the whole corpus has one of the tags."""
        from encyclopedia_adapters.local.front_matter import nested

        books = tuple(known_books(con))
        wanted = {name for tag in tags for name in nested(tag)[:1]}
        if not wanted or wanted.intersection(name for tag in self._corpus.tags for name in nested(tag)):
            return books
        return tuple(book for book in books if book.lower() in wanted)

    def _concepts(self, con: sqlite3.Connection, concepts: list[str]) -> list[str]:
        return [row[0] for row in several(con, "SELECT name || ' ' || aliases FROM concept WHERE id IN (…)", concepts)]

    def _hit(self, row: dict[str, Any]) -> Hit:
        name = self._corpus.name
        return Hit(
            title=f"{row['book_title']} > {row['title']}",
            content=row["content"],
            locator=Locator(name, row["path"] or row["book_id"], row["title"], tuple(row["lines"]) if row["lines"] else None),
            id=f"{name}:{row['section_id']}",
            page=f"{name}:{row['section_id']}",
            work=row["book_id"],
        )
