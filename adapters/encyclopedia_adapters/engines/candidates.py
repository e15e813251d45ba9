"""Which passages are worth scoring, where too many hold some word of the question: those with its telling words."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from encyclopedia_adapters.engines.postgres_text import quoted
from encyclopedia_adapters.engines.words import rarity

if TYPE_CHECKING:
    from encyclopedia_adapters.engines.port import Words

BUDGET = 20_000
"""Passages that are scored for one question: some 30 ms of CPU."""

_PAIRED = 12


def every(words: Words) -> str:
    """All passages that hold any of the words; empty if none does."""
    return " | ".join(quoted(term) for term in words.weights if term in words.counts)


def candidates(words: Words) -> str:
    """Passages that hold a telling word, or two that tell together, about ``BUDGET`` in all.

    What is left out holds common words only, one by one, and seldom comes first.
    """
    told = {term: words.counts[term][0] for term in words.weights if words.counts.get(term, (0, 0))[0]}
    worth = {term: words.weights[term] * rarity(words.size, count) for term, count in told.items()}
    ranked = sorted(told, key=lambda term: (-worth[term], term))
    clauses, common, left = [], [], float(BUDGET)
    for term in ranked:
        if told[term] <= left:
            clauses.append(quoted(term))
            left -= told[term]
        else:
            common.append(term)
    pairs = sorted(combinations(common[:_PAIRED], 2), key=lambda pair: -worth[pair[0]] - worth[pair[1]])
    for first, second in pairs:
        cost = told[first] * told[second] / max(words.size, 1)
        if cost <= left:
            clauses.append(f"({quoted(first)} & {quoted(second)})")
            left -= cost
    return " | ".join(clauses) or " & ".join(map(quoted, common[:2]))
