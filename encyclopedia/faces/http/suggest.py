"""What may be meant by the beginning of a query: from past searches, their results and the vocabulary; asks nobody."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from encyclopedia.model.label import Label
from encyclopedia.wiring import places
from encyclopedia.wiring.vocabulary import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from encyclopedia.faces.library import Encyclopedia

MOST = 10
LAST = 500
"""Past searches that are looked through, the newest first."""
LONGEST = 120


def suggestions(e: Encyclopedia, text: str) -> list[str]:
    """At most ten; past searches first, then titles that they found, then terms that complete the last word."""
    begun = " ".join(text.split()).lower()
    if not begun or len(begun) > LONGEST:
        return []
    found = (*_past(e, begun), *_terms(begun))
    return list(islice(_once(found, begun), MOST))


def _past(e: Encyclopedia, begun: str) -> Iterator[str]:
    """Past queries and titles; others than the owner are not told of them."""
    history = e.engine.stores.history if e.engine.loaded.ceiling is Label.SECRET else None
    records = list(history.read(LAST)) if history else []
    for record in reversed(records):
        query = str(record.get("query", ""))
        if query.lower().startswith(begun):
            yield query
    for record in reversed(records):
        results = record.get("results")
        for row in results if isinstance(results, list) else ():
            title = str(row.get("title", ""))
            if any(part.strip().lower().startswith(begun) for part in (title, *title.split(">"))):
                yield title


def _terms(begun: str) -> Iterator[str]:
    """The query with its last word completed by a term of the vocabulary."""
    before, _, word = begun.rpartition(" ")
    if len(word) > 1:
        for term in sorted(load(places.data()).terms):
            if term.startswith(word):
                yield f"{before} {term}".strip()


def _once(texts: Iterable[str], begun: str) -> Iterator[str]:
    seen = {begun}
    for text in texts:
        told = " ".join(text.split())
        if told and len(told) <= LONGEST and told.lower() not in seen:
            seen.add(told.lower())
            yield told
