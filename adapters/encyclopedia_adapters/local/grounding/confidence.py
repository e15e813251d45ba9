"""How far a result can be trusted, and what it lacks: the two things that every output carries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia_adapters.local.grounding.bm25_search import BM25

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

STRONG, FAIR = 4.0, 1.5
"""BM25 scores from which the best row is a good answer, and a usable one (v1)."""
FULL = 10.0
"""The BM25 score that counts as full confidence (v1)."""


class Asked(NamedTuple):
    """What a search was asked for, as far as its gaps depend on it."""

    where: str
    query: str
    retriever: str
    filters: Mapping[str, object]


def level(score: float) -> dict[str, object]:
    """Confidence from 0 to 1 with its label."""
    label = "high" if score >= STRONG / FULL else "medium" if score >= FAIR / FULL else "low"
    return {"label": label, "score": round(score, 3)}


def weigh(result: dict[str, Any], asked: Asked, absent: Iterable[str] = ()) -> dict[str, Any]:
    """The result with ``confidence`` and ``evidence_gap``; ``absent`` are columns that the table does not have."""
    scores: Sequence[float] = result["scores"]
    gaps = [result["error"]] if "error" in result else [f"{result['file']} has no column {name!r}" for name in absent]
    by_words = asked.retriever == "bm25" or (asked.retriever == "hybrid" and bool(asked.query.strip()))
    top = min(1.0, scores[0] / FULL) if scores else 0.0
    confidence = level(top)
    if scores:
        gaps += _weak(top, by_words=by_words)
    elif "error" not in result:
        gaps += _empty(result, asked, by_words=by_words)
    return result | {"confidence": confidence, "evidence_gap": gaps}


def _weak(top: float, *, by_words: bool) -> list[str]:
    if not by_words:
        return ["rows stand in the order of their file: filters alone chose them, nothing says how well they fit"]
    return ["the best score is weak: a hint, not a verdict"] if top < FAIR / FULL else []


def _empty(result: Mapping[str, Any], asked: Asked, *, by_words: bool) -> list[str]:
    if by_words and not BM25.tokenize(asked.query):
        return ["the query has no word of three letters or more, and shorter ones are not searched"]
    filters = ", ".join(f"{column}={value}" for column, value in asked.filters.items())
    narrowed = f" within {filters}, which is not widened" if filters else ""
    return [f"no row of {asked.where} ({result['filtered_from']} rows) matched{narrowed}: decide without this corpus"]
