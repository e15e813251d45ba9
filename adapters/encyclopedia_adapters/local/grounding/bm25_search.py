"""Finds rows of curated tables: filters first, then a ranking by name; the retrieval half of the v1 interface."""

from __future__ import annotations

import os
import re
from collections import Counter
from math import log
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia_adapters.local.grounding.table import TableError, cell, read_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from encyclopedia_adapters.local.grounding.table import Row

__all__ = ["BM25", "DEFAULT_MAX_RESULTS", "RETRIEVERS", "Columns", "apply_filters", "load_csv", "search_rows", "select"]

DEFAULT_MAX_RESULTS = 3
SHORTEST = 3
"""Letters of the shortest word that is searched: the contract of v1 drops shorter ones."""


class Columns(NamedTuple):
    """Which columns of a table are searched, and which are given back."""

    search: Sequence[str]
    output: Sequence[str]


class BM25:
    """Okapi BM25 with ``k1`` and ``b``, and idf = ln((N - n + 0.5) / (n + 0.5) + 1), which is never negative."""

    def __init__(self, k1: float = 1.5, b: float = 0.75) -> None:
        self.k1, self.b = k1, b
        self.N = 0
        self.avgdl = 0.0
        self.idf: dict[str, float] = {}
        self._counts: list[Counter[str]] = []

    @staticmethod
    def tokenize(text: object) -> list[str]:
        """Words in lower case, without punctuation, of three letters or more."""
        return [word for word in re.sub(r"[^\w\s]", " ", str(text).lower()).split() if len(word) >= SHORTEST]

    def fit(self, documents: Iterable[str]) -> None:
        """Learn the texts that are to be ranked, in place of any before."""
        self._counts = [Counter(self.tokenize(text)) for text in documents]
        self.N = len(self._counts)
        self.avgdl = sum(map(Counter.total, self._counts)) / self.N if self.N else 0.0
        held = Counter(word for counts in self._counts for word in counts)
        self.idf = {word: log((self.N - number + 0.5) / (number + 0.5) + 1) for word, number in held.items()}

    def score(self, query: str) -> list[tuple[int, float]]:
        """Each text's number with its score, best first, equal ones in their order. A word asked twice counts twice."""
        words = [word for word in self.tokenize(query) if word in self.idf]
        scores = [(number, self._score(counts, words)) for number, counts in enumerate(self._counts)]
        return sorted(scores, key=lambda scored: -scored[1])

    def _score(self, counts: Counter[str], words: Sequence[str]) -> float:
        length = self.k1 * (1 - self.b + self.b * counts.total() / self.avgdl) if words else 0.0
        found = ((word, counts[word]) for word in words if word in counts)
        return sum(self.idf[word] * times * (self.k1 + 1) / (times + length) for word, times in found)


def load_csv(filepath: str | os.PathLike[str]) -> list[Row]:
    """The rows of a table, each by column. Raises ``FileNotFoundError``, and ``TableError`` if it is no table."""
    return list(read_table(filepath).rows)


def apply_filters(rows: Sequence[Row], filters: Mapping[str, object] | None) -> list[Row]:
    """The rows whose every filtered column holds the wanted text, in any case, or one of a list of texts.

    A column that is not there holds nothing: no row is the answer then, and filters are never widened.
    """
    wanted = {column: _texts(value) for column, value in (filters or {}).items()}
    return [row for row in rows if all(_holds(row, column, texts) for column, texts in wanted.items())]


def _texts(value: object) -> list[str]:
    return [str(each).lower() for each in value] if isinstance(value, list | tuple) else [str(value).lower()]


def _holds(row: Mapping[str, object], column: str, texts: Iterable[str]) -> bool:
    if column not in row:
        return False
    have = cell(row, column).lower()
    return any(text in have for text in texts)


def _bm25(rows: Sequence[Row], search: Sequence[str], query: str, most: int) -> list[tuple[Row, float]]:
    ranking = BM25()
    ranking.fit(" ".join(cell(row, column) for column in search) for row in rows)
    return [(rows[number], score) for number, score in ranking.score(query)[:most] if score > 0]


def _structured(rows: Sequence[Row], _search: Sequence[str], _query: str, most: int) -> list[tuple[Row, float]]:
    """What the filters left, in the order of the file."""
    return [(row, 1.0) for row in rows[:most]]


def _hybrid(rows: Sequence[Row], search: Sequence[str], query: str, most: int) -> list[tuple[Row, float]]:
    """Ranked by the words of the query; without a query in the order of the file."""
    return (_bm25 if query.strip() else _structured)(rows, search, query, most)


RETRIEVERS: dict[str, Callable[[Sequence[Row], Sequence[str], str, int], list[tuple[Row, float]]]] = {
    "bm25": _bm25,
    "structured": _structured,
    "hybrid": _hybrid,
}
"""Rankings by name; each takes rows, the columns to search, the query and how many rows are wanted."""


def select(
    rows: Sequence[Row],
    columns: Columns,
    query: str,
    max_results: int = DEFAULT_MAX_RESULTS,
    filters: Mapping[str, object] | None = None,
    retriever: str = "bm25",
) -> dict[str, Any]:
    """As ``search_rows``, of rows that are already read."""
    if retriever not in RETRIEVERS:
        raise ValueError(f"unknown retriever {retriever!r}; there are {', '.join(RETRIEVERS)}")
    found = RETRIEVERS[retriever](apply_filters(rows, filters), columns.search, query, max_results)
    return {
        "count": len(found),
        "results": [{column: row[column] for column in columns.output if column in row} for row, _ in found],
        "scores": [score for _, score in found],
        "filtered_from": len(rows),
    }


def search_rows(  # noqa: PLR0913, PLR0917 - the contract of v1
    filepath: str | os.PathLike[str],
    search_cols: Sequence[str],
    output_cols: Sequence[str],
    query: str,
    max_results: int = DEFAULT_MAX_RESULTS,
    filters: Mapping[str, object] | None = None,
    retriever: str = "bm25",
) -> dict[str, Any]:
    """Search one file: ``{count, results, scores, filtered_from}``.

    ``results`` are rows with the output columns, ``filtered_from`` the rows there were before any filter. A file that is not
    there or no table gives ``error`` beside an empty result. Raises ``ValueError`` for an unknown retriever.
    """
    try:
        rows = read_table(filepath).rows
    except FileNotFoundError:
        return nothing(f"{os.fspath(filepath)} is not there")
    except TableError as error:
        return nothing(f"{os.fspath(filepath)} cannot be used: {error}")
    return select(rows, Columns(search_cols, output_cols), query, max_results, filters, retriever)


def nothing(error: str) -> dict[str, Any]:
    """An empty result with the reason for it."""
    return {"error": error, "count": 0, "results": [], "scores": [], "filtered_from": 0}
