"""A private file of records, one line of JSON each, that many processes write to and none tears."""

from __future__ import annotations

import json
import os
from _thread import allocate_lock  # what threading.Lock is, without the rest of that module
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from encyclopedia_adapters.shared.private_files import beside, locked, plain_file, private_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    Record = Mapping[str, object]


class JsonLines:
    """Records in the order they were made. A torn line is left out when reading and closed off by the next record.

    Whoever holds the file alone is waited for ``patience`` seconds.
    """

    def __init__(self, path: str, patience: float = 2.0) -> None:
        self.path, self._patience = path, patience
        self._alone = allocate_lock()

    @contextmanager
    def held(self) -> Iterator[int]:
        """The file, held alone among threads and processes.

        One that was replaced while we waited is let go: a line in it would be lost.
        Raises ``OSError`` if it cannot be opened, or if somebody holds it for too long.
        """
        with self._alone:  # the lock among processes is looked at from time to time only
            while True:
                file = private_file(self.path, os.O_RDWR | os.O_APPEND)
                try:
                    with locked(file, self._patience):
                        if self._current(file):
                            yield file
                            return
                finally:
                    os.close(file)

    def _current(self, file: int) -> bool:
        with suppress(FileNotFoundError):
            return os.stat(self.path).st_ino == os.fstat(file).st_ino
        return False

    def add(self, records: Iterable[Record]) -> tuple[int, int]:
        """As ``add_now``, waiting for whoever holds the file alone. Raises ``BlockingIOError`` if that takes too long."""
        lines = b"".join(map(line_of, records))
        if (sizes := self._add(lines)) is not None:
            return sizes
        with self.held() as file:
            return self._write(file, lines)

    def add_now(self, records: Iterable[Record]) -> tuple[int, int] | None:
        """Write the records with a single write; the size of the file in bytes before and after.

        Others may do so at the same moment. Nobody waits: ``None`` where somebody holds the file alone, and nothing is
        written then. Raises ``OSError`` if they cannot be kept whole, ``TypeError`` if one is no JSON.
        """
        return self._add(b"".join(map(line_of, records)))

    def _add(self, lines: bytes) -> tuple[int, int] | None:
        file = private_file(self.path, os.O_RDWR | os.O_APPEND)
        try:
            with beside(file) as free:
                return self._write(file, lines) if free and self._current(file) else None
        finally:
            os.close(file)

    def _write(self, file: int, lines: bytes) -> tuple[int, int]:
        size = os.fstat(file).st_size
        torn = size > 0 and os.pread(file, 1, size - 1) != b"\n"
        data = b"\n" + lines if torn else lines
        if os.write(file, data) != len(data):  # what is there of it is a torn line, which others may have written behind
            raise OSError(f"{self.path}: the disk is full")
        end = os.lseek(file, 0, os.SEEK_CUR)
        return end - len(data), end

    def replace(self, lines: Iterable[bytes]) -> None:
        """Put a new file of these lines in the place of the one that is held, in one step; ``sync`` is due afterwards.

        Whoever holds it is alone: what one that was killed has left of such a file is written over.
        """
        spare = f"{self.path}.new"
        new = private_file(spare, os.O_WRONLY | os.O_TRUNC)
        try:
            with os.fdopen(new, "wb") as out:
                out.writelines(lines)
            os.replace(spare, self.path)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(spare)
            raise

    def sync(self) -> None:
        """Have the disk hold what was put in place. That may take seconds on a busy one: nobody holds the file meanwhile."""
        with suppress(FileNotFoundError):
            file = plain_file(self.path)
            try:
                os.fsync(file)
            finally:
                os.close(file)

    def content(self, most: int | None = None) -> bytes:
        """All bytes, or the last ``most`` of them, without a lock; none if there is no file."""
        try:
            with open(plain_file(self.path), "rb") as file:
                if most is not None:
                    file.seek(max(0, os.fstat(file.fileno()).st_size - most))
                return file.read()
        except FileNotFoundError:
            return b""


def content_of(file: int) -> bytes:
    """All bytes of an open file."""
    return os.pread(file, os.fstat(file).st_size, 0)


def line_of(record: Record) -> bytes:
    """The line of a record."""
    return json.dumps(dict(record), separators=(",", ":")).encode() + b"\n"


def record_of(line: bytes) -> dict[str, object] | None:
    """The record of a line; ``None`` if it is none."""
    with suppress(ValueError, RecursionError):
        record = json.loads(line)
        return record if isinstance(record, dict) else None
    return None
