"""Thousands of searches while everything around them misbehaves: sources and stores are broken and mended as they go.

``python -m benchmarks.soak [--searches 20000] [--concurrent 32] [--deadline 3] [--seed 1] [--store HOW,…] [--home FOLDER]``.
Twelve sources over loopback HTTP, their faults switched on and off all the time. On the way everything that is remembered is
broken as ``--store`` says (``locked,full,corrupt``: after a quarter, half and three quarters; ``none``: never), for a twentieth
of the way each. In the end all sources are well and every breaker has to recover. A ``--home`` on a device of some MiB is
filled for ``full``. Tells on standard error how far it is, prints what was counted, and ends with 1 if a promise was not kept.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import json
import os
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from encyclopedia import Encyclopedia
from encyclopedia.model.errors import EncyclopediaError, NoSourceAnswered

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks._world import AFTER, SECURE, SOURCES, World, break_stores, table
from tests.switches import off
from tests.upstream import UpstreamProcess

if TYPE_CHECKING:
    from collections.abc import Callable

GRACE = 0.2
FLAT = 1.1
PAUSE = 0.25
"""Seconds that somebody waits who was told that nobody could answer."""
PULSE = 0.02
GIVEN_BACK = 10
"""Changes of faults between two looks at the memory that is really in use."""
TOLD = 15.0
"""Seconds between two lines of how far it is."""
HELD = 0.1
"""Seconds that the event loop may be held up before a source that was well may look late."""
RECOVERY = 60.0
"""Seconds in which every breaker has to recover once all sources are well."""


@dataclass
class Seen:
    """What was counted."""

    searches: int = 0
    turns: int = 0
    broken: list[str] = field(default_factory=list)
    refused: int = 0
    late: Counter[str] = field(default_factory=Counter)
    starved: int = 0
    store: str = "sound"
    wrong: list[str] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    worst: float = 0.0
    worst_here: float = 0.0
    lag: float = 0.0
    held: float = 0.0
    held_at: float = 0.0
    loads: list[float] = field(default_factory=list)
    excused: int = 0
    rss: list[int] = field(default_factory=list)
    used: list[int] = field(default_factory=list)
    descriptors: list[int] = field(default_factory=list)
    events: list[tuple[str, str]] = field(default_factory=list)
    left: dict[str, int] = field(default_factory=dict)
    problems: set[str] = field(default_factory=set)

    def faults(self) -> list[str]:
        """The promises that were not kept, each in a sentence."""
        late = f"{self.late.total()} searches ended {self.worst:.3f} s after their start and less, later than they should"
        starved = f"{self.starved} of them only as this thread waited for a processor"
        found = [f"{late} ({dict(self.late)} by store; {starved})"] if self.late else []
        found += [f"a wrong outcome: {text}" for text in self.wrong[:5]]
        found += [f"{number} {what} left behind" for what, number in self.left.items() if number]
        usual, used = fifths(self.rss), fifths(self.used)
        if max(usual) > FLAT * usual[0] and max(used) > FLAT * used[0]:  # what grows does so however it is looked at
            found.append(f"memory was {usual} KiB in the fifths of the second half, {used} of it in use")
        if len(self.descriptors) > 3 and self.descriptors[-1] > self.descriptors[len(self.descriptors) // 2] + 8:
            found.append(f"descriptors went from {self.descriptors[len(self.descriptors) // 2]} to {self.descriptors[-1]}")
        return found + self._untrue()

    def _untrue(self) -> list[str]:
        """Events that do not take turns: an opening or a recovery that was told twice, or never."""
        last: dict[str, str] = {}
        found = []
        for name, source in self.events:
            if last.get(source, "closed") == name:
                found.append(f"{name} of {source} was told twice in a row")
            last[source] = name
        return found + [f"that {source} has recovered was never told" for source, name in last.items() if name != "closed"]


def run_delay() -> float:
    """Seconds for which this thread could have gone on and had no processor: what a shared machine takes is not our doing."""
    return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9


def descriptors(kind: str = "") -> int:
    """Open descriptors that are no connection, as those come and go; or those of a kind."""
    count = 0
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            place = os.readlink(f"/proc/self/fd/{name}")
            count += place.startswith(kind) if kind else not place.startswith("socket:")
    return count


def fifths(samples: list[int]) -> list[int]:
    """The median in each fifth of the second half, as what one answer takes comes and goes."""
    second = samples[len(samples) // 2 :]
    length = max(1, len(second) // 5)
    return [int(median(second[at : at + length])) for at in range(0, length * 5, length) if second[at : at + length]]


def give_back() -> None:
    """Let the C library give back what it only keeps at hand: how much that is after a burst says nothing of growth."""
    with suppress(AttributeError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)


def memory() -> int:
    """KiB of this process that are in memory now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() // 1024


async def soak(home: Path, up: UpstreamProcess, options: argparse.Namespace) -> Seen:
    """The whole soak; what was seen."""
    seen, sockets = Seen(), descriptors("socket:")
    settings = f"deadline = {options.deadline}\n[breaker]\ncooldown = 0.5\n[cache]\nentries = 50\n[history]\nentries = 50\n"
    (home / "config.toml").write_text(settings + "".join(table(name, up) for name in SOURCES))
    world = World(up, random.Random(options.seed))
    environ = {"PATH": "/usr/bin:/bin", "ENCYCLOPEDIA_EMBEDDER_USE": "off", **off()}
    async with Encyclopedia(home=str(home), environ=environ) as engine:
        circuit = engine.engine.stores.circuit
        circuit._notify = lambda source, _, after: seen.events.append((after, source))  # noqa: SLF001 - the soak listens
        await engine.search("warm up", type="general_search", timeout=30.0)  # what is loaded once counts as nobody's time
        works = (_pulse(seen), _tell(seen, options), _change(world, home, seen, options, engine))
        others = [asyncio.ensure_future(work) for work in works]
        left = iter(range(options.searches))
        begins = (n * PULSE for n in range(options.concurrent))  # a stampede on what was never asked is another matter
        every = asyncio.gather(*(_work(engine, world, seen, left, options, begin) for begin in begins))
        await asyncio.wait((every, *others), return_when=asyncio.FIRST_COMPLETED)
        for other in others:
            if other.done():  # a world that stands still proves nothing
                every.cancel()
                other.result()
            other.cancel()
        await asyncio.wait(others)
        await every
        await asyncio.to_thread(world.heal)
        await _recover(engine, seen)
    await asyncio.sleep(GRACE)
    seen.left = {
        "tasks": len(asyncio.all_tasks()) - 1,
        "connections": descriptors("socket:") - sockets,
        "requests": up.in_flight(),
    }
    return seen


async def _work(engine: Encyclopedia, world: World, seen: Seen, left: Any, options: argparse.Namespace, begin: float) -> None:
    await asyncio.sleep(begin)
    for number in left:
        text = f"question {number % 997 if number % 3 else number}"
        begun, waited = time.monotonic(), run_delay()
        try:
            body = (await engine.search(text, type="general_search", read_cache=bool(number % 2))).to_dict()
        except NoSourceAnswered as error:
            body, seen.refused = error.to_dict(), seen.refused + 1
        except EncyclopediaError as error:
            seen.wrong.append(f"{type(error).__name__}: {error}")
            continue
        took, starved = time.monotonic() - begun, run_delay() - waited
        seen.worst, seen.worst_here = max(seen.worst, took), max(seen.worst_here, took - starved)
        if took > options.deadline + GRACE:
            seen.late[seen.store] += 1
            seen.starved += took - starved <= options.deadline + GRACE
        seen.searches += 1
        _judge(body, world, seen, begun - options.deadline)  # it may share what somebody else began to ask
        if body["status"] == "error":
            await asyncio.sleep(PAUSE)


def _judge(body: dict[str, Any], world: World, seen: Seen, since: float) -> None:
    """Whether every outcome is one that its source deserves."""
    outcomes = body.get("outcomes", ())
    seen.statuses.update(row["status"] for row in outcomes)
    if body.get("cached"):
        return
    if len(outcomes) != len(SOURCES):
        seen.wrong.append(f"{len(outcomes)} outcomes of {len(SOURCES)} sources")
    if any(row["status"] not in ("ok", "empty") for row in outcomes) and not body["degraded"]:
        seen.wrong.append("a source failed and the answer is not degraded")
    for row in outcomes:
        source, status = row["source"], row["status"]
        if status in world.allowed(source, since):
            continue
        if seen.held_at >= since - {"timeout": 0.0, "refused": AFTER}.get(status, -inf):
            seen.excused += 1  # it may have answered in time, and we were not there
            continue
        seen.wrong.append(f"{source} is {world.faults(source, since)} and was {status} ({row['reason']})")


async def _pulse(seen: Seen) -> None:
    """How long the event loop was held up at most by what runs in it, and when it last was for long."""
    while True:
        begun, waited = time.monotonic(), run_delay()
        await asyncio.sleep(PULSE)
        late = time.monotonic() - begun - PULSE
        if late > HELD:
            seen.held_at = time.monotonic()
        seen.lag, seen.held = max(seen.lag, late), max(seen.held, late - (run_delay() - waited))


async def _tell(seen: Seen, options: argparse.Namespace) -> None:
    """How far it is, and how busy the machine."""
    while True:
        seen.loads.append(os.getloadavg()[0])
        told = (
            f"{seen.searches} of {options.searches}",
            f"load {seen.loads[-1]:.1f}",
            f"{memory()} KiB",
            f"{seen.worst:.2f} s",
        )
        with suppress(OSError):  # no file may grow while the stores are full
            print(*told, f"{seen.late.total()} late", f"{len(seen.wrong)} wrong", sep=", ", file=sys.stderr, flush=True)
        await asyncio.sleep(TOLD)


async def _change(world: World, home: Path, seen: Seen, options: argparse.Namespace, engine: Encyclopedia) -> None:
    """Faults come and go; the stores break on the way."""
    how = [] if options.store == "none" else options.store.split(",")
    breaks = [(options.searches * at // (len(how) + 1), name) for at, name in enumerate(how, 1)]
    mend: Callable[[], object] = lambda: None  # noqa: E731 - nothing is broken yet
    mended_at = 0
    try:
        while True:
            await asyncio.to_thread(world.turn)
            seen.turns += 1
            if seen.searches >= mended_at:
                mend()
                mend, seen.store = (lambda: None), "sound"
            if breaks and seen.searches >= breaks[0][0]:
                seen.store = breaks.pop(0)[1]
                seen.broken.append(seen.store)
                mend, mended_at = break_stores(home, seen.store), seen.searches + options.searches // 20
            seen.problems |= {engine.engine.stores.circuit.problem} - {""}
            seen.rss.append(memory())
            if seen.turns % GIVEN_BACK == 1:
                give_back()
                seen.used.append(memory())
            seen.descriptors.append(descriptors())
            await asyncio.sleep(0.1)
    finally:
        mend()


async def _recover(engine: Encyclopedia, seen: Seen) -> None:
    """Ask until every source answers well."""
    until, ill = time.monotonic() + RECOVERY, set(SOURCES)
    while ill and time.monotonic() < until:
        with suppress(NoSourceAnswered):
            body = (await engine.search("and now", type="general_search", read_cache=False)).to_dict()
            ill = {row["source"] for row in body["outcomes"] if row["status"] != "ok"}
        await asyncio.sleep(PAUSE)
    seen.wrong += [f"{source} is well and never answered again" for source in sorted(ill)]


def run(options: argparse.Namespace) -> Seen:
    """The soak in a folder and with an upstream of its own."""
    with tempfile.TemporaryDirectory(dir=options.home or None) as home, UpstreamProcess() as up:
        os.environ["SSL_CERT_FILE"] = up.front(f"/{SECURE[0]}")[1]  # before aiohttp, which reads it once, is imported
        return asyncio.run(soak(Path(home), up, options))


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("--searches", type=int, default=20_000)
    made.add_argument("--concurrent", type=int, default=32)
    made.add_argument("--deadline", type=float, default=3.0)
    made.add_argument("--seed", type=int, default=1)
    made.add_argument("--store", default="locked,full,corrupt")
    made.add_argument("--home", default="")
    return made


def rows() -> list[tuple[str, float, str, str | None, bool]]:
    """Name, value, unit, bar, whether it is kept."""
    seen = run(parser().parse_args(["--searches", "2000"]))
    faults = seen.faults()
    return [("soak of 2,000 searches: promises not kept", len(faults), "", "<= 0", not faults)]


def shown(seen: Seen) -> dict[str, object]:
    """What is printed."""
    half = len(seen.rss) // 2
    return {
        "searches": seen.searches,
        "faults changed": seen.turns,
        "code 3": seen.refused,
        "worst s": {"by the clock": round(seen.worst, 3), "without waiting for a processor": round(seen.worst_here, 3)},
        "load": {"least": round(min(seen.loads), 1), "most": round(max(seen.loads), 1), "processors": os.cpu_count()},
        "event loop s": {"late by": round(seen.lag, 3), "held by what runs in it": round(seen.held, 3)},
        "late while it was held": seen.excused,
        "outcomes": dict(seen.statuses),
        "events": dict(Counter(name for name, _ in seen.events)),
        "rss KiB": {
            "first": seen.rss[0],
            "most": max(seen.rss),
            "in the fifths of the second half": fifths(seen.rss),
            "after what is kept at hand was given back": fifths(seen.used),
        },
        "descriptors": [seen.descriptors[0], seen.descriptors[half], seen.descriptors[-1]],
        "store": {"was": seen.broken, "told": sorted(seen.problems)},
        "broken": seen.faults(),
    }


if __name__ == "__main__":
    found = shown(run(parser().parse_args()))
    print(json.dumps(found, indent=1))
    sys.exit(bool(found["broken"]))
