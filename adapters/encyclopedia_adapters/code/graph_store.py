"""The code graph of one repository as a SQLite file; it can be deleted at any time."""

from __future__ import annotations

import os
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.code.graph_languages import VERSION
from encyclopedia_adapters.code.graph_values import Import, Site, Symbol
from encyclopedia_adapters.shared.private_files import locked, private_file

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping, Sequence

PATIENCE = 0.5
"""Seconds to wait for another process that writes."""
_SCHEMA = """
CREATE TABLE file(id INTEGER PRIMARY KEY, path TEXT UNIQUE, state TEXT, digest TEXT, language TEXT, problem TEXT);
CREATE TABLE symbol(id INTEGER PRIMARY KEY, file INTEGER, name TEXT, qualified TEXT, kind TEXT, first INTEGER, last INTEGER,
  signature TEXT, doc TEXT);
CREATE TABLE call(file INTEGER, caller INTEGER, name TEXT, receiver TEXT, line INTEGER);
CREATE TABLE import(file INTEGER, module TEXT, name TEXT, alias TEXT, line INTEGER);
CREATE TABLE base(file INTEGER, class TEXT, name TEXT);
CREATE VIRTUAL TABLE words USING fts5(qualified, head, doc, body, tokenize = "unicode61 remove_diacritics 0 tokenchars '._+#'");
CREATE INDEX symbol_name ON symbol(name); CREATE INDEX symbol_file ON symbol(file);
CREATE INDEX call_name ON call(name); CREATE INDEX call_caller ON call(caller); CREATE INDEX call_file ON call(file);
CREATE INDEX import_file ON import(file); CREATE INDEX base_file ON base(file); CREATE INDEX base_name ON base(name);
"""
_COLUMNS = "SELECT file.path, symbol.name, symbol.qualified, kind, first, last, signature, symbol.doc, language, symbol.id"
_FILE = "JOIN file ON file.id = symbol.file"
_RANK = "bm25(words, 6.0, 2.0, 2.0, 1.0)"
"""What a word counts in the name, the signature, the documentation and the body."""


class Store:
    """The graph at ``path``. Reading gives nothing if there is no graph, or one of another version."""

    def __init__(self, path: str) -> None:
        self.path = path

    @contextmanager
    def writer(self) -> Iterator[sqlite3.Connection]:
        """A connection that writes, alone among all processes. ``BlockingIOError`` if another one writes for longer."""
        guard = private_file(f"{self.path}.lock")
        try:
            with locked(guard, PATIENCE):
                if self._version() not in (None, VERSION):
                    self.discard()
                fresh = self._version() is None
                os.close(private_file(self.path))
                with closing(_open(self.path)) as con:
                    con.execute("PRAGMA synchronous=OFF")
                    con.execute("PRAGMA journal_mode=WAL")
                    if fresh:
                        con.executescript(f"{_SCHEMA}PRAGMA user_version={VERSION};")
                    yield con
        finally:
            os.close(guard)

    def discard(self) -> None:
        """Remove the file."""
        for end in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.remove(self.path + end)

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """What a query gives. Raises ``sqlite3.Error`` if the file is damaged; an update makes it anew."""
        if self._version() != VERSION:
            return []
        with closing(_open(self.path)) as con:
            return con.execute(sql, tuple(parameters)).fetchall()

    def _version(self) -> int | None:
        """The version of the file, ``None`` if there is none, 0 for one that is no graph."""
        import sqlite3

        if not os.path.exists(self.path) or not os.path.getsize(self.path):
            return None
        try:
            with closing(_open(self.path)) as con:
                return int(con.execute("PRAGMA user_version").fetchone()[0])
        except sqlite3.DatabaseError:
            return 0

    def symbols(self, where: str, parameters: Sequence[object] = ()) -> list[Symbol]:
        """The symbols that fulfil a condition of ours, in order of their places."""
        return [
            Symbol(*row)
            for row in self.rows(f"{_COLUMNS} FROM symbol {_FILE} {where} ORDER BY file.path, first, symbol.id", parameters)
        ]

    def ranked(self, terms: Sequence[str], limit: int) -> list[tuple[Symbol, float]]:
        """Symbols that hold any of the terms, best first."""
        match = " OR ".join('"' + term.replace('"', "") + '"' for term in terms)
        found = f"{_COLUMNS}, {_RANK} FROM words JOIN symbol ON words.rowid = symbol.id {_FILE}"
        sql = f"{found} WHERE words MATCH ? ORDER BY 11, path, first LIMIT ?"
        return [(Symbol(*row[:-1]), -row[-1]) for row in self.rows(sql, (match, limit))] if terms else []

    def sites(self, where: str, parameters: Sequence[object], limit: int) -> list[Site]:
        """The calls that fulfil a condition of ours."""
        sql = f"{_COLUMNS}, call.name, receiver, line FROM call JOIN symbol ON symbol.id = call.caller {_FILE}"
        return [
            Site(Symbol(*row[:-3]), *row[-3:])
            for row in self.rows(f"{sql} {where} ORDER BY path, line LIMIT ?", (*parameters, limit))
        ]

    def imports(self, path: str) -> list[Import]:
        """What a file imports."""
        sql = "SELECT module, name, alias, line FROM import JOIN file ON file.id = import.file WHERE path = ? ORDER BY line"
        return [Import(*row) for row in self.rows(sql, (path,))]


def _open(path: str) -> sqlite3.Connection:
    import sqlite3

    return sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)


def forget(con: sqlite3.Connection, path: str) -> None:
    """Remove a file with everything in it."""
    for (file,) in con.execute("SELECT id FROM file WHERE path = ?", (path,)).fetchall():
        con.execute("DELETE FROM words WHERE rowid IN (SELECT id FROM symbol WHERE file = ?)", (file,))
        for table in ("symbol", "call", "import", "base"):
            con.execute(f"DELETE FROM {table} WHERE file = ?", (file,))  # noqa: S608 - names of our own
        con.execute("DELETE FROM file WHERE id = ?", (file,))


def keep(con: sqlite3.Connection, head: Sequence[str], found: Mapping[str, Any]) -> None:
    """Put a file in: ``head`` is path, state, digest, language and problem, ``found`` what the worker says."""
    forget(con, head[0])
    file = con.execute("INSERT INTO file(path, state, digest, language, problem) VALUES (?, ?, ?, ?, ?)", head).lastrowid
    ids: list[int | None] = []
    for row, words in zip(found["definitions"], found["words"], strict=True):
        added = con.execute(
            "INSERT INTO symbol(file, name, qualified, kind, first, last, signature, doc) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (file, *row),
        )
        con.execute("INSERT INTO words(rowid, qualified, head, doc, body) VALUES (?, ?, ?, ?, ?)", (added.lastrowid, *words))
        ids.append(added.lastrowid)
    calls = [(file, ids[caller], *rest) for caller, *rest in found["calls"]]
    con.executemany("INSERT INTO call VALUES (?, ?, ?, ?, ?)", calls)
    con.executemany("INSERT INTO import VALUES (?, ?, ?, ?, ?)", [(file, *row) for row in found["imports"]])
    con.executemany("INSERT INTO base VALUES (?, ?, ?)", [(file, *row) for row in found["bases"]])
