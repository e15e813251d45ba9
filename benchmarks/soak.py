"""Thousands of searches while everything around them misbehaves: sources and stores are broken and mended as they go.

``python -m benchmarks.soak [--searches 20000] [--concurrent 32] [--deadline 3] [--seed 1]``. Twelve sources over loopback
HTTP, their faults switched on and off all the time; after a quarter of the way the SQLite records are locked, after half of it
the disk is full, after three quarters they are garbage. Prints what was counted, and ends with 1 if a promise was not kept.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import resource
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from encyclopedia import Encyclopedia
from encyclopedia.model.errors import EncyclopediaError, NoSourceAnswered

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.switches import off
from tests.upstream import UpstreamProcess

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCES = tuple(f"s{number:02}" for number in range(12))
GOOD: dict[str, Any] = {
    "json": {"results": [{"title": f"T{n}", "url": f"https://e.example/{n}", "content": f"text {n}"} for n in range(5)]}
}
FAULTS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "good": (GOOD, ("ok",)),
    "slow": (GOOD | {"delay": 0.05}, ("ok",)),
    "empty": ({"json": {"results": []}}, ("empty",)),
    "hang": ({"hang": True}, ("timeout",)),
    "drip": (GOOD | {"drip": 0.05}, ("timeout",)),
    "reset": ({"reset": True}, ("unavailable",)),
    "half": (GOOD | {"half": True}, ("unavailable",)),
    "error": ({"status": 500}, ("unavailable",)),
    "limited": ({"status": 429, "headers": {"Retry-After": "1"}}, ("rate_limited",)),
    "auth": ({"status": 401}, ("auth",)),
    "html": ({"body": "<html>log in</html>", "content_type": "text/html"}, ("error",)),
    "garbage": ({"body": "{not json"}, ("error",)),
    "bomb": ({"bomb": 16}, ("error",)),
    "corrupt": (GOOD | {"corrupt": True}, ("error",)),
    "redirect": ({"redirect": "http://127.0.0.1:9/"}, ("error",)),
}
"""What a source can be told to do, and the outcomes that are right for it."""
ANYWHERE = ("refused", "timeout", "cancelled")
"""Right for every source under a load: left alone by its breaker, or late because the machine was."""
GRACE = 0.2
MEMORY = 8
"""Earlier faults of a source that may still show: a search that began under one of them may end now."""
PAUSE = 0.25
"""Seconds that somebody waits who was told that nobody could answer."""


@dataclass
class Seen:
    """What was counted."""

    searches: int = 0
    refused: int = 0
    late: Counter[str] = field(default_factory=Counter)
    store: str = "sound"
    wrong: list[str] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    worst: float = 0.0
    rss: list[int] = field(default_factory=list)
    descriptors: list[int] = field(default_factory=list)
    events: list[tuple[str, str]] = field(default_factory=list)
    tasks: int = 0
    problems: set[str] = field(default_factory=set)

    def faults(self) -> list[str]:
        """The promises that were not kept, each in a sentence."""
        late = f"{self.late.total()} searches ended {self.worst:.3f} s after their start and less, later than they should"
        found = [f"{late} ({dict(self.late)} by store)"] if self.late else []
        found += [f"a wrong outcome: {text}" for text in self.wrong[:5]]
        found += [f"{self.tasks} tasks were left behind"] if self.tasks else []
        second = self.rss[len(self.rss) // 2 :]
        if len(second) > 3 and max(second) > 1.1 * min(second):
            found.append(f"memory went from {min(second)} to {max(second)} KiB over the second half")
        if len(self.descriptors) > 3 and self.descriptors[-1] > self.descriptors[len(self.descriptors) // 2] + 8:
            found.append(f"descriptors went from {self.descriptors[len(self.descriptors) // 2]} to {self.descriptors[-1]}")
        return found + self._doubled()

    def _doubled(self) -> list[str]:
        """Events of one source that do not take turns: an opening or a recovery that was told twice."""
        last: dict[str, str] = {}
        found = []
        for name, source in self.events:
            if last.get(source) == name:
                found.append(f"{name} of {source} was told twice in a row")
            last[source] = name
        return found


class World:
    """The upstream with its twelve sources: which fault each has, and since when."""

    def __init__(self, up: UpstreamProcess, dice: random.Random) -> None:
        self._up, self._dice = up, dice
        self.now: dict[str, str] = {}
        self.before: dict[str, list[str]] = {name: [] for name in SOURCES}
        for name in SOURCES:
            self.turn(name, "good")

    def turn(self, source: str, fault: str | None = None) -> None:
        """Give a source another fault; half of the time it is well."""
        chosen = fault or (self._dice.choice(list(FAULTS)) if self._dice.random() < 0.5 else "good")
        self.before[source] = [*self.before[source], self.now.get(source, chosen)][-MEMORY:]
        self._up.on(f"/{source}", FAULTS[chosen][0])
        self.now[source] = chosen

    def allowed(self, source: str) -> set[str]:
        """The outcomes that are right for a source now, and for what it did a moment ago."""
        faults = {self.now[source], *self.before[source]}
        return {status for fault in faults for status in FAULTS[fault][1]} | set(ANYWHERE)


def table(name: str, url: str) -> str:
    """A source in the settings."""
    return (
        f'[sources.{name}]\nkind = "json"\nserves = {{ general_search = 0.3 }}\nurl = "{url}/{name}?q={{query}}"\n'
        'results = "results"\nfields = { title = "title", url = "url", content = "content" }\ntimeout = 1.5\n'
    )


def break_store(home: Path, how: str) -> Callable[[], None]:
    """Break the file of breaker records; what mends it."""
    path = home / "state" / "breakers.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    if how == "locked":
        held = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        held.execute("BEGIN EXCLUSIVE")
        return held.close
    if how == "full":
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))  # every write fails, as on a full disk
        return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, before)
    for file in path.parent.glob("breakers.db*"):
        file.write_bytes(os.urandom(8192))
    return lambda: None


def run_delay() -> float:
    """Seconds for which this thread could have gone on and had no processor: what a shared machine takes is not our doing."""
    return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9


def descriptors() -> int:
    """Open descriptors that are no connection: those come and go."""
    count = 0
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            count += not os.readlink(f"/proc/self/fd/{name}").startswith("socket:")
    return count


def memory() -> int:
    """KiB of this process that are in memory now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() // 1024


async def soak(home: Path, up: UpstreamProcess, options: argparse.Namespace) -> Seen:
    """The whole soak; what was seen."""
    dice, seen = random.Random(options.seed), Seen()
    settings = f"deadline = {options.deadline}\n[breaker]\ncooldown = 0.5\n[cache]\nentries = 50\n[history]\nentries = 50\n"
    (home / "config.toml").write_text(settings + "".join(table(name, up.url) for name in SOURCES))
    world = World(up, dice)
    environ = {"PATH": "/usr/bin:/bin", "ENCYCLOPEDIA_EMBEDDER_USE": "off", **off()}
    async with Encyclopedia(home=str(home), environ=environ) as engine:
        circuit = engine.engine.stores.circuit
        circuit._notify = lambda source, _, after: seen.events.append((after, source))  # noqa: SLF001 - the soak listens
        await engine.search("warm up", type="general_search", timeout=30.0)  # what is loaded once counts as nobody's time
        left = iter(range(options.searches))
        changing = asyncio.ensure_future(_change(world, home, seen, options, engine))
        workers = [asyncio.ensure_future(_work(engine, world, seen, left, options)) for _ in range(options.concurrent)]
        await asyncio.gather(*workers)
        changing.cancel()
        await asyncio.wait({changing})
        await asyncio.sleep(0.2)
        seen.tasks = len([task for task in asyncio.all_tasks() if task.get_name().startswith("ask ")])
    return seen


async def _work(engine: Encyclopedia, world: World, seen: Seen, left: Any, options: argparse.Namespace) -> None:
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
        took = time.monotonic() - begun - (run_delay() - waited)
        seen.worst = max(seen.worst, took)
        if took > options.deadline + GRACE:
            seen.late[seen.store] += 1
        seen.searches += 1
        _judge(body, world, seen)
        if body["status"] == "error":
            await asyncio.sleep(PAUSE)


def _judge(body: dict[str, Any], world: World, seen: Seen) -> None:
    """Whether every outcome is one that its source deserves."""
    outcomes = body.get("outcomes", ())
    failed = [row for row in outcomes if row["status"] not in ("ok", "empty")]
    if failed and not body.get("cached") and not body["degraded"]:
        seen.wrong.append("a source failed and the answer is not degraded")
    for row in outcomes:
        seen.statuses[row["status"]] += 1
        if not body.get("cached") and row["status"] not in world.allowed(row["source"]):
            seen.wrong.append(f"{row['source']} is {world.now[row['source']]} and was {row['status']} ({row['reason']})")


async def _change(world: World, home: Path, seen: Seen, options: argparse.Namespace, engine: Encyclopedia) -> None:
    """Faults come and go; the stores break at a quarter, half and three quarters of the way."""
    breaks = [(options.searches * at // 4, how) for at, how in ((1, "locked"), (2, "full"), (3, "corrupt"))]
    mend: Callable[[], None] = lambda: None  # noqa: E731 - nothing is broken yet
    mended_at = 0
    try:
        while True:
            await asyncio.to_thread(world.turn, random.choice(SOURCES))
            if seen.searches >= mended_at:
                mend()
                mend, seen.store = (lambda: None), "sound"
            if breaks and seen.searches >= breaks[0][0]:
                seen.store = breaks.pop(0)[1]
                mend, mended_at = break_store(home, seen.store), seen.searches + options.searches // 20
            seen.problems |= {engine.engine.stores.circuit.problem} - {""}
            seen.rss.append(memory())
            seen.descriptors.append(descriptors())
            await asyncio.sleep(0.1)
    finally:
        mend()


def run(options: argparse.Namespace) -> Seen:
    """The soak in a folder and with an upstream of its own."""
    with tempfile.TemporaryDirectory() as home, UpstreamProcess() as up:
        return asyncio.run(soak(Path(home), up, options))


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("--searches", type=int, default=20_000)
    made.add_argument("--concurrent", type=int, default=32)
    made.add_argument("--deadline", type=float, default=3.0)
    made.add_argument("--seed", type=int, default=1)
    return made


def rows() -> list[tuple[str, float, str, str | None, bool]]:
    """Name, value, unit, bar, whether it is kept."""
    seen = run(parser().parse_args(["--searches", "2000"]))
    faults = seen.faults()
    return [("soak of 2,000 searches: promises not kept", len(faults), "", "<= 0", not faults)]


if __name__ == "__main__":
    done = run(parser().parse_args())
    broken = done.faults()
    shown = {
        "searches": done.searches,
        "code 3": done.refused,
        "worst s": round(done.worst, 3),
        "outcomes": dict(done.statuses),
    }
    shown |= {"rss KiB": [done.rss[0], done.rss[len(done.rss) // 2], done.rss[-1]], "events": len(done.events)}
    shown |= {"descriptors": [done.descriptors[0], done.descriptors[-1]], "store": sorted(done.problems), "broken": broken}
    print(json.dumps(shown, indent=1))
    sys.exit(bool(broken))
