"""The graph of one corpus as a SQLite file in its folder: everything that is known of books, projects and verdicts."""

from __future__ import annotations

import os
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.shared.private_files import locked, private_file

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

VERSION = 1
"""Raised with every change of the tables: a graph of another version is made anew from the files."""

FILE = "graph.sqlite"
PATIENCE = 2.0
"""Seconds to wait for another process that writes."""

BATCH = 500
"""Names in one query: SQLite takes a limited number of them."""

_SCHEMA = """
CREATE TABLE unit(name TEXT PRIMARY KEY, signature TEXT, reader INTEGER, doubtful INTEGER) WITHOUT ROWID;
CREATE TABLE book(id TEXT PRIMARY KEY, unit TEXT, title TEXT, is_oracle INTEGER, digest TEXT, rank INTEGER);
CREATE TABLE section(id TEXT PRIMARY KEY, book TEXT, chapter INTEGER, title TEXT, content TEXT, pages TEXT,
  path TEXT, first INTEGER, last INTEGER, rank INTEGER);
CREATE TABLE concept(id TEXT PRIMARY KEY, book TEXT, name TEXT, category TEXT, definition TEXT, aliases TEXT, chapter INTEGER,
  digest TEXT, rank INTEGER);
CREATE TABLE about(section TEXT, concept TEXT, book TEXT, rank INTEGER, PRIMARY KEY(section, concept)) WITHOUT ROWID;
CREATE TABLE relation(rank INTEGER PRIMARY KEY, book TEXT, start TEXT, "end" TEXT, type TEXT, confidence REAL, sentence TEXT,
  section TEXT, path TEXT, first INTEGER, last INTEGER);
CREATE TABLE problem(unit TEXT, path TEXT, line INTEGER, reason TEXT);
CREATE TABLE vector(digest TEXT, embedder TEXT, vector BLOB, PRIMARY KEY(digest, embedder)) WITHOUT ROWID;
CREATE TABLE verdict(one TEXT, other TEXT, judge TEXT, same INTEGER, confidence REAL, reason TEXT,
  PRIMARY KEY(one, other, judge)) WITHOUT ROWID;
CREATE TABLE project(id TEXT PRIMARY KEY, name TEXT, description TEXT, books TEXT, built_at REAL, built_of TEXT) WITHOUT ROWID;
CREATE TABLE member(project TEXT, concept TEXT, canonical TEXT, PRIMARY KEY(project, concept)) WITHOUT ROWID;
CREATE TABLE declined(project TEXT, one TEXT, other TEXT, reason TEXT);
CREATE INDEX section_book ON section(book); CREATE INDEX concept_book ON concept(book);
CREATE INDEX about_concept ON about(concept); CREATE INDEX about_book ON about(book);
CREATE INDEX relation_book ON relation(book);
CREATE INDEX relation_start ON relation(start, confidence); CREATE INDEX relation_end ON relation("end", confidence);
CREATE INDEX member_canonical ON member(project, canonical); CREATE INDEX book_unit ON book(unit);
"""


class Store:
    """The graph in ``folder``. Where there is none, or one of another version, reading gives nothing."""

    def __init__(self, folder: str) -> None:
        self.path = os.path.join(folder, FILE)

    @contextmanager
    def writer(self, patience: float = PATIENCE) -> Iterator[sqlite3.Connection]:
        """One transaction, alone among all processes; nothing is changed if the block raises.

        A graph that cannot be used is put away first. Raises ``BlockingIOError`` if another process writes for longer than
        ``patience`` seconds, ``sqlite3.Error`` if the disk does not take it.
        """
        guard = private_file(f"{self.path}.lock")
        try:
            with locked(guard, patience):
                usable = self._version() == VERSION
                if not usable:
                    self._put_away()
                    os.close(private_file(self.path))
                with closing(_open(self.path)) as con:
                    con.execute("PRAGMA journal_mode=WAL")
                    con.execute("PRAGMA secure_delete=ON")  # what is deleted leaves no bytes either
                    if not usable:
                        con.executescript(f"BEGIN;{_SCHEMA}PRAGMA user_version={VERSION};COMMIT;")
                    con.execute("BEGIN IMMEDIATE")
                    try:
                        yield con
                    except BaseException:
                        con.execute("ROLLBACK")
                        raise
                    con.execute("COMMIT")
        finally:
            os.close(guard)

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """What a query gives, nothing where there is no graph. Raises ``sqlite3.Error`` for a damaged one."""
        with self.reader() as con:
            return con.execute(sql, tuple(parameters)).fetchall() if con else []

    @contextmanager
    def reader(self) -> Iterator[sqlite3.Connection | None]:
        """A connection that sees one state of the graph throughout; ``None`` where there is none."""
        if self._version() != VERSION:
            yield None
            return
        with closing(_open(self.path)) as con:
            con.execute("PRAGMA query_only=ON")
            con.execute("BEGIN")
            yield con

    def renew(self, patience: float = PATIENCE) -> None:
        """Put a damaged graph away, so that the next writer begins with nothing."""
        guard = private_file(f"{self.path}.lock")
        try:
            with locked(guard, patience):
                self._put_away()
        finally:
            os.close(guard)

    @property
    def problem(self) -> str:
        """Why a graph that is there cannot be read, else empty; the next indexing makes it anew."""
        version = self._version()
        return "" if version in (None, VERSION) else "the graph is damaged or was made by another version"

    def _version(self) -> int | None:
        """The version of the file, ``None`` if there is none, -1 for what is no graph."""
        import sqlite3

        try:
            if not os.path.isfile(self.path):
                return -1 if os.path.exists(self.path) else None
            if not os.path.getsize(self.path):
                return None
            with closing(_open(self.path)) as con:
                return int(con.execute("PRAGMA user_version").fetchone()[0])
        except (OSError, sqlite3.DatabaseError):
            return -1

    def _put_away(self) -> None:
        for end in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.replace(self.path + end, f"{self.path}.damaged{end}")


def damaged(error: Exception) -> bool:
    """Whether SQLite says that its file is broken; a lock or a full disk is another matter."""
    import sqlite3

    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return isinstance(error, sqlite3.DatabaseError) and code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def several(con: sqlite3.Connection, sql: str, names: Iterable[str], *before: object) -> Iterator[tuple[Any, ...]]:
    """The rows of a query whose ``(…)`` takes any number of names, ``BATCH`` of them at a time."""
    every = list(names)
    for at in range(0, len(every), BATCH):
        part = every[at : at + BATCH]
        yield from con.execute(sql.replace("(…)", f"({','.join('?' * len(part))})"), (*before, *part))


def _open(path: str) -> sqlite3.Connection:
    import sqlite3

    con = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
    con.execute("PRAGMA synchronous=NORMAL")
    return con
