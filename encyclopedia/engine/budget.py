"""Daily call caps: each call of a capped source is counted before it goes out, for all processes together."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from encyclopedia.model.errors import QuotaSpent

if TYPE_CHECKING:
    from collections.abc import Callable

    from encyclopedia.keeping import RecordStore

DAY = 86_400


class Budget:
    """Counts calls by source and day (UTC) beside the breaker's records.

    ``stores`` are the shared one and the one used when that fails; ``clock`` gives wall-clock seconds. The cap is an argument
    and not kept: whoever raises it is served at once.
    """

    def __init__(self, stores: tuple[RecordStore, RecordStore], clock: Callable[[], float] = time.time) -> None:
        self._store, self._fallback = stores
        self._clock = clock

    def take(self, name: str, cap: int) -> None:
        """Count one call; raises ``QuotaSpent``, and counts nothing, when ``cap`` calls of this day are counted already."""
        if not self._step(_key(name), cap):
            raise QuotaSpent(f"daily cap of {cap} calls reached")

    def used(self, name: str) -> int:
        """The calls that are counted for this day; reads only."""
        try:
            record = self._store.peek(_key(name))
        except Exception:  # noqa: BLE001 - a store may raise what it likes; we work without it
            record = self._fallback.peek(_key(name))
        return self._calls(record or {})

    def _step(self, key: str, cap: int) -> bool:
        def change(record: dict[str, object]) -> bool:
            calls = self._calls(record)
            if calls >= cap:
                return False
            record["day"], record["calls"] = self._today(), calls + 1
            return True

        try:
            return self._store.step(key, change)
        except Exception:  # noqa: BLE001 - a store may raise what it likes; we work without it
            return self._fallback.step(key, change)

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
