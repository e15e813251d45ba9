"""The record of searches, one line of JSON each, in a file that only its owner can read."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from encyclopedia_adapters.shared.private_files import plain_file
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
        """Add the records with a single write, from any thread, and bound what is kept.

        Raises ``OSError`` if they cannot be kept whole, ``TypeError`` if one is no JSON.
        """
        self._lines.add(records)
        with suppress(OSError):  # the records are there, and the next one may bound them
            self.bound()

    def append_now(self, *records: Mapping[str, object]) -> bool:
        """As ``append``, bounding nothing; false, with nothing added, where somebody would have to be waited for."""
        return self._lines.add_now(records) is not None

    def bound(self) -> None:
        """Drop what is too much and what is too old. Raises ``OSError`` if that cannot be done."""
        try:
            file = plain_file(self._lines.path)
        except FileNotFoundError:
            return
        try:
            over = self._over(file)
        finally:
            os.close(file)
        if over:
            with self._lines.held() as held:
                if self._over(held):  # another process may just have done so
                    self._shorten(held)
            self._lines.sync()

    def _over(self, file: int) -> bool:
        return self._count(file) > self._entries * SLACK or self._aged(file)

    def _count(self, file: int) -> int:
        """The number of lines; what was written since the last time is counted, and all of it only in another file."""
        found = os.fstat(file)
        known, size, lines = self._counted
        if known != found.st_ino or size > found.st_size:
            size = lines = 0
        lines += os.pread(file, found.st_size - size, size).count(b"\n")
        self._counted = found.st_ino, found.st_size, lines
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

    def times(self, *queries: str) -> Sequence[int]:
        """How many of the newest records have the very words of each as their query; none is read for it, some 0.1 ms."""
        tail = self._lines.content(TAIL)
        return [tail.count(line_of({"query": query})[1:-2] + b",") for query in queries]

    def clear(self) -> int:
        """Remove all records; the number removed."""
        if not os.path.exists(self._lines.path):
            return 0
        with self._lines.held() as file:
            removed = sum(record_of(line) is not None for line in content_of(file).splitlines())
            os.ftruncate(file, 0)
        return removed
