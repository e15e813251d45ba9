"""How a SQLite file of ours is opened: readers leave no mark, writers make it private, a damaged one is set aside."""

from __future__ import annotations

import os
import stat
import threading
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.shared.private_files import locked, private_file

if TYPE_CHECKING:
    import sqlite3

PATIENCE = 0.25
"""Seconds to wait for a lock that another process holds."""

OPENING = threading.RLock()
"""Held by this process while it opens a database, or looks into one without locks.

Closing a file gives up all locks of the process on it (so POSIX has it), and with them those that keep other processes from
removing the log that we write. So nothing is opened and closed past SQLite's own book-keeping once a connection is there.
"""

Rows = list[tuple[Any, ...]]


def damaged(error: Exception) -> bool:
    """Whether SQLite says that the file is no database or a broken one; a lock or a full disk is another matter."""
    import sqlite3  # loaded with the first database

    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return isinstance(error, sqlite3.DatabaseError) and code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def connect(path: str) -> sqlite3.Connection:
    """A connection for writing, in autocommit, with a write-ahead log; usable from any thread, one at a time.

    It waits for no disk: what is kept here can be learnt again, and what a power cut spoils is set aside.
    """
    import sqlite3

    with OPENING:
        with suppress(FileExistsError):
            os.close(private_file(path, os.O_RDWR | os.O_EXCL))
        with suppress(FileNotFoundError):  # another process has just set it aside
            _plain(path, os.stat(path))
        con = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            con.execute("PRAGMA synchronous=OFF")
            # of many who switch a new file at once some are told that it is locked: then another one has switched it
            with suppress(sqlite3.OperationalError):
                con.execute("PRAGMA journal_mode=WAL")
            con.execute("PRAGMA user_version").fetchall()
        except BaseException:
            con.close()
            raise
        return con


def _plain(path: str, status: os.stat_result) -> None:
    """Refuse what SQLite would hang on: it opens a pipe in the place of its file and waits for a writer."""
    import sqlite3

    if not stat.S_ISREG(status.st_mode):
        raise sqlite3.OperationalError(f"{path} is not a regular file")


def set_aside(path: str) -> None:
    """Move a damaged database to ``….damaged`` unless another process has just done so; its place is empty afterwards."""
    guard = private_file(path + ".lock")
    try:
        with locked(guard):
            if not _sound(path):
                for end in ("", "-wal", "-shm"):
                    with suppress(FileNotFoundError):
                        os.replace(path + end, path + ".damaged" + end)
    finally:
        os.close(guard)


def _sound(path: str) -> bool:
    import sqlite3

    try:
        with closing(sqlite3.connect(path, timeout=PATIENCE)) as con:
            return bool(con.execute("PRAGMA quick_check").fetchone() == ("ok",))
    except sqlite3.DatabaseError as error:
        return not damaged(error)


class Reader:
    """Reads a database that others write, and leaves no file and no byte behind."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._con: sqlite3.Connection | None = None
        self._file = 0

    def rows(self, sql: str, parameters: tuple[object, ...] = ()) -> Rows:
        """What the query gives; nothing if there is no database. Raises ``sqlite3.Error`` if it cannot be read."""
        with self._lock:
            try:
                status = os.stat(self._path)
            except OSError:
                self._close()
                return []
            _plain(self._path, status)
            file = status.st_ino
            if self._con is not None and self._file == file:
                return self._con.execute(sql, parameters).fetchall()
            self._close()
            with OPENING:
                if (found := self._glance(sql, parameters)) is not None:
                    return found
                self._con, self._file = self._open("mode=ro"), file
            return self._con.execute(sql, parameters).fetchall()

    def _glance(self, sql: str, parameters: tuple[object, ...]) -> Rows | None:
        """Without a log nobody is writing, and a look needs no lock; a reader with locks would make a log itself."""
        import sqlite3

        if os.path.exists(self._path + "-wal"):
            return None
        try:
            with closing(self._open("mode=ro&immutable=1")) as con:
                return con.execute(sql, parameters).fetchall()
        except sqlite3.Error:
            if not os.path.exists(self._path + "-wal"):
                raise
            return None  # another process has begun to write in between

    def _open(self, how: str) -> sqlite3.Connection:
        import sqlite3

        address = self._path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        return sqlite3.connect(
            f"file:{address}?{how}", uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False
        )

    def close(self) -> None:
        """Give the connection back."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._con is not None:
            self._con.close()
            self._con = None
