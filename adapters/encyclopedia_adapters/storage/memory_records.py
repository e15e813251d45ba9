"""Breaker records for as long as the process lives: the store of those who have no other."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    R = TypeVar("R")


class MemoryRecords:
    """Records in a dict; a change is made under a lock."""

    def __init__(self) -> None:
        import threading  # a command that breaks nothing needs no lock

        self._lock = threading.Lock()
        self._records: dict[str, dict[str, object]] = {}

    def peek(self, name: str) -> dict[str, object] | None:
        """A copy of the record, or ``None``."""
        record = self._records.get(name)
        return dict(record) if record is not None else None

    def step(self, name: str, change: Callable[[dict[str, object]], R]) -> R:
        """Change the record (blank if there is none) with nobody in between; what was changed stays, even when it raises."""
        with self._lock:
            record = dict(self._records.get(name, {}))
            try:
                return change(record)
            finally:
                self._records[name] = record
