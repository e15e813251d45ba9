"""Answers from one corpus of documents, never in silence from files that have changed or are gone."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from encyclopedia.model.errors import Refused
from encyclopedia.model.outcome import Hit, Locator, Reply
from encyclopedia_adapters.local.document_index import DocumentIndex
from encyclopedia_adapters.local.front_matter import nested
from encyclopedia_adapters.local.walk import Bounds, walk
from encyclopedia_adapters.shared.text_index import IndexBusy

if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Event

    from encyclopedia.model.corpus import Corpus
    from encyclopedia.model.plan import Request
    from encyclopedia_adapters.local.walk import Listing
    from encyclopedia_adapters.shared.text_index import Match

BOUNDS = Bounds(files=2000, seconds=0.1)
"""How far a search looks for changes on disk."""

FEW = 20
"""Changed files that a search reads by itself; more are left to ``corpus index``."""

SMALL = 200
"""Files of a corpus that a search indexes from nothing by itself."""

_SHARE = 0.6
"""Of the time that a search has, what it may spend on reading files."""

_DEPTHS = (4, 40)
"""Passages looked at for each page wanted: a page is named once, by its best passage, and one may have many of them."""


class DocumentSource:
    """The source of one corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._index = DocumentIndex(corpus)

    async def search(self, request: Request) -> Reply:
        """The best passage of each document; what only ``request.expanded`` finds is in ``alternatives``."""
        import asyncio
        import threading

        cancelled = threading.Event()
        try:
            return await asyncio.to_thread(self._answer, request, cancelled)
        finally:
            cancelled.set()  # a thread cannot be cancelled: it looks for this between two files

    def _answer(self, request: Request, cancelled: Event) -> Reply:
        until = time.monotonic() + _SHARE * request.timeout
        try:
            listing = walk(self._corpus.path, BOUNDS)
        except FileNotFoundError:
            remedy = f"bring it back, or `encyclopedia corpus remove {self._corpus.name}`"
            raise Refused(f"{self._corpus.path} is not there: {remedy}") from None

        def stop() -> bool:
            return cancelled.is_set() or time.monotonic() > until

        broken = self._index.text.problem
        reduced = self._refresh(listing, stop)
        hits = self._find(request, request.text, listing)
        if not reduced and self._index.text.problem:  # bad bytes show only where they are read
            broken = self._index.text.problem
            reduced = self._refresh(listing, stop)
            hits = self._find(request, request.text, listing)
        pages = {hit.page for hit in hits}
        others = self._find(request, request.expanded, listing) if request.expanded else ()
        notes = [f"{broken}; it was made anew"] if broken and not reduced else []
        if not listing.complete:
            notes.append(f"only {len(listing.files)} of its files were checked for changes")
        return Reply(hits, tuple(hit for hit in others if hit.page not in pages), reduced, "; ".join(notes))

    def _refresh(self, listing: Listing, stop: Callable[[], bool]) -> str:
        """Read what little has changed; the reason why the answer is less than the files could give, if it is."""
        changes = self._index.changes(listing)
        unmade = not self._index.text.documents()
        failure = ""
        if changes and listing.complete and len(changes) <= (SMALL if unmade else FEW):
            try:
                self._index.bring(listing, lambda *_: None, wait=0.25, stop=stop)
            except IndexBusy as busy:
                failure = str(busy)
            except (OSError, ValueError) as error:
                failure = f"the index cannot be written: {error}"
            changes = self._index.changes(listing)
        if not changes:
            return ""
        remedy = f"run `encyclopedia corpus index {self._corpus.name}`"
        if failure:
            return f"{len(changes)} files are not searched as they are now: {failure}"
        if unmade:
            return f"{self._index.text.problem or 'not indexed yet'}, {len(changes)} files: {remedy}"
        return f"{len(changes)} files changed since the index was made: {remedy}"

    def _find(self, request: Request, text: str, listing: Listing) -> tuple[Hit, ...]:
        wanted = tuple(name for tag in request.tags for name in nested(tag)[:1])
        everything = {name for tag in self._corpus.tags for name in nested(tag)}.intersection(wanted)
        tags = () if everything else wanted
        for depth in _DEPTHS:
            matches = self._index.text.search(text, limit=request.limit * depth, tags=tags)
            pages: dict[str, Match] = {}
            for match in matches:
                if _is_there(listing, match.document):
                    pages.setdefault(match.id if listing.single else match.document, match)
            if len(pages) >= request.limit or len(matches) < request.limit * depth:
                break
        return tuple(self._hit(page, match) for page, match in list(pages.items())[: request.limit])

    def _hit(self, page: str, match: Match) -> Hit:
        from encyclopedia_adapters.shared.sanitize import clean_line, clean_text

        name = self._corpus.name
        section = str(match.data.get("section", ""))
        first, last = _lines(match.data.get("lines"))
        return Hit(
            title=clean_line(match.title),
            content=clean_text(match.body),
            locator=Locator(name, match.document, clean_line(section), (first, last)),
            id=f"{name}:{match.id}",
            page=f"{name}:{page}",
        )


def _lines(value: object) -> tuple[int, int]:
    first, last = value if isinstance(value, list) else (1, 1)
    return int(first), int(last)


def _is_there(listing: Listing, path: str) -> bool:
    if listing.complete:
        return path in listing.files
    return os.path.isfile(os.path.join(listing.root, path))
