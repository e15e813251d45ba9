"""Which entities are loaded, in which order and why: by rank, or by the additive scores of the first loader."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.local.catalog import classic
from encyclopedia_adapters.local.catalog.nearby import nearby
from encyclopedia_adapters.local.catalog.rank import DEPTH, Wanted, rank

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from encyclopedia.model.topic import TopicLoad
    from encyclopedia.ports import Embedder
    from encyclopedia_adapters.engines.opening import Index
    from encyclopedia_adapters.local.catalog.entry import Entry
    from encyclopedia_adapters.local.catalog.shelf import Shelf

_FOR_EACH = 5
"""Ranked entities that are looked at for each one wanted, so that neighbours have scores too."""


class Found(NamedTuple):
    """An entity that was chosen; ``via`` is the slug of the one that it is a neighbour of."""

    entry: Entry
    score: float
    signals: tuple[tuple[str, float], ...] = ()
    via: str | None = None


class Order(NamedTuple):
    """All that has a score, best first, and what is to be said about how it was found."""

    found: Sequence[Found]
    notes: tuple[str, ...] = ()


def by_rank(shelf: Shelf, asked: TopicLoad, index: Index, embedder: Embedder | None) -> Order:
    """Entities by ``rank``; at equal scores those with more links to them, then by slug.

    A word that stands nowhere is searched also as what it may have been meant to be.
    """
    meant = nearby(" ".join((asked.topic, *asked.terms)), index.knows, shelf.catalog.entries)
    beside = (*asked.terms, *(word for words in meant.values() for word in words))
    wanted = Wanted(asked.topic, beside, type=asked.type)
    found = []
    for one in rank(index, wanted, depth=max(DEPTH, _FOR_EACH * asked.n), embedder=embedder):
        entry = shelf.entry_of(one.document)
        if entry:
            found.append((-one.first, Found(entry, one.score, one.parts)))
    found.sort(key=lambda pair: (pair[0], -pair[1].score, -len(pair[1].entry.in_links), pair[1].entry.slug))
    told = [f"searched also for: {word} → {', '.join(words)}" for word, words in meant.items()]
    if asked.body_search or asked.tier2_floor != type(asked)._field_defaults["tier2_floor"]:
        told.append("the pages always count: --body-search and --tier2-floor matter to --scoring classic only")
    return Order([one for _, one in found], tuple(told))


def by_points(shelf: Shelf, asked: TopicLoad, entries: Sequence[Entry]) -> Order:
    """Entities by their additive scores; at equal scores those with more links to them, then by slug."""

    def body(entry: Entry) -> str | None:
        page = shelf.page_of(entry)
        return shelf.place.read_page(page) if page else None

    scored = classic.score(asked, entries, body)
    known = {entry.slug: entry for entry in entries}
    found = [Found(known[slug], points) for slug, points in scored.scores.items()]
    found.sort(key=lambda one: (-one.score, -len(one.entry.in_links), one.entry.slug))
    told = f"the bodies added {scored.added} entities to the {scored.catalog} of the catalog"
    return Order(found, (told,) if scored.added else ())


def explained(one: Found, asked: TopicLoad) -> Found:
    """With the signals of an additive score, what the bodies added as the last of them."""
    if one.signals:
        return one
    signals = classic.trace(one.entry, classic.terms_of(asked))
    rest = one.score - sum(points for _, points in signals)
    return one._replace(signals=(*signals, *([("body", rest)] if rest else [])))


def neighbours(seeds: Sequence[Found], order: Order, known: Mapping[str, Entry], most: int) -> list[Found]:
    """At most ``most`` entities one link away from the seeds, each with the first seed that leads to it or that it leads to.

    Those that fit the topic best come first, then those with more links to them.
    """
    scores = {one.entry.slug: one.score for one in reversed(order.found)}
    parts = {one.entry.slug: one.signals for one in reversed(order.found)}
    seen = {seed.entry.slug for seed in seeds}
    found = []
    for seed in seeds:
        for slug in (*seed.entry.out_links, *seed.entry.in_links):
            if slug in known and slug not in seen:
                seen.add(slug)
                found.append(Found(known[slug], scores.get(slug, 0), parts.get(slug, ()), seed.entry.slug))
    found.sort(key=lambda one: (-one.score, -len(one.entry.in_links), one.entry.slug))
    return found[:most]
