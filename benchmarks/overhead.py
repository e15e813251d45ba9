"""What a whole search adds to its slowest source, through the Python face: preparing, cache, breakers, fusion, history.

``python -m benchmarks.overhead``. Ten sources answer in process after a short wait; every query is new, so each one misses the
cache, is stored and is written to the history.
"""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
import time
from itertools import count
from statistics import median, quantiles
from typing import TYPE_CHECKING

from encyclopedia import Encyclopedia, Hit
from encyclopedia_adapters.generic.fixed import Fixed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from encyclopedia.model.outcome import Reply
    from encyclopedia.model.plan import Request

NAMES = [f"source{n}" for n in range(10)]
WORDS = ("signing", "kuberntes", "limits", "parse", "headers", "retry", "session", "backoff", "migration", "connect_timeout")


class Timed(Fixed):
    """Answers after its delay and remembers how long that took."""

    def __init__(self, name: str, delay: float) -> None:
        super().__init__(name, [page(name, n) for n in range(10)], delay=delay)
        self.spent = 0.0

    async def search(self, request: Request) -> Reply:
        """The ten pages of this source."""
        begun = time.perf_counter()
        reply = await super().search(request)
        self.spent = time.perf_counter() - begun
        return reply


def page(source: str, number: int) -> Hit:
    """A hit with a text of its own; one in three is a page that another source finds too."""
    site = "shared" if number % 3 == 0 else source
    dice = random.Random(f"{site} {number}")
    text = " ".join("".join(dice.choices("etaoinshrdlu", k=dice.randint(2, 9))) for _ in range(60))
    return Hit(f"Page {number} of {site}", f"https://{site}.test/{number}", text)


def queries() -> Iterator[str]:
    """Questions that nobody has asked before."""
    return (f"how to {WORDS[n % 10]} {WORDS[n // 10 % 10]} number{n}" for n in count())


async def measure(home: str, rounds: int = 200, warm: int = 20) -> tuple[list[float], list[float]]:
    """Milliseconds of each search beyond its slowest source, and of preparing it alone."""
    sources = [Timed(name, 0.02 + 0.0002 * n) for n, name in enumerate(NAMES)]
    fresh, beyond, preparing = queries(), [], []
    async with Encyclopedia(home=home, sources=sources, environ=dict(os.environ)) as e:
        for n in range(rounds + warm):
            text = next(fresh)
            begun = time.perf_counter()
            e.prepare(e.query(text, {"sources": NAMES})[0])
            prepared = time.perf_counter()
            report = await e.search(text, sources=NAMES)
            ended = time.perf_counter()
            assert not report.cached
            assert not report.degraded
            if n >= warm:
                preparing.append((prepared - begun) * 1000)
                beyond.append((ended - prepared - max(source.spent for source in sources)) * 1000)
    return beyond, preparing


def rows() -> list[tuple[str, float, str, str, bool]]:
    """Name, value, unit, bar, whether it is kept."""
    with tempfile.TemporaryDirectory() as home:
        beyond, preparing = asyncio.run(measure(home))
    table = [
        ("a whole search beyond the slowest of 10 sources, p50", median(beyond), 2.0),
        ("a whole search beyond the slowest of 10 sources, p99", quantiles(beyond, n=100)[98], 10.0),
        ("preparing it: classify, correct, expand, adapt, route", median(preparing), 2.0),
    ]
    return [(name, value, "ms", f"<= {bar:g}", value <= bar) for name, value, bar in table]


if __name__ == "__main__":
    for name, value, unit, bar, ok in rows():
        print(f"{name:62} {value:8.3f} {unit:3} ({bar}) {'ok' if ok else 'MISSED'}")
