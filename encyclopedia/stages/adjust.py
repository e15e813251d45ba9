"""The weights of sources as experience has made them: data for routing, which knows nothing of where they come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from encyclopedia.model.plan import Candidate


def adjust(candidates: Iterable[Candidate], factors: Mapping[str, float]) -> tuple[Candidate, ...]:
    """The candidates with the weights of those that have a factor multiplied by it."""
    return tuple(_adjusted(candidate, factors.get(candidate.name, 1.0)) for candidate in candidates)


def _adjusted(candidate: Candidate, factor: float) -> Candidate:
    if factor == 1.0:
        return candidate
    return candidate._replace(serves={kind: weight * factor for kind, weight in candidate.serves.items()})
