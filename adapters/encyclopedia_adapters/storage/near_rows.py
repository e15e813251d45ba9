"""Questions beside their stored answers, each with its vector once somebody has made it: rows of the cache's own database."""

from __future__ import annotations

import os
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.keeping import Kept
from encyclopedia_adapters.storage.sqlite_file import Reader, Rows, connect, damaged

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

_TABLES = """
CREATE TABLE IF NOT EXISTS Near (key TEXT PRIMARY KEY, grp TEXT NOT NULL, change INTEGER NOT NULL, text TEXT NOT NULL,
 print TEXT NOT NULL, vector BLOB, checksum INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS NearChange ON Near (grp, change);
CREATE TABLE IF NOT EXISTS NearGroups (grp TEXT PRIMARY KEY, generation INTEGER NOT NULL, entries INTEGER NOT NULL)
 WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS NearGone AFTER DELETE ON Cache BEGIN DELETE FROM Near WHERE key = OLD.key; END;
CREATE TRIGGER IF NOT EXISTS NearLess AFTER DELETE ON Near BEGIN
 UPDATE NearGroups SET generation = generation + 1, entries = entries - 1 WHERE grp = OLD.grp; END;
"""
_NEXT = """
INSERT INTO NearGroups VALUES (?, 1, 0) ON CONFLICT (grp) DO UPDATE SET generation = generation + 1
"""
_ADD = """
INSERT INTO Near SELECT ?2, ?1, (SELECT generation FROM NearGroups WHERE grp = ?1), ?3, '', NULL, ?4
 WHERE EXISTS (SELECT 1 FROM Cache WHERE key = ?2)
"""
_FILL = """
UPDATE Near SET change = (SELECT generation FROM NearGroups WHERE grp = ?1), print = ?3, vector = ?4, checksum = ?5
 WHERE key = ?2 AND text = ?6
"""


_PART = """
SELECT key, text, print, vector, checksum, change FROM Near
 WHERE grp = ? AND (change, key) > (?, ?) AND change <= ? ORDER BY change, key LIMIT ?
"""
PART = 2000
"""Rows that are read at a time."""


class Row(NamedTuple):
    """A question of a group; ``vector`` are little-endian float32, empty if nobody has made it yet."""

    key: str
    text: str
    print: str
    vector: bytes

    @property
    def checksum(self) -> int:
        """CRC-32 over everything else."""
        words = f"{self.key}\n{self.text}\n{self.print}"
        return zlib.crc32(self.vector, zlib.crc32(words.encode("utf-8", "surrogatepass")))


class NearRows:
    """The rows of every group, shared by processes. A row goes when its answer goes, whoever removes that.

    Every change of a group raises its generation, so that a look at one row tells whether there is anything new. Methods raise
    ``sqlite3.Error`` and ``OSError`` for a lock that is held, a full disk or a folder that cannot be written.
    """

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, "cache.db")
        self._reader = Reader(self._path)
        self._writer: tuple[int, sqlite3.Connection] | None = None

    def state(self, group: str) -> tuple[int, int, int]:
        """The file, the generation of the group in it, and how many rows the group has; zeros if there is none."""
        rows = self._rows("SELECT generation, entries FROM NearGroups WHERE grp = ?", group)
        if not rows:
            return 0, 0, 0
        with suppress(OSError):
            return os.stat(self._path).st_ino, int(rows[0][0]), int(rows[0][1])
        return 0, 0, 0

    def since(self, group: str, generation: int) -> tuple[list[Row], list[str]]:
        """The sound rows that changed after a generation, and the keys of those that are damaged."""
        found = self._rows(
            "SELECT key, text, print, vector, checksum FROM Near WHERE grp = ? AND change > ?", group, generation
        )
        return _sorted(found)

    def parts(self, group: str, generation: int, size: int = PART) -> Iterator[tuple[list[Row], list[str]]]:
        """As ``since``, what has not changed after a generation, so many rows at a time that others can read in between."""
        at, last = -1, ""
        while found := self._rows(_PART, group, at, last, generation, size):
            yield _sorted([row[:5] for row in found])
            last, at = found[-1][0], found[-1][5]

    def keys(self, group: str) -> set[str]:
        """The keys of all rows of a group."""
        return {key for (key,) in self._rows("SELECT key FROM Near WHERE grp = ?", group)}

    def all(self) -> dict[str, Kept]:
        """Every row by its key; of a damaged one nothing."""
        found = self._rows("SELECT key, grp, text, print, vector, checksum FROM Near")
        rows = [(group, _row(key, text, mark, vector, checksum)) for key, group, text, mark, vector, checksum in found]
        return {row.key: Kept(group, row.text, row.print, row.vector) for group, row in rows if row}

    def counted(self) -> tuple[int, int]:
        """How many rows there are, and how many of them have a vector."""
        rows = self._rows("SELECT count(*), count(vector) FROM Near")
        return (int(rows[0][0]), int(rows[0][1])) if rows else (0, 0)

    def add(self, group: str, key: str, text: str) -> None:
        """Remember that ``key`` answers ``text``, without a vector, unless the answer is gone already."""
        row = Row(key, text, "", b"")
        with self._write() as con:
            con.execute("DELETE FROM Near WHERE key = ?", (key,))
            con.execute(_NEXT, (group,))
            added = con.execute(_ADD, (group, key, text, row.checksum)).rowcount
            con.execute("UPDATE NearGroups SET entries = entries + ? WHERE grp = ?", (max(added, 0), group))

    def fill(self, group: str, rows: Iterable[Row]) -> None:
        """Keep the vectors of rows that are still there."""
        with self._write() as con:
            con.execute(_NEXT, (group,))
            con.executemany(_FILL, [(group, r.key, r.print, r.vector, r.checksum, r.text) for r in rows])

    def drop(self, keys: Iterable[str]) -> None:
        """Forget rows; their answers stay."""
        with self._write() as con:
            con.executemany("DELETE FROM Near WHERE key = ?", [(key,) for key in keys])

    def _rows(self, sql: str, *parameters: object) -> Rows:
        import sqlite3

        try:
            return self._reader.rows(sql, parameters)
        except sqlite3.DatabaseError as error:
            if damaged(error) or "no such table" in str(error):
                return []
            raise

    def _write(self) -> _Transaction:
        return _Transaction(self._connection())

    def _connection(self) -> sqlite3.Connection:
        """The open one, unless the file is no longer the one that it opened."""
        with suppress(FileNotFoundError):
            if self._writer and os.stat(self._path).st_ino == self._writer[0]:
                return self._writer[1]
        self._give_back()
        con = connect(self._path)
        try:
            con.executescript(_TABLES)
        except BaseException:
            con.close()
            raise
        self._writer = os.stat(self._path).st_ino, con
        return con

    def _give_back(self) -> None:
        if self._writer:
            self._writer[1].close()
        self._writer = None

    def close(self) -> None:
        """Give the connections back."""
        self._reader.close()
        self._give_back()


def _sorted(found: Rows) -> tuple[list[Row], list[str]]:
    """The sound rows, and the keys of the others."""
    rows = [(key, _row(key, text, mark, vector, checksum)) for key, text, mark, vector, checksum in found]
    return [row for _, row in rows if row], [str(key) for key, row in rows if not row]


def _row(key: object, text: object, mark: object, vector: object, checksum: object) -> Row | None:
    """The row, if it is as we wrote it."""
    if not (isinstance(key, str) and isinstance(text, str) and isinstance(mark, str) and isinstance(vector or b"", bytes)):
        return None
    row = Row(key, text, mark, bytes(vector) if isinstance(vector, bytes) else b"")
    return row if row.checksum == checksum else None


class _Transaction:
    """All of it or nothing."""

    def __init__(self, con: sqlite3.Connection) -> None:
        self._con = con

    def __enter__(self) -> sqlite3.Connection:
        self._con.execute("BEGIN IMMEDIATE")
        return self._con

    def __exit__(self, kind: object, *_: object) -> None:
        if self._con.in_transaction:
            self._con.execute("ROLLBACK" if kind else "COMMIT")
