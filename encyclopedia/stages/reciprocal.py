"""Reciprocal Rank Fusion itself: ranks and weights of keys, votes and sums, no texts."""

from __future__ import annotations

import math
from operator import itemgetter
from typing import TYPE_CHECKING

from encyclopedia.model.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from encyclopedia.model.outcome import Hit
    from encyclopedia.model.settings import FusionSettings

    Vote = tuple[float, str, int, str, Hit]
    """Minus the score, so that votes sort largest first; source, rank, what is special about it, and the hit."""
    Ballot = tuple[float, int, str, Hit, str]
    """Score, rank, key, the hit, and what is special about it."""

NEGLIGIBLE = 1e-12
_MINUS_SCORE = itemgetter(0)
_SAFETY = 1 + 1e-9


class Formula:
    """How a rank (from 1) and a weight become a score.

    ``scaled``: 1 / (k + rank / w) with w = weight / largest weight of the plan. ``classic``: weight / (k + rank), of Cormack,
    Clarke and Büttcher, SIGIR 2009. A weight that is nothing beside the largest is silent. Raises ``ConfigurationError`` for
    another formula, or a k that is negative or no number.
    """

    def __init__(self, settings: FusionSettings, weights: Mapping[str, float]) -> None:
        self.name, self.k, self.weights = settings.formula, settings.constant, weights
        self.largest = max(weights.values(), default=0.0)
        if self.name not in ("scaled", "classic"):
            raise ConfigurationError(f"unknown fusion formula {self.name!r}", "fusion.formula is scaled or classic")
        if not 0 <= self.k < math.inf:
            raise ConfigurationError(f"fusion.k must be a number from 0, not {self.k}")

    def hears(self, source: str) -> bool:
        """Whether the source's weight counts."""
        return self.weights.get(source, 0.0) > self.largest * NEGLIGIBLE

    def scores(self, source: str, ranks: Iterable[int]) -> list[float]:
        """The share of each rank in the source's list."""
        k, weight = self.k, self.weights[source]
        if self.name == "classic":
            return [weight / (k + rank) for rank in ranks]
        w = weight / self.largest
        return [1 / (k + rank / w) for rank in ranks]

    def rank_at(self, source: str, distance: float) -> int:
        """The first rank from which on the source's shares are at most 1 / distance, or 0 if all of them are."""
        weight = self.weights[source]
        rank = weight * distance - self.k if self.name == "classic" else (distance - self.k) * (weight / self.largest)
        return max(0, math.ceil(rank))


def vote(votes: dict[str, list[Vote]], source: str, ballots: Iterable[Ballot]) -> list[tuple[str, Hit]]:
    """Add one source's ballots, best first, one for each key; those that repeat a key come back."""
    repeats = []
    get = votes.get
    for score, rank, key, hit, kind in ballots:
        known = get(key)
        if known is None:
            votes[key] = [(-score, source, rank, kind, hit)]
        elif known[-1][1] != source:
            known.append((-score, source, rank, kind, hit))
        else:
            repeats.append((key, hit))
    return repeats


def order(votes: Mapping[str, list[Vote]], fits: Callable[[Hit], float], depth: int) -> list[str]:
    """The keys by the sum of their votes, each key's votes sorted largest first on the way.

    Of equal sums among the first ``depth``, the one whose hit ``fits`` best stands first, then by rank, then by source. One
    source gives no rank twice, so that no two keys tie altogether.
    """
    totals = []
    for key, cast in votes.items():
        total = cast[0][0]
        if len(cast) > 1:
            cast.sort()  # no two votes of a page are of one source, so that hits are never compared
            total = sum(map(_MINUS_SCORE, cast))
        best = cast[0]
        totals.append((total, best[2], best[1], key))
    totals.sort()
    keys = [total[3] for total in totals]
    start = 0
    while start < min(depth, len(totals)):
        end = start + 1
        while end < len(totals) and totals[end][0] == totals[start][0]:
            end += 1
        if end > start + 1:  # the sort is stable
            keys[start:end] = sorted(keys[start:end], key=lambda key: -fits(votes[key][0][4]))
        start = end
    return keys


def distance_below_all(formula: Formula, lengths: Mapping[str, int], lists: int) -> float:
    """The distance beyond which one vote from each of ``lists`` lists together is less than any single vote before.

    ``lengths`` are the last ranks of the sources' own lists. A sum of n shares, each below 1 / (n * d), is below 1 / d, the
    smallest share that an original hit can have.
    """
    last = (1 / formula.scores(source, (length,))[0] for source, length in lengths.items() if length)
    return lists * max(last, default=0.0) * _SAFETY
