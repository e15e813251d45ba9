"""Answers from one local collection, never in silence from files that have changed or are gone."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from encyclopedia.model.errors import Refused
from encyclopedia.model.label import Label, named
from encyclopedia.model.outcome import Hit, Locator, Reply
from encyclopedia.ports import no_embedder
from encyclopedia_adapters.local.corpus_format import Misfit
from encyclopedia_adapters.local.corpus_fresh import Freshness, is_there
from encyclopedia_adapters.local.corpus_index import CorpusIndex, reading
from encyclopedia_adapters.local.corpus_meaning import NEAR, Meaning
from encyclopedia_adapters.local.versions import version_fits
from encyclopedia_adapters.local.walk import Bounds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from threading import Event

    from encyclopedia.model.corpus import Corpus
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Embedder
    from encyclopedia_adapters.local.corpus_format import Format
    from encyclopedia_adapters.local.walk import Listing
    from encyclopedia_adapters.shared.text_index import Match, Passage
    from encyclopedia_adapters.shared.text_index.coverage import Coverage

BOUNDS = Bounds(files=2000, seconds=0.1)
"""How far a search looks for changes on disk."""

_SHARE = 0.6
"""Of the time that a search has, what it may spend on reading files."""

_PATH = 1000
"""Characters of a path that are shown."""

_DEPTHS = (4, 40)
"""Passages looked at for each page wanted: a page is named once, by its best passage, and one may have many of them."""


class CorpusSource:
    """The source of one corpus."""

    def __init__(self, corpus: Corpus, form: Format, embedder: Callable[[], Embedder | None] = no_embedder) -> None:
        self._corpus = corpus
        self._format = form
        self._index = CorpusIndex(corpus, form)
        self._meaning = Meaning(self._index.text, embedder)

    async def search(self, request: Request) -> Reply:
        """The best passage of each document; what only ``request.expanded`` finds is in ``alternatives``."""
        from encyclopedia_adapters.shared.blocking import in_thread

        return await in_thread(self.answer, request)

    def parts(self, document: str) -> tuple[Hit, ...]:
        """The passages of a document in their order, read from its file now; none if the collection has no such file."""
        listing = self._format.listing(self._corpus.path)
        if document not in listing.files:
            return ()
        with reading(self._format, listing) as read:
            passages = tuple(read(document).passages)
        return tuple(self._hit(document, passage) for passage in passages if passage.data.get("path", document) == document)

    async def aclose(self) -> None:
        """End what goes on behind."""
        if self._meaning.idle:  # a source that was asked without an event loop is closed without one
            return
        import asyncio

        await asyncio.to_thread(self._meaning.close)

    def answer(self, request: Request, cancelled: Event) -> Reply:
        """As ``search``, in the thread that asks; ``cancelled`` set means that nobody waits for it any longer."""
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

        freshness = Freshness(self._index, listing, stop)
        broken = self._index.text.problem
        reduced = freshness.refresh()
        found = self._current(request, request.text, freshness)
        if not reduced and self._index.text.problem:  # bad bytes show only where they are read
            broken = self._index.text.problem
            reduced = freshness.refresh()
            found = self._current(request, request.text, freshness)
        others = self._current(request, request.expanded, freshness) if request.expanded else {}
        others = {page: match for page, match in others.items() if page not in found}
        notes = [f"{broken}; it was made anew"] if broken and not reduced else []
        notes += [*self._other_versions(request.version), *_outdated((*found.values(), *others.values()))]
        notes += self._meaning.note()
        if not listing.complete:
            notes.append(f"only {len(listing.files)} of its files were checked for changes")
        hits, alternatives = (tuple(self._hit(*pair) for pair in pages.items()) for pages in (found, others))
        return Reply(hits, alternatives, reduced, "; ".join(notes))

    def _other_versions(self, asked: str) -> list[str]:
        """What is here of other versions than the one asked for, if nothing is of that one."""
        here = {state.version for state in self._index.states().values()} if asked else set()
        if not here or any(version_fits(asked, version) for version in here if version) or "" in here:
            return []
        return [f"{self._corpus.name} holds {', '.join(sorted(here))}, not {asked}"]

    def _current(self, request: Request, text: str, freshness: Freshness) -> dict[str, Match]:
        """What is found in files that are still as they were read; a changed one is read again, else it is left out."""
        found = self._find(request, text, freshness.listing)
        stale = freshness.stale({match.document for match in found.values()})
        if stale and freshness.read(stale):
            found = self._find(request, text, freshness.listing)
            stale = freshness.stale({match.document for match in found.values()})
        return {page: match for page, match in found.items() if match.document not in stale}

    def _tags(self, asked: tuple[str, ...]) -> tuple[str, ...]:
        """The tags to narrow to; none if the whole corpus has one of them."""
        if not asked:
            return ()
        from encyclopedia_adapters.local.front_matter import nested

        wanted = tuple(name for tag in asked for name in nested(tag)[:1])
        return () if {name for tag in self._corpus.tags for name in nested(tag)}.intersection(wanted) else wanted

    def _find(self, request: Request, text: str, listing: Listing) -> dict[str, Match]:
        """The pages that answer, best first, each with its best passage; where several are wanted, each is one of its own."""
        tags = self._tags(request.tags)
        documents = self._of_version(request.version)
        coverage = self._index.text.coverage(request.text, request.stands_for)
        pages: dict[str, Match] = {}
        if documents is None:
            return pages
        for depth in _DEPTHS:
            matches = self._index.text.search(
                text, limit=request.limit * depth, tags=tags, documents=documents, embedder=self._meaning.embedder()
            )
            pages, places = {}, Counter[str]()
            for match in matches:
                page = _page(match, listing)
                if places[page] < request.passages and is_there(listing, match.document) and self._answers(match, coverage):
                    places[page] += 1
                    pages[match.id if request.passages > 1 else page] = match
            if len(pages) >= request.limit or len(matches) < request.limit * depth:
                break
        return dict(list(pages.items())[: request.limit])

    def _answers(self, match: Match, coverage: Coverage) -> bool:
        """Whether a passage, with all that it and its collection are called, holds enough of the question, or means it."""
        if match.near is not None and match.near >= NEAR:
            return True
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

    def _hit(self, page: str, match: Match | Passage) -> Hit:
        from encyclopedia_adapters.shared.hits import clean_date
        from encyclopedia_adapters.shared.sanitize import clean_line, clean_text, clean_url

        name, data = self._corpus.name, match.data
        path, section = str(data.get("path", match.document)), str(data.get("section", ""))
        return Hit(
            title=clean_line(match.title),
            url=clean_url(str(data.get("url", ""))),
            content=clean_text(_without_remarks(match.body)),
            locator=Locator(name, clean_line(path, _PATH), clean_line(section), _lines(data.get("lines")), _number(data)),
            published=clean_date(data.get("published", "")),
            version=clean_line(str(data.get("version", ""))),
            id=f"{name}:{match.id}",
            page=f"{name}:{page}",
            label=max(self._corpus.label, named(str(data.get("label", ""))) or Label.PUBLIC),
        )


def _outdated(matches: Iterable[Match]) -> list[str]:
    """What is shown all the same though it says of itself that it holds no longer."""
    from encyclopedia_adapters.shared.sanitize import clean_line

    told = (f"{match.document} is {match.data['outdated']}" for match in matches if match.data.get("outdated"))
    return [clean_line(sentence) for sentence in dict.fromkeys(told)]


def _without_remarks(text: str) -> str:
    """The text without HTML comments, which speak to other readers; as it is where it holds code, which may be about them."""
    if "<!--" not in text or "```" in text:
        return text
    import re

    return re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)


def _page(match: Match, listing: Listing) -> str:
    """What counts as one result: a page of reference documentation, else a document, else a passage of the only one."""
    return str(match.data.get("page") or (match.id if listing.single else match.document))


def _number(data: Mapping[str, object]) -> int | None:
    """The page of a document that has pages."""
    number = data.get("page_number")
    return number if isinstance(number, int) else None


def _lines(value: object) -> tuple[int, int] | None:
    match value:
        case [int(first), int(last)]:
            return first, last
    return None
