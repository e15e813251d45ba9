"""Records that are added up: appended by many processes, read on from where one stopped, and summed up when they grow long."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.shared.private_files import plain_file
from encyclopedia_adapters.storage.json_lines import JsonLines, content_of, line_of, record_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from encyclopedia_adapters.storage.json_lines import Record

HEAD = 64
"""Bytes by which a file is known again: the number of a file that is gone is given to the next."""


PATIENCE = 0.25
"""Seconds for which somebody is waited for who holds the file: what it tells is of no use to who asked just now."""


class Mark(NamedTuple):
    """How far a file was read, and how it is known again."""

    file: int = 0
    head: bytes = b""
    size: int = 0


def open_ledger(path: str) -> Ledger:
    """The ledger at ``path``; nothing is made before the first record."""
    return Ledger(JsonLines(path, PATIENCE))


class Ledger:
    """Records of one file; each is there whole or not at all, and a torn line costs no other."""

    def __init__(self, lines: JsonLines) -> None:
        self._lines = lines

    def append(self, records: Sequence[Record]) -> tuple[int, int]:
        """Add the records with a single write; the size of all in bytes before and after.

        Raises ``OSError`` if they cannot be kept whole.
        """
        return self._lines.add(records)

    def append_now(self, records: Sequence[Record]) -> tuple[int, int] | None:
        """As ``append``; ``None``, with nothing added, where somebody would have to be waited for."""
        return self._lines.add_now(records)

    def read(self, mark: object = None) -> tuple[Sequence[Record], object, bool]:
        """The records after ``mark``, a mark to go on from, and whether these are all, as what was read before is gone."""
        known = mark if isinstance(mark, Mark) else Mark()
        try:
            file = plain_file(self._lines.path)
        except FileNotFoundError:
            return [], Mark(), True
        try:
            found = os.fstat(file)
            head = os.pread(file, HEAD, 0)
            anew = not (found.st_ino == known.file and found.st_size >= known.size and head.startswith(known.head))
            begin = 0 if anew else known.size
            data = os.pread(file, found.st_size - begin, begin)
        finally:
            os.close(file)
        whole = data[: data.rfind(b"\n") + 1]  # what another process has not yet written to its end is for the next time
        records = [record for line in whole.splitlines() if (record := record_of(line)) is not None]
        return records, Mark(found.st_ino, head[: begin + len(whole)], begin + len(whole)), anew

    def rewrite(self, change: Callable[[Sequence[Record]], Sequence[Record]]) -> None:
        """Put what ``change`` makes of all records in their place, with nobody in between."""
        with self._lines.held() as file:
            found = [record for line in content_of(file).splitlines() if (record := record_of(line)) is not None]
            self._lines.replace([line_of(record) for record in change(found)])
        self._lines.sync()
