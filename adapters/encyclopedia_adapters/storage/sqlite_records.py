"""Breaker records in one SQLite file, so that processes that make one call each share what they learn."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from encyclopedia_adapters.storage.memory_records import MemoryRecords
from encyclopedia_adapters.storage.sqlite_file import Reader, Rows, connect, damaged, set_aside

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from typing import TypeVar

    R = TypeVar("R")

VERSION = 1
GLANCE = 1.0
"""Seconds for which a look at a file that nobody was writing is good, as long as the file looks the same."""


def open_store(folder: str) -> SqliteRecords:
    """The store in ``folder``, which is made with the first record that is kept."""
    return SqliteRecords(os.path.join(folder, "breakers.db"))


class SqliteRecords:
    """Records by name as JSON text; ``problem`` says in a sentence what is wrong with the file, if anything is.

    Reading opens nothing for writing. A damaged file is set aside at the next change; one of a newer version is left alone,
    and records are then kept in memory. A lock held for longer than 250 ms, a full disk or a folder that cannot be written
    raise ``OSError`` or ``sqlite3.Error``.
    """

    def __init__(self, path: str) -> None:
        import threading

        self.problem = ""
        self._path = path
        self._lock = threading.Lock()
        self._reader = Reader(path)
        self._writer: tuple[int, sqlite3.Connection] | None = None
        self._memory: MemoryRecords | None = None
        self._known = 0
        self._seen: tuple[object, float, dict[str, dict[str, object]]] = (None, 0.0, {})

    def peek(self, name: str) -> dict[str, object] | None:
        """A copy of the record, or ``None``; ``None`` too if the file is damaged."""
        if self._memory:
            return self._memory.peek(name)
        try:
            found = os.stat(self._path)
        except FileNotFoundError:
            return None
        if os.path.exists(self._path + "-wal"):
            return self._read(found.st_ino, "WHERE name = ?", (name,)).get(name)
        mark = found.st_ino, found.st_size, found.st_mtime_ns
        seen, at, records = self._seen
        if mark != seen or time.monotonic() - at > GLANCE:
            records = self._read(found.st_ino)
            self._seen = mark, time.monotonic(), records
        return dict(records[name]) if name in records else None

    def _read(self, file: int, which: str = "", parameters: tuple[str, ...] = ()) -> dict[str, dict[str, object]]:
        import sqlite3

        try:
            if file != self._known:
                self._check(self._reader.rows("PRAGMA user_version"))
                self._known = file
            rows = self._reader.rows(f"SELECT name, body FROM records {which}", parameters)  # noqa: S608 - one of two fixed texts
        except _Newer:
            return {}
        except sqlite3.DatabaseError as error:
            if damaged(error):
                self.problem = f"{self._path} is damaged; it is set aside at the next change"
            elif "no such table" not in str(error):
                raise
            return {}
        return {name: record for name, body in rows if (record := _record(body))}

    def _check(self, rows: Rows) -> None:
        if rows and rows[0][0] > VERSION:
            self.problem = f"{self._path} was written by a newer version; breaker records are kept in memory only"
            self._memory = MemoryRecords()
            raise _Newer

    def step(self, name: str, change: Callable[[dict[str, object]], R]) -> R:
        """Change the record (blank if there is none) in one transaction; what was changed is saved, even when it raises."""
        import sqlite3

        with self._lock:
            try:
                return self._change(name, change)
            except _Newer:
                pass
            except sqlite3.DatabaseError as error:
                if not damaged(error):
                    raise
                self._give_back()
                set_aside(self._path)
                self.problem = f"{self._path} was damaged; it was set aside and started anew"
                return self._change(name, change)
        return self.step(name, change)

    def _change(self, name: str, change: Callable[[dict[str, object]], R]) -> R:
        if self._memory:
            return self._memory.step(name, change)
        con = self._connection()
        con.execute("BEGIN IMMEDIATE")
        try:
            self._check(con.execute("PRAGMA user_version").fetchall())
            body = con.execute("SELECT body FROM records WHERE name = ?", (name,)).fetchone()
            record = (_record(body[0]) if body else None) or {}
            try:
                return change(record)
            finally:
                if (text := json.dumps(record)) != (body and body[0]):
                    con.execute("INSERT OR REPLACE INTO records VALUES (?, ?)", (name, text))
                con.execute("COMMIT")
        finally:
            if con.in_transaction:
                con.execute("ROLLBACK")

    def _connection(self) -> sqlite3.Connection:
        """The open one, unless the file is no longer the one that it opened."""
        with suppress(FileNotFoundError):
            if self._writer and os.stat(self._path).st_ino == self._writer[0]:
                return self._writer[1]
        self._give_back()
        self._check(self._reader.rows("PRAGMA user_version"))  # before anything is written to it
        con = connect(self._path)
        self._writer = os.stat(self._path).st_ino, con
        con.execute("CREATE TABLE IF NOT EXISTS records (name TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID")
        if con.execute("PRAGMA user_version").fetchone() == (0,):
            con.execute(f"PRAGMA user_version={VERSION:d}")
        return con

    def _give_back(self) -> None:
        self._reader.close()
        if self._writer:
            self._writer[1].close()
            self._writer = None

    def close(self) -> None:
        """Give the connections back."""
        with self._lock:
            self._give_back()


class _Newer(Exception):
    """The file was written by a later version of this program."""


def _record(body: object) -> dict[str, object] | None:
    with suppress(ValueError, RecursionError):
        record = json.loads(body) if isinstance(body, str) else None
        return record if isinstance(record, dict) else None
    return None
