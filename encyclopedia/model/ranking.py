"""What is answered: fused results that keep what they were added up from."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.model.outcome import Hit, Outcome
    from encyclopedia.model.plan import Plan


class Share(NamedTuple):
    """One source's vote for a result: ``score`` follows from ``rank`` (from 1) and ``weight`` (of the plan's sum of 1).

    ``expansion`` marks what only other words found, ``weak`` a local collection that mentions little of the question; the
    ranks of both are counted from further down than in the list of the source.
    """

    source: str
    rank: int
    weight: float
    score: float
    expansion: bool = False
    weak: bool = False


class Ranked(NamedTuple):
    """A result with its shares, largest first; the score is their sum."""

    hit: Hit
    shares: tuple[Share, ...]

    @property
    def score(self) -> float:
        """The sum of the shares, added in their order."""
        return sum(share.score for share in self.shares)

    @property
    def source(self) -> str:
        """The source with the largest share."""
        return self.shares[0].source


class Dropped(NamedTuple):
    """A hit that was merged into ``kept``, and what the two had in common."""

    source: str
    title: str
    kept: str
    reason: str


class Fusion(NamedTuple):
    """How the scores were made: the formula, its constant and the plan's weights."""

    formula: str
    k: float
    weights: Mapping[str, float] = MappingProxyType({})
    dropped: tuple[Dropped, ...] = ()


class CacheUse(NamedTuple):
    """What the cache did: ``status`` is hit, miss, bypass or off; ``age`` in seconds; ``stale`` past the lifetime."""

    status: str = "off"
    matched_query: str = ""
    similarity: float | None = None
    age: float | None = None
    refused_by: str = ""
    reason: str = ""
    stale: bool = False


class Ranking(NamedTuple):
    """The fused results of a plan, best first, with every outcome that they came from.

    ``withheld`` counts the results that are above the label which may be shown.
    """

    plan: Plan
    outcomes: tuple[Outcome, ...]
    results: tuple[Ranked, ...] = ()
    fusion: Fusion = Fusion("priority", 0.0)
    cache: CacheUse = CacheUse()
    evidence_gap: tuple[str, ...] = ()
    withheld: int = 0
