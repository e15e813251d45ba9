"""What the engine adds to the slowest source, and what the stores cost."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from statistics import median, quantiles
from typing import TYPE_CHECKING

from encyclopedia.engine.cache import AnswerCache
from encyclopedia.engine.circuit import Circuit, load_machine
from encyclopedia.engine.dispatch import dispatch
from encyclopedia.engine.recall import Recall
from encyclopedia.model.outcome import Hit, Outcome, Reply
from encyclopedia.model.plan import Ask, Plan, Request
from encyclopedia.model.query import Query, QueryType, Question
from encyclopedia.model.ranking import Fusion, Ranked, Ranking, Share
from encyclopedia.model.settings import BreakerSettings
from encyclopedia.model.status import Status
from encyclopedia_adapters.storage.diskcache_answers import open_store as open_answers
from encyclopedia_adapters.storage.memory_records import MemoryRecords
from encyclopedia_adapters.storage.sqlite_records import SqliteRecords

if TYPE_CHECKING:
    from collections.abc import Callable

    from encyclopedia.keeping import RecordStore

Row = tuple[str, float, str, str, bool]
NAMES = [f"source{n}" for n in range(10)]
KIND = QueryType.GENERAL_SEARCH


def plan() -> Plan:
    question = Question(Query("parse json"), "parse json", KIND, "default")
    return Plan(question, tuple(Ask(name, Request("parse json", KIND, 10, 5.0), 0.1) for name in NAMES))


def hits(source: str) -> tuple[Hit, ...]:
    return tuple(Hit(f"Title {n} of {source}", f"https://example.org/{source}/{n}", "some text " * 40) for n in range(10))


def stores(folder: str) -> dict[str, RecordStore]:
    """In memory; in SQLite with no record, as for most people; in SQLite with records, while another process writes."""
    written = SqliteRecords(os.path.join(folder, "written", "breakers.db"))
    for name in NAMES:
        written.step(name, lambda record: record.update(state="closed", fails=0))
    empty = SqliteRecords(os.path.join(folder, "empty", "breakers.db"))
    return {"memory": MemoryRecords(), "SQLite": empty, "SQLite with records": written}


async def overhead(store: RecordStore, rounds: int = 150) -> list[float]:
    """Milliseconds of a dispatch beyond the slowest of ten sources, each measured within itself."""
    circuit = Circuit((store, MemoryRecords()), BreakerSettings(), machine=load_machine)
    replies = {name: Reply(hits(name)) for name in NAMES}
    found = []
    for _ in range(rounds):
        spans: list[float] = []

        def source(name: str, spans: list[float] = spans) -> Callable[[Request], object]:
            async def search(_request: Request) -> Reply:
                begun = time.perf_counter()
                await asyncio.sleep(0.02 + 0.0002 * NAMES.index(name))
                spans.append(time.perf_counter() - begun)
                return replies[name]

            return search

        begun = time.perf_counter()
        await dispatch(plan(), sources=source, guard=circuit)
        found.append((time.perf_counter() - begun - max(spans)) * 1000)
    return found


async def healthy(store: RecordStore, calls: int = 3000) -> float:
    """Microseconds of processor time that the circuit adds to a healthy call, over the bare timeout and table."""
    ask, reply = plan().asks[0], Reply(hits("a")[:1])

    async def work() -> Reply:
        return reply

    async def timed(circuit: Circuit) -> float:
        begun = time.process_time()
        for _ in range(calls):
            await circuit(ask, work)
        return (time.process_time() - begun) / calls * 1e6

    pair = store, MemoryRecords()
    bare, full = Circuit(pair, BreakerSettings()), Circuit(pair, BreakerSettings(), machine=load_machine)
    return median([await timed(full) - await timed(bare) for _ in range(5)])


def exact_hit(folder: str, rounds: int = 300) -> tuple[float, float]:
    """CPU milliseconds of a hit of 50 results, and of a miss that is looked up and stored."""
    store = open_answers(os.path.join(folder, "cache"), ttl=3600, entries=500)
    cache, asked = AnswerCache(Recall(store)), plan()
    results = tuple(
        Ranked(hit, tuple(Share(name, rank, 0.1, 0.01) for name in NAMES[:2]))
        for rank, hit in enumerate((h for name in NAMES[:5] for h in hits(name)), start=1)
    )
    outcomes = tuple(Outcome(name, Status.OK, Reply(hits(name)), 0.02) for name in NAMES)
    ranking = Ranking(asked, outcomes, results, Fusion("scaled", 10.0, dict.fromkeys(NAMES, 0.1)))

    async def work(_plan: Plan) -> Ranking:
        return ranking

    async def misses() -> list[float]:
        spent = []
        for n in range(20):
            fresh = asked._replace(cache_key=f"settings {n}")
            begun = time.process_time()
            await cache.run(fresh, work)
            spent.append((time.process_time() - begun) * 1000)
        await cache.run(asked, work)
        return spent

    stored = median(asyncio.run(misses()))
    times = []
    for _ in range(rounds):
        begun = time.process_time()
        found = cache.lookup(asked)
        times.append((time.process_time() - begun) * 1000)
        assert found
        assert len(found.results) == 50
    store.close()
    return median(times), stored


def rows() -> list[Row]:
    """Each figure with its unit, its bar, and whether it is kept."""
    table = []
    with tempfile.TemporaryDirectory() as folder:
        for name, store in stores(folder).items():
            found = asyncio.run(overhead(store))
            table.append((f"overhead over the slowest of 10, p50, {name}", median(found), "ms", 1.0))
            table.append((f"overhead over the slowest of 10, p99, {name}", quantiles(found, n=100)[98], "ms", 10.0))
            table.append((f"breaker on a healthy call, {name}", asyncio.run(healthy(store)), "µs", 60.0))
        hit, stored = exact_hit(folder)
        table.append(("exact cache hit, 50 results, CPU", hit, "ms", 1.0))
    kept = [(name, value, unit, f"<= {bar:g}", value <= bar) for name, value, unit, bar in table]
    return [*kept, ("a miss looked up and stored, 50 results, CPU", stored, "ms", "-", True)]


if __name__ == "__main__":
    for name, value, unit, bar, ok in rows():
        print(f"{name:62} {value:8.3f} {unit:3} ({bar}) {'ok' if ok else 'MISSED'}")
