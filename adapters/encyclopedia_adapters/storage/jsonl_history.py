"""The record of searches, one line of JSON each, in a file that only its owner can read."""

from __future__ import annotations

import json
import os
from _thread import allocate_lock  # what threading.Lock is, without the rest of that module
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from encyclopedia_adapters.shared.private_files import locked, plain_file, private_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

SLACK = 1.2
"""How many times ``entries`` the file may hold before it is written anew."""


def open_store(folder: str, *, entries: int) -> JsonlHistory:
    """The history in ``folder``, made with the first record; the newest ``entries`` are kept."""
    return JsonlHistory(os.path.join(folder, "history.jsonl"), entries)


class JsonlHistory:
    """Records in the order they were made. A torn line is left out when reading and closed off by the next record."""

    def __init__(self, path: str, entries: int) -> None:
        self._path = path
        self._entries = entries
        self._counted = (0, 0, 0)
        self._alone = allocate_lock()

    def append(self, record: Mapping[str, object]) -> None:
        """Add one record with a single write, from any thread.

        Raises ``OSError`` if it cannot be kept whole, ``TypeError`` if it is no JSON.
        """
        line = json.dumps(dict(record), separators=(",", ":")).encode() + b"\n"
        with self._alone, self._held() as file:  # the lock among processes is looked at from time to time only
            size = os.fstat(file).st_size
            torn = size > 0 and os.pread(file, 1, size - 1) != b"\n"
            data = b"\n" + line if torn else line
            if os.write(file, data) != len(data):
                os.ftruncate(file, size)
                raise OSError(f"{self._path}: the disk is full")
            if self._count(file, size, size + len(data)) > self._entries * SLACK:
                self._shorten(file)

    def _count(self, file: int, before: int, after: int) -> int:
        """The number of lines; counted anew only if somebody else has written since."""
        inode = os.fstat(file).st_ino
        known, lines = self._counted[:2] == (inode, before), self._counted[2]
        lines = lines + 1 if known else _content(file).count(b"\n")
        self._counted = inode, after, lines
        return lines

    def _shorten(self, file: int) -> None:
        lines = [line for line in _content(file).splitlines(keepends=True) if _record(line) is not None]
        spare = f"{self._path}.{os.getpid()}.new"
        new = private_file(spare, os.O_WRONLY | os.O_TRUNC)
        try:
            with os.fdopen(new, "wb") as out:
                out.writelines(lines[-self._entries :] if self._entries > 0 else [])
                out.flush()
                os.fsync(out.fileno())
            os.replace(spare, self._path)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(spare)
            raise

    def read(self, last: int | None = None) -> Sequence[Mapping[str, object]]:
        """The newest ``last`` records (all of them for ``None``), oldest first; unreadable lines are left out."""
        try:
            with open(plain_file(self._path), "rb") as file:
                lines = file.read().splitlines()
        except FileNotFoundError:
            return []
        records = [record for line in lines if (record := _record(line)) is not None]
        return records if last is None else records[max(0, len(records) - last) :]

    def clear(self) -> int:
        """Remove all records; the number removed."""
        if not os.path.exists(self._path):
            return 0
        with self._held() as file:
            removed = sum(_record(line) is not None for line in _content(file).splitlines())
            os.ftruncate(file, 0)
        return removed

    @contextmanager
    def _held(self) -> Iterator[int]:
        """The file, held alone. One that was replaced while we waited for it is let go: a line in it would be lost."""
        while True:
            file = private_file(self._path, os.O_RDWR | os.O_APPEND)
            try:
                with locked(file):
                    if self._current(file):
                        yield file
                        return
            finally:
                os.close(file)

    def _current(self, file: int) -> bool:
        with suppress(FileNotFoundError):
            return os.stat(self._path).st_ino == os.fstat(file).st_ino
        return False


def _content(file: int) -> bytes:
    return os.pread(file, os.fstat(file).st_size, 0)


def _record(line: bytes) -> dict[str, object] | None:
    with suppress(ValueError, RecursionError):
        record = json.loads(line)
        return record if isinstance(record, dict) else None
    return None
