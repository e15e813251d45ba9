"""The world around a soak: twelve sources whose faults come and go, and stores that are broken and mended."""

from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import time
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

    from tests.upstream import UpstreamProcess

SOURCES = tuple(f"s{number:02}" for number in range(12))
GOOD: dict[str, Any] = {
    "json": {"results": [{"title": f"T{n}", "url": f"https://e.example/{n}", "content": f"text {n}"} for n in range(5)]}
}
FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "good": (GOOD, "ok"),
    "slow": (GOOD | {"delay": 0.05}, "ok"),
    "empty": ({"json": {"results": []}}, "empty"),
    "hang": ({"hang": True}, "timeout"),
    "drip": (GOOD | {"drip": 0.05}, "timeout"),
    "reset": ({"reset": True}, "unavailable"),
    "half": (GOOD | {"half": True}, "unavailable"),
    "error": ({"status": 500}, "unavailable"),
    "limited": ({"status": 429, "headers": {"Retry-After": "1"}}, "rate_limited"),
    "auth": ({"status": 401}, "auth"),
    "html": ({"body": "<html>log in</html>", "content_type": "text/html"}, "error"),
    "garbage": ({"body": "{not json"}, "error"),
    "bomb": ({"bomb": 16}, "error"),
    "corrupt": (GOOD | {"corrupt": True}, "error"),
    "redirect": ({"redirect": "http://127.0.0.1:9/"}, "error"),
}
"""What a source can be told to do, and the outcome that is right for it."""
SECURE = SOURCES[-2:]
"""Sources that speak TLS, in faults that others cannot have; a connection that is there already has no need of a handshake."""
HANDSHAKES: dict[str, tuple[dict[str, Any], str]] = {
    "slow handshake": (GOOD | {"handshake": 0.1}, "ok"),
    "no handshake": (GOOD | {"handshake": 3600.0}, "timeout"),
}
WELL = {"good", "slow", "empty", "slow handshake"}
AFTER = 10.0
"""Seconds for which a breaker may hold others off after a fault: its pause, a wait that was asked for, the lease of a probe."""
KEPT = 64
"""Spells of a source that are remembered."""
SMALL = 64 << 20
"""Bytes of a device that is small enough to be filled."""


class Spell(NamedTuple):
    """A fault and when it may have been in force; seconds of the monotonic clock."""

    fault: str
    begun: float
    ended: float


class World:
    """The upstream with its sources: which fault each has, and which it had before."""

    def __init__(self, up: UpstreamProcess, dice: random.Random) -> None:
        self._up, self._dice = up, dice
        self._now: dict[str, Spell] = {}
        self._before: dict[str, list[Spell]] = {name: [] for name in SOURCES}
        self.heal()

    def heal(self) -> None:
        """All sources are well."""
        for name in SOURCES:
            self.turn(name, "good")

    def turn(self, source: str = "", fault: str = "") -> None:
        """Give a source another fault; half of the time it is well. Neither need be named."""
        name = source or self._dice.choice(SOURCES)
        known = FAULTS | HANDSHAKES if name in SECURE else FAULTS
        chosen = fault or (self._dice.choice(list(known)) if self._dice.random() < 0.5 else "good")
        begun = time.monotonic()
        self._up.on(f"/{name}", known[chosen][0])
        if name in self._now:
            self._before[name] = [*self._before[name], self._now[name]._replace(ended=time.monotonic())][-KEPT:]
        self._now[name] = Spell(chosen, begun, float("inf"))

    def faults(self, source: str, since: float) -> set[str]:
        """What the source may have done at any time since then."""
        return {spell.fault for spell in (*self._before[source], self._now[source]) if spell.ended >= since}

    def allowed(self, source: str, since: float) -> set[str]:
        """The outcomes that are right for a question that was asked at or after ``since`` and answered now."""
        known = FAULTS | HANDSHAKES
        faults = self.faults(source, since)
        right = {known[fault][1] for fault in faults} | ({"ok"} if faults & HANDSHAKES.keys() else set())
        return right | ({"refused"} if self.faults(source, since - AFTER) - WELL else set())


def table(name: str, up: UpstreamProcess) -> str:
    """A source in the settings; whoever reads it must trust the upstream's certificate for some."""
    url = up.front(f"/{name}")[0] if name in SECURE else up.url
    return (
        f'[sources.{name}]\nkind = "json"\nserves = {{ general_search = 0.3 }}\nurl = "{url}/{name}?q={{query}}"\n'
        'results = "results"\nfields = { title = "title", url = "url", content = "content" }\ntimeout = 1.5\n'
    )


def break_stores(home: Path, how: str) -> Callable[[], None]:
    """Break every file that something is remembered in; what mends it."""
    if how == "locked":
        return _lock([path for path in home.rglob("*.db") if path.is_file()])
    if how == "full":
        return _fill(home)
    for path in chain(home.rglob("*.db*"), home.rglob("*.jsonl")):
        if path.suffix != ".lock":
            _scribble(path)
    return lambda: None


def _lock(paths: list[Path]) -> Callable[[], None]:
    held = [sqlite3.connect(path, isolation_level=None, check_same_thread=False) for path in paths]
    for connection in held:
        connection.execute("PRAGMA busy_timeout = 5000")
        connection.execute("BEGIN EXCLUSIVE")

    def let_go() -> None:
        for connection in held:
            connection.close()

    return let_go


def _fill(home: Path) -> Callable[[], None]:
    """A small device is filled to the last byte; elsewhere the process may write to no file, which looks the same to it."""
    if shutil.disk_usage(home).total > SMALL:
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
        return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, before)
    filler = home / "filler"
    with filler.open("wb", buffering=0) as file:
        size = 1 << 20
        while size:
            try:
                file.write(b"\0" * size)
            except OSError:
                size //= 2
    return filler.unlink


def _scribble(path: Path) -> None:
    """Put noise in the place of what stands in a file; it keeps its size, as others have it in memory."""
    with path.open("r+b") as file:
        file.write(os.urandom(path.stat().st_size))
