"""How high the packages index puts what was asked for, over questions with known answers.

``python -m benchmarks.ranking`` indexes everything that is installed here, which takes about a minute. The factors of the
ranking were set on the part ``tune`` of the questions; ``kept`` tells what they are worth.
"""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia import Encyclopedia
from encyclopedia_adapters.local.package_index import PackageIndex
from encyclopedia_adapters.local.package_search import PackageSearch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from encyclopedia.model.plan import Request

QUESTIONS = Path(__file__).parent.parent / "tests" / "fixtures" / "packages" / "ranking.txt"
DEPTH = 10
BARS = {"tune": 0.8, "kept": 0.6}

Row = tuple[str, float, str, str, bool]


class Case(NamedTuple):
    """A question, the part that it belongs to, and the names that answer it."""

    text: str
    half: str
    answers: frozenset[str]


class Score(NamedTuple):
    """Mean reciprocal rank, and the share of questions answered by the first hit and among the first three."""

    mrr: float
    first: float
    third: float


def cases() -> list[Case]:
    """The labelled questions."""
    lines = (line.split("|") for line in QUESTIONS.read_text().splitlines() if not line.startswith("#"))
    return [Case(text.strip(), half.strip(), frozenset(names.split())) for text, half, names in lines]


def requests(home: str, chosen: Iterable[Case]) -> list[tuple[Case, Request]]:
    """The questions as the engine puts them to the source."""
    engine = Encyclopedia(home=home, settings={"cache.enabled": False})
    prepared = []
    for case in chosen:
        query, _ = engine.query(case.text, {"sources": ["packages"], "limit": DEPTH})
        prepared.append((case, engine.prepare(query).value.asks[0].request))
    return prepared


def measure(asked: Iterable[tuple[Case, Request]], titles: Callable[[Request], list[str]]) -> Score:
    """How high the answers stand among the first ten ``titles``."""
    ranks = []
    for case, request in asked:
        found = titles(request)[:DEPTH]
        ranks.append(next((rank for rank, title in enumerate(found, 1) if title in case.answers), 0))
    count = len(ranks) or 1
    mrr = sum(1 / rank for rank in ranks if rank) / count
    return Score(mrr, ranks.count(1) / count, sum(0 < rank <= 3 for rank in ranks) / count)


def rows() -> list[Row]:
    """Mean reciprocal rank of both parts, and how often the first hit and one of the first three is right."""
    found: list[Row] = []
    with tempfile.TemporaryDirectory() as home:
        index = PackageIndex(home)
        index.bring(list(index.units().values()), lambda: None, done=lambda _: None)
        search = PackageSearch(index)

        def titles(request: Request) -> list[str]:
            return [hit.title for hit in search.answer(request, threading.Event()).hits]

        for half, bar in BARS.items():
            score = measure(requests(home, [case for case in cases() if case.half == half]), titles)
            found.append((f"packages, part {half}: mean reciprocal rank", score.mrr, "", f">= {bar}", score.mrr >= bar))
            found.append((f"packages, part {half}: first hit right", score.first, "", "-", True))
            found.append((f"packages, part {half}: in the first three", score.third, "", "-", True))
    return found


if __name__ == "__main__":
    for name, value, unit, bar, kept in rows():
        print(f"{name:<58} {value:6.3f} {unit} bar {bar:<7} {'ok' if kept else 'MISSED'}")
