"""Loading a topic: the entities that fit it, their neighbours, and the texts of their pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.local.catalog.choose import Found, Order, by_points, by_rank, explained, neighbours
from encyclopedia_adapters.local.catalog.classic import terms_of
from encyclopedia_adapters.local.catalog.shelf import Shelf
from encyclopedia_adapters.shared.sanitize import clean_line, clean_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from encyclopedia.model.corpus import Corpus
    from encyclopedia.model.topic import TopicLoad
    from encyclopedia.ports import Embedder, Progress
    from encyclopedia_adapters.engines.opening import Index

CHARS_A_TOKEN = 4
_NEW = "generated"


def load(corpus: Corpus, asked: TopicLoad, progress: Progress, embedder: Embedder | None) -> dict[str, Any]:
    """The entities about a topic: ``matches`` best first, what was loaded in all, and what is to be said about it.

    Raises ``ConfigurationError`` if there are no pages, or none of the type that is asked for.
    """
    shelf = Shelf(corpus, progress)
    entries = shelf.of_type(asked.type)
    order = _order(shelf, corpus, asked, progress, embedder)
    known = {entry.slug: entry for entry in entries}
    seeds = order.found[: asked.n]
    around = neighbours(seeds, order, known, asked.n) if asked.expand else []
    rows = [row for one in (*seeds, *around) if (row := _row(shelf, one, asked))]
    for rank, row in enumerate(rows, 1):
        row["rank"] = rank
    texts = [row["body"] for row in rows if row["body"]]
    return {
        "topic": asked.topic,
        "catalog": shelf.place.catalog,
        "catalog_generated": shelf.catalog.head.get(_NEW),
        "entities": len(entries),
        "scoring": asked.scoring,
        "terms": terms_of(asked),
        "matches": rows,
        "context": {
            "bytes": sum(len(text.encode("utf-8", "replace")) for text in texts),
            "tokens": sum(map(len, texts)) // CHARS_A_TOKEN,
        },
        "stale": shelf.stale,
        "notes": [*shelf.notes, *order.notes, *_limits(asked)],
    }


def _order(shelf: Shelf, corpus: Corpus, asked: TopicLoad, progress: Progress, embedder: Embedder | None) -> Order:
    if asked.scoring == "classic":
        return by_points(shelf, asked, shelf.of_type(asked.type))
    index, problem = _indexed(shelf, corpus, progress)
    if index is None:
        order = by_points(shelf, asked, shelf.of_type(asked.type))
        return order._replace(notes=(*order.notes, f"{problem}; scored the classic way"))
    order = by_rank(shelf, asked, index, embedder)
    return order._replace(notes=(*order.notes, problem)) if problem else order


def _indexed(shelf: Shelf, corpus: Corpus, progress: Progress) -> tuple[Index | None, str]:
    """The index of the pages as they are now, and why it is not quite that; ``None`` if there is nothing to search in."""
    from encyclopedia_adapters.local.catalog.form import CatalogFormat
    from encyclopedia_adapters.local.corpus_index import CorpusIndex
    from encyclopedia_adapters.shared.text_index import IndexBusy

    index = CorpusIndex(corpus, CatalogFormat(shelf.place))
    changes, problem = index.changes(shelf.listing), ""
    if changes:
        try:
            index.bring(shelf.listing, progress)
        except IndexBusy as busy:
            problem = f"{len(changes)} pages are ranked as they were before: {busy}"
        except (OSError, ValueError) as error:
            problem = f"the index cannot be written: {error}"
    return (index.text if index.text.documents() else None), problem


def _row(shelf: Shelf, one: Found, asked: TopicLoad) -> dict[str, Any] | None:
    """The JSON form of an entity, ``None`` if its page is not there: nothing is shown that is no more."""
    entry, page = one.entry, shelf.page_of(one.entry)
    text = shelf.place.read_page(page) if page else None
    if text is None:
        return None
    row: dict[str, Any] = {"rank": 0, "id": entry.id, "relevance_score": one.score}
    for name in ("slug", "type", "status", "score", "claim"):
        value = getattr(entry, name)
        row[name] = clean_line(value, max(len(value), 1)) if value else value
    for name in ("out_links", "in_links", "tags", "sources", "aliases"):
        row[name] = [clean_line(value) for value in getattr(entry, name)]
    row |= {"path": page, "via": one.via, "body": clean_text(text, len(text) + 1) if asked.bodies else None}
    if asked.explain:
        row["trace"] = [{"signal": signal, "points": points} for signal, points in explained(one, asked).signals]
    return row


def _limits(asked: TopicLoad) -> Iterator[str]:
    if asked.expand > 1:
        yield "--expand goes one link far"
    if asked.expand and asked.type:
        yield f"neighbours are limited to the type {asked.type}"


def summary(corpus: Corpus, progress: Progress) -> dict[str, Any]:
    """What the catalog holds: its types and hubs with their numbers, pages that are wanted and missing, and what is stale."""
    shelf = Shelf(corpus, progress)
    types: dict[str, int] = {}
    for entry in shelf.catalog.entries:
        types[entry.type] = types.get(entry.type, 0) + 1
    return {
        "catalog": shelf.place.catalog,
        "catalog_generated": shelf.catalog.head.get(_NEW),
        "schema": shelf.catalog.head.get("schema"),
        "entities": len(shelf.catalog.entries),
        "types": dict(sorted(types.items(), key=lambda item: -item[1])),
        "hubs": [{"slug": slug, "in_degree": degree} for slug, degree in shelf.catalog.hubs],
        "dangling": [{"slug": slug, "in_degree": degree} for slug, degree in shelf.catalog.dangling],
        "stale": shelf.stale,
        "notes": shelf.notes,
    }
