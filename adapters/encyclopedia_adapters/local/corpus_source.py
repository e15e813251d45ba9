"""Answers from one local collection, never in silence from files that have changed or are gone."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from encyclopedia.model.errors import Refused
from encyclopedia.model.outcome import Hit, Locator, Reply
from encyclopedia_adapters.local.corpus_format import Misfit
from encyclopedia_adapters.local.corpus_index import CorpusIndex
from encyclopedia_adapters.local.versions import version_fits
from encyclopedia_adapters.local.walk import LARGEST, Bounds
from encyclopedia_adapters.shared.text_index import IndexBusy

if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Event

    from encyclopedia.model.corpus import Corpus
    from encyclopedia.model.plan import Request
    from encyclopedia_adapters.local.corpus_format import Format
    from encyclopedia_adapters.local.corpus_index import Changes
    from encyclopedia_adapters.local.walk import Listing
    from encyclopedia_adapters.shared.text_index import Match
    from encyclopedia_adapters.shared.text_index.coverage import Coverage

BOUNDS = Bounds(files=2000, seconds=0.1)
"""How far a search looks for changes on disk."""

FEW = 20
"""Changed files that a search reads by itself; more are left to ``corpus index``."""

SMALL = 200
"""Files of a corpus that a search indexes from nothing by itself."""

_SHARE = 0.6
"""Of the time that a search has, what it may spend on reading files."""

_PATH = 1000
"""Characters of a path that are shown."""

_DEPTHS = (4, 40)
"""Passages looked at for each page wanted: a page is named once, by its best passage, and one may have many of them."""


class CorpusSource:
    """The source of one corpus."""

    def __init__(self, corpus: Corpus, form: Format) -> None:
        self._corpus = corpus
        self._format = form
        self._index = CorpusIndex(corpus, form)

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
            listing = self._format.listing(self._corpus.path, BOUNDS)
        except FileNotFoundError:
            remedy = f"bring it back, or `encyclopedia corpus remove {self._corpus.name}`"
            raise Refused(f"{self._corpus.path} is not there: {remedy}") from None
        except Misfit as misfit:
            raise Refused(f"{self._corpus.path} is no corpus of kind {self._corpus.kind}: {misfit}") from None

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
        notes += self._other_versions(request.version)
        if not listing.complete:
            notes.append(f"only {len(listing.files)} of its files were checked for changes")
        return Reply(hits, tuple(hit for hit in others if hit.page not in pages), reduced, "; ".join(notes))

    def _other_versions(self, asked: str) -> list[str]:
        """What is here of other versions than the one asked for, if nothing is of that one."""
        here = {state.version for state in self._index.states().values()} if asked else set()
        if not here or any(version_fits(asked, version) for version in here if version) or "" in here:
            return []
        return [f"{self._corpus.name} holds {', '.join(sorted(here))}, not {asked}"]

    def _refresh(self, listing: Listing, stop: Callable[[], bool]) -> str:
        """Read what little has changed; the reason why the answer is less than the files could give, if it is."""
        changes = self._index.changes(listing)
        unmade = not self._index.text.documents()
        failure = ""
        if changes and listing.complete and _is_little(changes, listing, SMALL if unmade else FEW):
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

    def _tags(self, asked: tuple[str, ...]) -> tuple[str, ...]:
        """The tags to narrow to; none if the whole corpus has one of them."""
        if not asked:
            return ()
        from encyclopedia_adapters.local.front_matter import nested

        wanted = tuple(name for tag in asked for name in nested(tag)[:1])
        return () if {name for tag in self._corpus.tags for name in nested(tag)}.intersection(wanted) else wanted

    def _find(self, request: Request, text: str, listing: Listing) -> tuple[Hit, ...]:
        tags = self._tags(request.tags)
        documents = self._of_version(request.version)
        coverage = self._index.text.coverage(request.text, request.stands_for)
        if documents is None:
            return ()
        for depth in _DEPTHS:
            matches = self._index.text.search(text, limit=request.limit * depth, tags=tags, documents=documents)
            pages: dict[str, Match] = {}
            for match in matches:
                page = _page(match, listing)
                if page not in pages and _is_there(listing, match.document) and self._answers(match, coverage):
                    pages[page] = match
            if len(pages) >= request.limit or len(matches) < request.limit * depth:
                break
        return tuple(self._hit(page, match) for page, match in list(pages.items())[: request.limit])

    def _answers(self, match: Match, coverage: Coverage) -> bool:
        """Whether a passage, with all that it and its collection are called, holds enough of the question to answer it."""
        path, section = (str(match.data.get(name, "")) for name in ("path", "section"))
        names = (self._corpus.name, match.title, match.also, path or match.document, section)
        return coverage.share(*names, match.body) >= coverage.enough

    def _of_version(self, asked: str) -> tuple[str, ...] | None:
        """The documents to look into, none for all of them; ``None`` if there are only other versions."""
        if not asked:
            return ()
        states = self._index.states()
        fitting = tuple(path for path, state in states.items() if not state.version or version_fits(asked, state.version))
        return () if len(fitting) == len(states) else fitting or None

    def _hit(self, page: str, match: Match) -> Hit:
        from encyclopedia_adapters.shared.sanitize import clean_line, clean_text, clean_url

        name, data = self._corpus.name, match.data
        path, section = str(data.get("path", match.document)), str(data.get("section", ""))
        return Hit(
            title=clean_line(match.title),
            url=clean_url(str(data.get("url", ""))),
            content=clean_text(_without_remarks(match.body)),
            locator=Locator(name, clean_line(path, _PATH), clean_line(section), _lines(data.get("lines"))),
            version=clean_line(str(data.get("version", ""))),
            id=f"{name}:{match.id}",
            page=f"{name}:{page}",
        )


def _without_remarks(text: str) -> str:
    """The text without HTML comments, which speak to other readers; as it is where it holds code, which may be about them."""
    if "<!--" not in text or "```" in text:
        return text
    import re

    return re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)


def _page(match: Match, listing: Listing) -> str:
    """What counts as one result: a page of reference documentation, else a document, else a passage of the only one."""
    return str(match.data.get("page") or (match.id if listing.single else match.document))


def _lines(value: object) -> tuple[int, int] | None:
    match value:
        case [int(first), int(last)]:
            return first, last
    return None


def _is_little(changes: Changes, listing: Listing, most: int) -> bool:
    """Whether a search can read what has changed in passing."""
    pending = (*changes.added, *changes.changed)
    return len(changes) <= most and all(listing.files[path][0] <= LARGEST for path in pending)


def _is_there(listing: Listing, path: str) -> bool:
    if listing.complete:
        return path in listing.files
    return os.path.exists(os.path.join(listing.root, path))
