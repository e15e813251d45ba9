"""Daily call caps: each call of a capped source is counted before it goes out, for all processes together."""

from __future__ import annotations

import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from encyclopedia.engine.verdict import sentence
from encyclopedia.model.errors import QuotaSpent

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from encyclopedia.keeping import RecordStore

DAY = 86_400
RECOUNT = 2.0
"""Seconds that a store which has lost its counts is given, so that everybody can tell it what he knows."""


class Budget:
    """Counts calls by source and day (UTC) beside the breaker's records.

    ``stores`` are the shared one and the one used when that fails; without the latter nothing is called that cannot be counted.
    ``clock`` gives wall-clock seconds. The cap is an argument and not kept: whoever raises it is served at once.
    """

    names: Collection[str] = ()
    """The capped sources: of these what others counted is remembered too, should the store lose its memory."""

    def __init__(self, stores: tuple[RecordStore, RecordStore | None], clock: Callable[[], float] = time.time) -> None:
        self._store, self._fallback = stores
        self._clock = clock
        self._known: dict[str, tuple[int, int]] = {}
        self.distant: bool = getattr(self._store, "distant", False)
        """Whether counting takes a way over a network, so that it belongs into a thread."""

    def take(self, name: str, cap: int) -> None:
        """Count one call; raises ``QuotaSpent``, and counts nothing, when ``cap`` calls of this day are counted already."""
        reason, calls = self._step(_key(name), lambda record: self._counted(name, record, cap))
        if reason:
            raise QuotaSpent(f"daily cap of {cap} calls {reason}")
        if self.distant:
            self._learn(name, calls)

    def used(self, name: str) -> int:
        """The calls that are counted for this day; reads only."""
        try:
            record = self._store.peek(_key(name))
        except Exception:  # noqa: BLE001 - a store may raise what it likes; we work without it
            record = self._fallback.peek(_key(name)) if self._fallback else None
        return max(self._calls(record or {}), self._told(name) if self.distant else 0)

    def recount(self) -> None:
        """Tell the store what is known here of calls of this day, if it knows less: it may have lost its memory."""
        for name in {*self.names, *self._known}:
            self._learn(name, self.used(name))
            with suppress(Exception):  # whoever is called next tries again
                self._store.step(_key(name), partial(self._raised, name))

    def _counted(self, name: str, record: dict[str, object], cap: int) -> tuple[str, int]:
        """Count one call in the record; why that is not possible, or nothing, and the calls that are counted then."""
        calls = self._raised(name, record)
        again = record.get("again")
        if isinstance(again, float) and 0 <= self._clock() - again < RECOUNT:
            return "is being counted again", calls
        if calls >= cap:
            return "reached", calls
        record["day"], record["calls"] = self._today(), calls + 1
        return "", calls + 1

    def _raised(self, name: str, record: dict[str, object]) -> int:
        """The calls of this day: at least those that are known here, which the record is told where it has lost them."""
        calls = self._calls(record)
        if not self.distant:
            return calls
        known = self._learn(name, calls)
        if known > calls:
            record["day"], record["calls"], record["again"] = self._today(), known, self._clock()
        return known

    def _step(self, key: str, change: Callable[[dict[str, object]], tuple[str, int]]) -> tuple[str, int]:
        try:
            return self._store.step(key, change)
        except Exception as error:  # noqa: BLE001 - a store may raise what it likes; we work without it
            if self._fallback is None:
                return f"cannot be counted: {sentence(error) or type(error).__name__}", 0
            return self._fallback.step(key, change)

    def _learn(self, name: str, calls: int) -> int:
        """Remember a count that was seen; the highest of this day."""
        self._known[name] = self._today(), max(calls, self._told(name))
        return self._known[name][1]

    def _told(self, name: str) -> int:
        """The calls of this day that this process knows of."""
        day, calls = self._known.get(name, (0, 0))
        return calls if day == self._today() else 0

    def _calls(self, record: dict[str, object]) -> int:
        """What a record counts for this day; one of another day or with damage counts nothing."""
        calls = record.get("calls")
        if record.get("day") != self._today() or not isinstance(calls, int) or isinstance(calls, bool):
            return 0
        return max(calls, 0)

    def _today(self) -> int:
        return int(self._clock() // DAY)


def _key(name: str) -> str:
    return f"calls of {name}"
