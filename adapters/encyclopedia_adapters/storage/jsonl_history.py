"""The record of searches, one line of JSON each, in a file that only its owner can read."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from encyclopedia_adapters.storage.history_age import Age
from encyclopedia_adapters.storage.json_lines import JsonLines, content_of, line_of, record_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

SLACK = 1.2
"""How many times ``entries`` the file may hold before it is written anew."""
TAIL = 1 << 18
"""Bytes at the end of the file in which questions are counted: some hundred searches."""
HEAD = 256
"""Bytes at the beginning of the file in which the time of its oldest record stands."""


def open_store(folder: str, *, entries: int, days: float = 0.0) -> JsonlHistory:
    """The history in ``folder``, made with the first record; the newest ``entries`` are kept, for ``days`` (0: for ever)."""
    return JsonlHistory(os.path.join(folder, "history.jsonl"), entries, days)


class JsonlHistory:
    """Records in the order they were made, bounded by number and by age; one that does not tell its time has no age."""

    def __init__(self, path: str, entries: int, days: float = 0.0, clock: Callable[[], float] = time.time) -> None:
        self._lines = JsonLines(path)
        self._entries, self._age = entries, Age(days, clock)
        self._counted = (0, 0, 0)

    def append(self, *records: Mapping[str, object]) -> None:
        """Add the records with a single write, from any thread.

        Raises ``OSError`` if they cannot be kept whole, ``TypeError`` if one is no JSON.
        """
        with self._lines.held() as file:
            before, after = self._lines.add(file, records)
            if self._count(file, before, after, len(records)) > self._entries * SLACK or self._aged(file):
                self._shorten(file)

    def _count(self, file: int, before: int, after: int, more: int) -> int:
        """The number of lines; what others have written since is counted, and all of it only in another file."""
        inode = os.fstat(file).st_ino
        known, size, lines = self._counted
        if known != inode or size > before:
            size = lines = 0
        lines += os.pread(file, before - size, size).count(b"\n") + more
        self._counted = inode, after, lines
        return lines

    def _aged(self, file: int) -> bool:
        """Whether the oldest record is past its time by a day: then the file is written anew, and not with each search."""
        if not self._age.days:
            return False
        _, found, rest = os.pread(file, HEAD, 0).partition(b'"at":"')
        return bool(found) and rest < self._age.oldest(1.0).encode()

    def _shorten(self, file: int) -> None:
        lines = content_of(file).splitlines(keepends=True)
        kept = [line for line in lines if (record := record_of(line)) is not None and self._age.young(record)]
        self._lines.replace(kept[-self._entries :] if self._entries > 0 else [])

    def read(self, last: int | None = None) -> Sequence[Mapping[str, object]]:
        """The newest ``last`` records (all of them for ``None``), oldest first; unreadable lines are left out."""
        found = [record for line in self._lines.content().splitlines() if (record := record_of(line)) is not None]
        records = [record for record in found if self._age.young(record)]
        return records if last is None else records[max(0, len(records) - last) :]

    def times(self, query: str) -> int:
        """How many of the newest records have these very words as their query; none is read for it, some 0.1 ms."""
        return self._lines.content(TAIL).count(line_of({"query": query})[1:-2] + b",")

    def clear(self) -> int:
        """Remove all records; the number removed."""
        if not os.path.exists(self._lines.path):
            return 0
        with self._lines.held() as file:
            removed = sum(record_of(line) is not None for line in content_of(file).splitlines())
            os.ftruncate(file, 0)
        return removed
