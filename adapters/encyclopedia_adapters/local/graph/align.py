"""Which concepts of two books may be the same: a pair is looked at if names, definitions or vectors bring it together."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.local.graph.adjudicate import traits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from encyclopedia_adapters.local.graph.values import Concept

Pair = tuple[str, str]
_NEAREST = 2
_LIKE = 0.3
_CLOSE = 0.55
"""The cosine of two concepts' vectors from which on they are looked at."""


def candidates(
    left: Sequence[Concept], right: Sequence[Concept], vectors: Mapping[str, Any] | None = None
) -> dict[Pair, tuple[Concept, Concept]]:
    """Pairs by id, in order. They depend on the two books only, so another book changes none of them."""
    found: dict[Pair, tuple[Concept, Concept]] = {}
    for one, other in (*_by_name(left, right), *_by_definition(left, right), *_by_vector(left, right, vectors or {})):
        found[one.id, other.id] = (one, other)
    return dict(sorted(found.items()))


def _by_name(left: Sequence[Concept], right: Sequence[Concept]) -> Iterator[tuple[Concept, Concept]]:
    called: dict[str, list[Concept]] = {}
    for other in right:
        for name in _names(other):
            called.setdefault(name, []).append(other)
    for one in left:
        for name in _names(one):
            yield from ((one, other) for other in called.get(name, ()))


def _names(concept: Concept) -> set[str]:
    found = traits(concept)
    return {found.name, found.core, *found.others, found.initials} - {""}


def _by_definition(left: Sequence[Concept], right: Sequence[Concept]) -> Iterator[tuple[Concept, Concept]]:
    """The nearest by the cosine of weighted words; how rare a word is, is counted in these two books."""
    counts: dict[str, int] = {}
    for concept in (*left, *right):
        for term in traits(concept).definition:
            counts[term] = counts.get(term, 0) + 1
    total = len(left) + len(right)
    weight = {term: math.log(total / count) for term, count in counts.items()}
    holding: dict[str, list[int]] = {}
    for at, other in enumerate(right):
        for term in traits(other).definition:
            holding.setdefault(term, []).append(at)
    norms = [_norm(traits(other).definition, weight) for other in right]
    for one in left:
        terms = traits(one).definition
        scores: dict[int, float] = {}
        for term in terms:
            for at in holding.get(term, ()):
                scores[at] = scores.get(at, 0.0) + weight[term] ** 2
        mine = _norm(terms, weight)
        ranked = sorted(((score / (mine * norms[at]), at) for at, score in scores.items() if mine * norms[at]), reverse=True)
        yield from ((one, right[at]) for cosine, at in ranked[:_NEAREST] if cosine >= _LIKE)


def _norm(terms: frozenset[str], weight: Mapping[str, float]) -> float:
    return math.sqrt(sum(weight[term] ** 2 for term in terms))


def _by_vector(
    left: Sequence[Concept], right: Sequence[Concept], vectors: Mapping[str, Any]
) -> Iterator[tuple[Concept, Concept]]:
    ours, theirs = ([one for one in side if one.id in vectors] for side in (left, right))
    if not ours or not theirs:
        return
    import numpy as np

    matrix = np.stack([vectors[other.id] for other in theirs])
    for one in ours:
        cosines = matrix @ vectors[one.id]
        for at in np.argsort(-cosines)[: _NEAREST + 1]:
            if cosines[at] >= _CLOSE:
                yield one, theirs[int(at)]
