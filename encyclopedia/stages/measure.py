"""How good one ranking is, given what should have been found: the measures of retrieval as trec_eval counts them."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

AT = ("recall", "precision", "hit", "ndcg")
"""Measures of the first k places."""
WHOLE = ("mrr", "map")
"""Measures of the whole ranking."""


def names(cutoffs: Sequence[int]) -> list[str]:
    """The names of all measures for these numbers of places: ``recall@5``, …, ``mrr``, ``map``."""
    return [f"{name}@{k}" for name in AT for k in cutoffs] + list(WHOLE)


def measure(ranking: Sequence[str], relevant: Mapping[str, float], cutoffs: Sequence[int]) -> dict[str, float]:
    """Every measure of one ranking, each from 0 to 1, by the names of ``names``.

    ``ranking`` holds distinct ids, best first; ``relevant`` the grade of each id that was judged, above 0 if it is relevant.
    With k places, of which r hold a relevant id, and R relevant ids in all: recall r / R, precision r / k, hit 1 if r > 0;
    ndcg is the sum of grade / log2(place + 1), as a share of that of the best possible order; mrr is 1 / place of the first
    relevant id, map the mean over all relevant ids of the precision at their places. Without a relevant id all are 0.
    """
    gains = [max(relevant.get(id, 0.0), 0.0) for id in ranking]
    ideal = sorted((grade for grade in relevant.values() if grade > 0), reverse=True)
    if not ideal:
        return dict.fromkeys(names(cutoffs), 0.0)
    places = [place for place, gain in enumerate(gains, 1) if gain > 0]

    def within(k: int) -> int:
        return sum(place <= k for place in places)

    at: dict[str, Callable[[int], float]] = {
        "recall": lambda k: within(k) / len(ideal),
        "precision": lambda k: within(k) / k,
        "hit": lambda k: float(within(k) > 0),
        "ndcg": lambda k: _discounted(gains[:k]) / _discounted(ideal[:k]),
    }
    found = {f"{name}@{k}": at[name](k) for name in AT for k in cutoffs}
    found["mrr"] = 1 / places[0] if places else 0.0
    found["map"] = sum(right / place for right, place in enumerate(places, 1)) / len(ideal)
    return found


def mean(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each measure over all queries; nothing for no query."""
    return {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]} if rows else {}


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / log2(place + 1) for place, gain in enumerate(gains, 1))
