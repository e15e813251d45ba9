"""How the facets of a question find their passages: the pipeline over the corpora in scope, and the structure of graphs."""

from __future__ import annotations

from itertools import chain, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.model.answer import Findings, Intent, Passage
from encyclopedia.model.query import Query

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from encyclopedia.engine.pipeline import Pipeline
    from encyclopedia.model.answer import Facet
    from encyclopedia.model.outcome import Hit
    from encyclopedia.model.query import Scope
    from encyclopedia.model.ranking import Ranking
    from encyclopedia.model.trace import Trace

DEPTH = 50
"""Passages that are fetched for each wording of a facet."""
PLACES = 6
"""Passages of one document among them."""


class Structure(NamedTuple):
    """What graphs know of a facet: relations, passages of the concepts that it names, and further words to search for."""

    findings: Findings = Findings()
    words: str = ""
    notes: tuple[str, ...] = ()
    """Why one of them knows nothing."""


class Retrieval:
    """Finds passages for facets; ``traces`` and ``notes`` tell what became of the searches and why a graph said nothing."""

    def __init__(
        self, pipeline: Pipeline, scope: Scope, *, structure: Callable[[Facet], Structure], timeout: float | None
    ) -> None:
        self._pipeline = pipeline._replace(answers=None)
        self._scope, self._structure, self._timeout = scope, structure, timeout
        self.traces: list[Trace[Ranking]] = []
        self.notes: list[str] = []

    async def __call__(self, facet: Facet) -> Findings:
        """Text and structure together; for a relation the structure first, so that its concepts are searched for too."""
        import asyncio

        if facet.intent is Intent.RELATIONAL:
            known = await asyncio.to_thread(self._known, facet)
            found = await asyncio.gather(*map(self._search, _wordings(facet, known.words)))
            return Findings(_in_turn((known.findings.passages, *found), known.findings.passages), known.findings.links)
        texts = asyncio.gather(*map(self._search, _wordings(facet, "")))
        known, found = await asyncio.gather(asyncio.to_thread(self._known, facet), texts)
        return Findings(_in_turn((*found, known.findings.passages), known.findings.passages), known.findings.links)

    def _known(self, facet: Facet) -> Structure:
        known = self._structure(facet)
        self.notes += (note for note in known.notes if note not in self.notes)
        return known

    async def _search(self, wording: str) -> tuple[Passage, ...]:
        query = Query(wording, limit=DEPTH, scope=self._scope, timeout=self._timeout, passages=PLACES, read_cache=False)
        trace = await self._pipeline.carry_out(self._pipeline.prepare(query))
        self.traces.append(trace)
        return tuple(map(passage_of, (ranked.hit for ranked in trace.value.results)))


def _wordings(facet: Facet, more: str) -> list[str]:
    """What is searched for: the facet, each of its sides, and what the structure adds."""
    return list(dict.fromkeys(filter(None, (facet.wording, *facet.sides, more))))


def _in_turn(lists: Sequence[tuple[Passage, ...]], known: tuple[Passage, ...]) -> tuple[Passage, ...]:
    """The first of each list, then the second of each, and so on; each passage once, as the structure knows it."""
    better = {passage.id: passage for passage in known}
    found: dict[str, Passage] = {}
    for passage in chain.from_iterable(zip_longest(*lists)):
        if passage is not None:
            known_so = better.get(passage.id, passage)
            found.setdefault(passage.id, known_so._replace(label=passage.label or known_so.label))
    return tuple(found.values())


def passage_of(hit: Hit) -> Passage:
    """A hit as a passage; its document is the book that it belongs to, else the file of a corpus, else the page."""
    place = hit.locator
    name = hit.work or (place.path if place else hit.url)
    document = f"{place.corpus}:{name}" if place else hit.url or hit.page or hit.title
    where = f"{place.section}:{place.lines}" if place else ""
    return Passage(
        id=hit.id or f"{document}#{where}",
        document=document,
        title=hit.title,
        text=hit.content,
        corpus=place.corpus if place else "",
        url=hit.url,
        locator=place,
        label=str(hit.label) if hit.label else "",
        name=name,
    )
