"""What a whole search adds to its slowest source, beside the retrievers of others that fuse; what one failing leg does.

Ten sources answer in process after a short wait. Every query is new, so with us each one is classified, corrected, routed,
missed in the cache, dispatched under breakers, fused, deduplicated, stored and written to the history; the others ask and fuse.
All run in turns, so that the machine is the same for each. As none of the others reads a question with a model, ours is
measured without one, and once more with the model of the near cache, which has to read every new question before anybody is
asked.
"""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
import time
from itertools import count
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks import _peers
from benchmarks._rows import Found, Row, growth, most, percentile
from benchmarks._size import sized
from encyclopedia import Encyclopedia, Hit
from encyclopedia_adapters.generic.fixed import Fixed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from encyclopedia.model.outcome import Reply
    from encyclopedia.model.plan import Request

WORDS = ("signing", "kuberntes", "limits", "parse", "headers", "retry", "session", "backoff", "migration", "connect_timeout")
PEERS = {
    "langchain_ensemble": "LangChain's EnsembleRetriever",
    "llama_fusion": "LlamaIndex' QueryFusionRetriever",
    "haystack_joiner": "Haystack's DocumentJoiner",
}
TURNS, ROUNDS, WARM = sized((3, 120, 20), (1, 12, 3))
EACH = 10
NUMBERS = (1, 5, 10, 20, 50)


class Timed(Fixed):
    """Answers after its delay, remembers how long that took, and fails when it is told to."""

    def __init__(self, name: str, delay: float) -> None:
        super().__init__(name, [page(name, n) for n in range(EACH)], delay=delay)
        self.spent = 0.0

    def fail(self) -> None:
        """From now on every call raises."""
        self._raises = RuntimeError("this leg is gone")

    async def search(self, request: Request) -> Reply:
        """The pages of this source."""
        begun = time.perf_counter()
        try:
            return await super().search(request)
        finally:
            self.spent = time.perf_counter() - begun


class Measured(NamedTuple):
    """Milliseconds beyond the slowest source, of preparing, of CPU of a search; sources kept when one of all fails."""

    beyond: list[float]
    preparing: list[float]
    cpu: float
    kept: int = 0


def page(source: str, number: int) -> Hit:
    """A hit with a text of its own; one in three is a page that another source finds too."""
    site = "shared" if number % 3 == 0 else source
    dice = random.Random(f"{site} {number}")
    text = " ".join("".join(dice.choices("etaoinshrdlu", k=dice.randint(2, 9))) for _ in range(60))
    return Hit(f"Page {number} of {site}", f"https://{site}.test/{number}", text)


def queries() -> Iterator[str]:
    """Questions that nobody has asked before."""
    return (f"how to {WORDS[n % 10]} {WORDS[n // 10 % 10]} number{n}" for n in count())


def sources(number: int) -> list[Timed]:
    """So many sources, the last a little slower than the first."""
    return [Timed(f"source{n}", 0.02 + 0.002 * n / number) for n in range(number)]


async def measure(
    home: str, asked: Sequence[Timed], rounds: int = ROUNDS, *, warm: int = WARM, model: bool = False
) -> Measured:
    """Searches of ours over those sources; at the end once more with the first of them failing."""
    environ = {**os.environ, "ENCYCLOPEDIA_EMBEDDER_USE": "auto" if model else "off"}
    names, fresh = [source.card.name for source in asked], queries()
    beyond, preparing, computing = [], [], 0.0
    async with Encyclopedia(home=home, sources=asked, environ=environ) as e:
        for n in range(rounds + warm):
            text = next(fresh)
            begun = time.perf_counter()
            e.prepare(e.query(text, {"sources": names})[0])
            prepared, before = time.perf_counter(), time.process_time()
            report = await e.search(text, sources=names)
            ended = time.perf_counter()
            assert not report.cached
            assert not report.degraded
            if n >= warm:
                computing += time.process_time() - before
                preparing.append((prepared - begun) * 1000)
                beyond.append((ended - prepared - max(source.spent for source in asked)) * 1000)
        if len(asked) == 1:
            return Measured(beyond, preparing, computing / rounds * 1000)
        asked[0].fail()
        report = await e.search(next(fresh), sources=names, limit=100)
    kept = {share["source"] for result in report.to_dict()["results"] for share in result["fused_from"]}
    assert report.degraded
    return Measured(beyond, preparing, computing / rounds * 1000, len(kept))


def given(asked: Sequence[Timed]) -> dict[str, Any]:
    """The same sources for a peer."""
    pages = {source.card.name: [hit._asdict() for hit in source._reply.hits] for source in asked}  # noqa: SLF001 - its own pages
    plain = {name: [{key: hit[key] for key in ("title", "url", "content")} for hit in hits] for name, hits in pages.items()}
    return {"delays": {s.card.name: s._delay for s in asked}, "pages": plain, "rounds": ROUNDS, "warm": WARM}  # noqa: SLF001 - as above


def in_turns(number: int, turns: int) -> tuple[list[Measured], dict[str, list[dict[str, Any]]]]:
    """Ours and each peer that is installed over so many sources, one after the other, again and again."""
    ours: list[Measured] = []
    theirs: dict[str, list[dict[str, Any]]] = {name: [] for name in PEERS}
    for _ in range(turns):
        with tempfile.TemporaryDirectory() as home:
            ours.append(asyncio.run(measure(home, sources(number))))
        for name, found in theirs.items():
            if told := _peers.ask(name, given(sources(number))):
                found.append(told)
    return ours, theirs


def near() -> Iterator[Row]:
    """The same with the model of the near cache."""
    with tempfile.TemporaryDirectory() as home:
        found = asyncio.run(measure(home, sources(10), model=True))
    yield most("with the near cache's model: beyond the slowest of 10 sources, p50", median(found.beyond), "ms", 2.0)
    yield most("with the near cache's model: beyond the slowest of 10 sources, p99", percentile(found.beyond, 0.99), "ms", 10.0)
    yield Row("with the near cache's model: CPU of a whole search over 10 sources", found.cpu, "ms")


def spread() -> Iterator[Found]:
    """How the cost grows with the number of sources."""
    beyond: dict[str, list[float]] = {}
    spent: dict[str, list[float]] = {}
    for number in NUMBERS:
        (ours,), theirs = in_turns(number, 1)
        point = {"ours": (median(ours.beyond), ours.cpu)}
        point |= {PEERS[name]: (median(told["beyond"]), told["cpu"]) for name, turns in theirs.items() for told in turns}
        for side, (milliseconds, cpu) in point.items():
            yield Row(f"{number} sources, {side}: beyond the slowest, p50", milliseconds, "ms")
            yield Row(f"{number} sources, {side}: CPU of a search", cpu, "ms")
            beyond.setdefault(side, []).append(milliseconds)
            spent.setdefault(side, []).append(cpu)
    for what, curves in (("beyond the slowest", beyond), ("CPU of a search", spent)):
        yield from (growth(f"{what}, {side}", NUMBERS, curve) for side, curve in curves.items())


def rows() -> Iterator[Found]:
    """Ours with its bars, then each peer beside it, then more and fewer sources."""
    ours, theirs = in_turns(10, TURNS)
    beyond = [value for turn in ours for value in turn.beyond]
    here, spent = median(beyond), median(turn.cpu for turn in ours)
    yield most("a whole search beyond the slowest of 10 sources, p50", here, "ms", 2.0)
    yield most("a whole search beyond the slowest of 10 sources, p99", percentile(beyond, 0.99), "ms", 10.0)
    prepared = median(value for turn in ours for value in turn.preparing)
    yield most("preparing it: classify, correct, expand, adapt, route", prepared, "ms", 2.0)
    yield Row("CPU of a whole search over 10 sources", spent, "ms")
    yield from near()
    yield Row(
        "one leg of 10 fails: legs whose results are kept", ours[-1].kept, note="the answer names the leg and is degraded"
    )
    for name, title in PEERS.items():
        yield from compared(title, theirs[name], here, spent) if theirs[name] else [_peers.absent(name)]
    yield from spread()


def compared(title: str, turns: list[dict[str, Any]], here: float, spent: float) -> Iterator[Row]:
    """One peer's own figures, and how many times ours they are."""
    beyond = [value for turn in turns for value in turn["beyond"]]
    cpu = median(turn["cpu"] for turn in turns)
    yield Row(f"{title}: beyond the slowest, p50", median(beyond), "ms")
    yield Row(f"{title}: beyond the slowest, p99", percentile(beyond, 0.99), "ms")
    yield Row(f"{title}: CPU of a search", cpu, "ms")
    yield Row(f"{title} over ours, p50", median(beyond) / here, "x")
    yield Row(f"{title} over ours, CPU", cpu / spent, "x")
    told = turns[-1]["told"]
    yield Row(f"{title}, one leg of 10 fails: results kept", turns[-1]["kept"], note=told and f"raises {told[:120]}")
