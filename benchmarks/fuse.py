"""The cost of fusing 10 sources x 100 hits: with dedupe in milliseconds, alone against a plain dictionary and ranx' RRF.

``python -m benchmarks.fuse``; ranx is taken from this interpreter, else from the one that ``ENCYCLOPEDIA_BENCH_PYTHON`` names.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from importlib.util import find_spec
from itertools import repeat
from typing import TYPE_CHECKING

from encyclopedia.model.outcome import Hit, Outcome, Outcomes, Reply
from encyclopedia.model.plan import Ask, Plan, Request
from encyclopedia.model.query import Query, QueryType, Question
from encyclopedia.model.settings import FusionSettings
from encyclopedia.model.status import Status
from encyclopedia.stages.canonical import canonical_url, page_key
from encyclopedia.stages.dedupe import dedupe
from encyclopedia.stages.fuse import fuse
from encyclopedia.stages.reciprocal import Formula, order, vote

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCES, DEPTH, PAGES, SEED, RUNS = 10, 100, 400, 7, 80
WORDS = ("async", "event", "loop", "task", "cancel", "scope", "deadline", "result", "page", "docs", "guide", "install")

RANX = """
import json, sys, time
from ranx import Run, fuse
runs = [Run({"q": scores}, name=name) for name, scores in json.load(sys.stdin).items()]
fuse(runs=runs, norm=None, method="rrf")
times = []
for _ in range(80):
    started = time.perf_counter()
    fuse(runs=runs, norm=None, method="rrf")
    times.append(time.perf_counter() - started)
print(sorted(times)[len(times) // 4] * 1000)
"""


def lists() -> dict[str, tuple[Hit, ...]]:
    """Ten lists drawn from 400 pages; every third address is one of the forms that engines give for a page."""
    rng = random.Random(SEED)
    sources = {}
    for number in range(SOURCES):
        pages = rng.sample(range(PAGES), DEPTH)
        sources[f"source{number}"] = tuple(_hit(rng, page) for page in pages)
    return sources


def _hit(rng: random.Random, page: int) -> Hit:
    path = f"docs.example{page % 37}.org/guide/page-{page}"
    form = rng.choice((f"https://{path}", f"https://{path}", f"http://www.{path}/?utm_source=x#part"))
    text = " ".join(rng.choices(WORDS, k=40))
    return Hit(title=f"Page {page}", url=form, content=text)


def outcomes(sources: dict[str, tuple[Hit, ...]]) -> Outcomes:
    rng = random.Random(SEED)
    raw = {name: rng.choice((0.1, 0.2, 0.3, 0.4)) for name in sources}
    request = Request("words", QueryType.GENERAL_SEARCH, DEPTH, 5.0)
    asks = tuple(Ask(name, request, weight / sum(raw.values())) for name, weight in raw.items())
    question = Question(Query("words"), "words", QueryType.GENERAL_SEARCH, "default")
    return Outcomes(Plan(question, asks), tuple(Outcome(name, Status.OK, Reply(hits)) for name, hits in sources.items()))


def plain(given: Outcomes) -> list[tuple[str, float]]:
    """The least that anybody would write: addresses as they are, a dictionary of sums, sorted."""
    weights = {ask.source: ask.weight for ask in given.plan.asks}
    scores: dict[str, float] = {}
    for outcome in given.outcomes:
        for rank, hit in enumerate(outcome.reply.hits, 1):
            scores[hit.url] = scores.get(hit.url, 0.0) + weights[outcome.source] / (60 + rank)
    return sorted(scores.items(), key=lambda item: -item[1])


def alone(given: Outcomes, keys: dict[str, list[str]]) -> list[str]:
    """The fusion itself, as ranx does it: from lists of keys to keys in order, every vote kept."""
    formula = Formula(FusionSettings(), {ask.source: ask.weight for ask in given.plan.asks})
    votes: dict[str, list[tuple[float, str, int, str, Hit]]] = {}
    for outcome in given.outcomes:
        source, hits = outcome.source, outcome.reply.hits
        ranks = range(1, len(hits) + 1)
        vote(votes, source, zip(formula.scores(source, ranks), ranks, keys[source], hits, repeat(""), strict=False))
    return order(votes, lambda _hit: 0.0, DEPTH)


def quartile_ms(work: Callable[[], object], *, cold: bool = False) -> float:
    """The lower quartile of wall-clock times, of ours as of theirs: what the work takes when nothing else disturbs it."""
    times = []
    for _ in range(RUNS):
        if cold:
            canonical_url.cache_clear()
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return sorted(times)[RUNS // 4] * 1000


def ranx_ms(sources: dict[str, tuple[Hit, ...]]) -> float | None:
    """The warm RRF of ranx over the same lists, its runs made beforehand; ``None`` where ranx is not to be had."""
    python = sys.executable if find_spec("ranx") else os.environ.get("ENCYCLOPEDIA_BENCH_PYTHON")
    if not python:
        return None
    given = {name: {canonical_url(hit.url): 1.0 / rank for rank, hit in enumerate(hits, 1)} for name, hits in sources.items()}
    done = subprocess.run([python, "-c", RANX], input=json.dumps(given), capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def rows() -> list[tuple[str, float, str, str, bool]]:
    """Name, value, unit, bar, whether it is kept."""
    sources = lists()
    given = outcomes(sources)
    settings = FusionSettings()
    keys = {name: [page_key(hit, name) for hit in hits] for name, hits in sources.items()}
    whole = quartile_ms(lambda: dedupe(fuse(given, settings=settings)), cold=True)
    warm = quartile_ms(lambda: fuse(given, settings=settings))
    bare = quartile_ms(lambda: alone(given, keys))
    least = quartile_ms(lambda: plain(given))
    table = [
        ("fuse + dedupe, 10 x 100, addresses never seen", whole, "ms", "<= 5", whole <= 5),
        ("fuse, addresses known", warm, "ms", "-", True),
        ("the fusion alone, from keys to their order", bare, "ms", "-", True),
        ("plain dictionary RRF, no identity, no shares", least, "ms", "-", True),
        ("fuse + dedupe over plain dictionary", whole / least, "x", "-", True),
        ("the fusion alone over plain dictionary", bare / least, "x", "-", True),
    ]
    peer = ranx_ms(sources)
    if peer is not None:
        table.append(("ranx RRF, warm, runs made beforehand", peer, "ms", "-", True))
        table.append(("ranx over the fusion alone", peer / bare, "x", ">= 10", peer / bare >= 10))
    return table


def main() -> None:
    for name, value, unit, bar, kept in rows():
        print(f"{name:<50} {value:9.3f} {unit:<3} bar {bar:<6} {'ok' if kept else 'MISSED'}")


if __name__ == "__main__":
    main()
