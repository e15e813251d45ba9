"""Answers in a database of diskcache's: shared by processes, bounded for each query type; diskcache itself only makes it."""

from __future__ import annotations

import os
import time
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from encyclopedia.model.query import QueryType
from encyclopedia_adapters.storage.cache_rows import CorruptRowError, pack, unpack
from encyclopedia_adapters.storage.sqlite_file import OPENING, PATIENCE, Reader, Rows, connect, damaged, set_aside

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from encyclopedia.model.cached import CacheEntry

SKEW = 60.0
"""Seconds by which an entry may come from the future: the clocks of two machines that share a folder differ."""

SOME = 1000
"""Entries that are removed while others who want to write wait."""

_FIND = "SELECT mode, filename, value, access_time FROM Cache WHERE key = ? AND raw = 1"
_KEYS = "SELECT key FROM Cache WHERE raw = 1 ORDER BY store_time"
_USE = "UPDATE Cache SET access_time = max(access_time, ?) WHERE key = ? AND raw = 1"
_PUT = (
    "INSERT INTO Cache (key, tag, value, store_time, access_time, expire_time, raw, access_count, size, mode)"
    " VALUES (?, ?, ?, ?, ?, ?, 1, 0, 0, 1) ON CONFLICT (key, raw) DO UPDATE SET tag = excluded.tag, value = excluded.value,"
    " store_time = excluded.store_time, access_time = excluded.access_time, expire_time = excluded.expire_time,"
    " access_count = 0, size = 0, mode = 1, filename = NULL"
)
_OVER = "DELETE FROM Cache WHERE rowid IN (SELECT rowid FROM Cache WHERE expire_time < ? ORDER BY expire_time LIMIT 10)"
_SOME = "DELETE FROM Cache WHERE rowid IN (SELECT rowid FROM Cache WHERE ?1 IS NULL OR tag = ?1 LIMIT ?2)"
_TRIM = (
    "DELETE FROM Cache WHERE tag = ?1 AND rowid NOT IN (SELECT rowid FROM Cache WHERE tag = ?1"
    " ORDER BY store_time > ?3, CASE WHEN access_time > ?3 THEN store_time ELSE access_time END DESC, rowid DESC LIMIT ?2)"
)
"""What was stored in the future goes first, and a use in the future is none: a clock that is set back would keep both."""
_OF = "DELETE FROM Cache WHERE raw = 1 AND instr(value, ?)"
_MADE = "SELECT 1 FROM sqlite_master WHERE name IN ('Cache_key_raw', 'Settings_size_delete') LIMIT 1 OFFSET 1"
_COUNT = "SELECT tag, COUNT(*), MIN(store_time) FROM Cache WHERE expire_time > ? GROUP BY tag"


def open_store(folder: str, *, ttl: float, entries: int, stale: float = 0.0) -> DiskcacheAnswers:
    """The store in ``folder``, made with the first entry; ``entries`` are kept for each query type, for ``ttl`` seconds.

    ``stale`` is how many seconds longer they lie there for those who ask for them.
    """
    return DiskcacheAnswers(folder, ttl, entries, stale=stale)


class DiskcacheAnswers:
    """Entries by key. Reading writes nothing: when an entry was last used is written with the next one, or at the end.

    A damaged database is set aside at the next write, a damaged entry dropped when it is met; ``problem`` tells. A lock held
    for longer than 250 ms, a full disk or a folder that cannot be written raise ``OSError`` or ``sqlite3.Error``.
    """

    distant = False

    def __init__(
        self, folder: str, ttl: float, entries: int, clock: Callable[[], float] = time.time, *, stale: float = 0.0
    ) -> None:
        self.problem = ""
        self._folder, self._ttl, self._entries, self._clock, self._stale = folder, ttl, entries, clock, stale
        self._path = os.path.join(folder, "cache.db")
        self._reader = Reader(self._path)
        self._used: dict[str, float] = {}
        self._open_file: tuple[int, sqlite3.Connection] | None = None

    def get(self, key: str, stale: float = 0.0) -> CacheEntry | None:
        """The entry, if there is one not older than its lifetime and ``stale`` seconds more; a damaged one is dropped."""
        try:
            entry, used = self._find(key, stale)
        except CorruptRowError:
            self.problem = "a damaged entry of the cache was dropped"
            self._quietly([("DELETE FROM Cache WHERE key = ?", (key,))])
            return None
        if entry and (now := self._clock()) > used:
            self._used[key] = now
        return entry

    def peek(self, key: str) -> CacheEntry | None:
        """As ``get``, without leaving a mark."""
        try:
            return self._find(key)[0]
        except CorruptRowError:
            return None

    def _find(self, key: str, stale: float = 0.0) -> tuple[CacheEntry | None, float]:
        rows = self._rows(_FIND, key)
        if not rows:
            return None, 0.0
        mode, filename, value, used = rows[0]
        if mode != 1 or filename is not None:
            raise CorruptRowError("not a value of ours")
        entry = unpack(value)
        most = entry.lifetime or self._ttl + stale
        fresh = entry.key == key and -SKEW < self._clock() - entry.stored_at < most
        return (entry if fresh else None), float(used or 0.0)

    def entries(self) -> Iterator[CacheEntry]:
        """Every entry that is good, the oldest first; damaged ones are passed over."""
        for (key,) in self._rows(_KEYS):
            entry = self.peek(key) if isinstance(key, str) else None
            if entry:
                yield entry

    def _rows(self, sql: str, *parameters: object) -> Rows:
        import sqlite3  # loaded with the first database

        try:
            return self._reader.rows(sql, parameters)
        except sqlite3.DatabaseError as error:
            if damaged(error):
                self.problem = f"{self._path} is damaged; it is set aside at the next write"
            elif "no such table" not in str(error):
                raise
            return []

    def _quietly(self, changes: Iterable[tuple[str, tuple[object, ...]]]) -> None:
        """Writes that may as well not happen."""
        import sqlite3

        with suppress(sqlite3.Error, OSError), closing(connect(self._path)) as con:
            con.execute("BEGIN IMMEDIATE")
            for sql, parameters in changes:
                con.execute(sql, parameters)
            con.execute("COMMIT")

    def put(self, *entries: CacheEntry) -> None:
        """Store in one transaction, then drop what was least recently used of each type beyond the number to keep."""
        now, used = self._clock(), dict(self._used)
        lasts = self._ttl + self._stale
        rows = [(e.key, e.type.value, pack(e), e.stored_at, now, e.stored_at + (e.lifetime or lasts)) for e in entries]

        def store(con: sqlite3.Connection) -> int:
            con.executemany(_PUT, rows)
            con.execute(_OVER, (now,))
            con.executemany(_USE, [(at, key) for key, at in used.items()])
            return sum(con.execute(_TRIM, (tag, self._entries, now + SKEW)).rowcount for tag in {row[1] for row in rows})

        self._change(store)
        self._used = {key: at for key, at in self._used.items() if used.get(key) != at}

    def stats(self) -> Mapping[str, object]:
        """``entries`` for each type, ``bytes`` on disk, age in seconds of the ``oldest`` (``None`` if there is none)."""
        now = self._clock()
        rows = self._rows(_COUNT, now)
        counted = {str(tag): count for tag, count, _ in rows}
        size = sum(os.path.getsize(self._path + end) for end in ("", "-wal") if os.path.exists(self._path + end))
        oldest = min((at for _, _, at in rows), default=None)
        return {
            "entries": {type.value: counted.get(type.value, 0) for type in QueryType},
            "bytes": size,
            "oldest": None if oldest is None else max(0.0, now - oldest),
        }

    def clear(self, type: QueryType | None = None) -> int:
        """Remove all entries, or those of one type; the number removed."""
        if not os.path.exists(self._path):
            return 0
        self._used = {}
        removed, some, tag = 0, SOME, type.value if type else None
        while some == SOME:  # a little at a time, so that nobody who stores waits for all of it
            some = self._change(lambda con: con.execute(_SOME, (tag, SOME)).rowcount)
            removed += some
        return removed

    def forget(self, corpus: str) -> int:
        """Remove every answer with a passage of the corpus, and every byte of it from the files; the number removed."""
        import json

        if not os.path.exists(self._path):
            return 0
        place = f"[{json.dumps(corpus)},"  # as the place of a passage begins in an answer
        with OPENING:
            self._open().execute("PRAGMA secure_delete = ON")
        removed = self._change(lambda con: con.execute(_OF, (place,)).rowcount)
        with OPENING:
            self._open().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return removed

    def _change(self, change: Callable[[sqlite3.Connection], int]) -> int:
        import sqlite3

        with OPENING:
            try:
                return self._try(change)
            except sqlite3.DatabaseError as error:
                if not damaged(error):
                    raise
            self.close()
            set_aside(self._path)
            self.problem = f"{self._path} was damaged; it was set aside and started anew"
            return self._try(change)

    def _try(self, change: Callable[[sqlite3.Connection], int]) -> int:
        con = self._open()
        con.execute("BEGIN IMMEDIATE")
        with con:  # commits, or takes back
            return change(con)

    def _open(self) -> sqlite3.Connection:
        """A connection that stays: a log that the last one to leave ends is slow to begin.

        The one that is open, unless the file is no longer the one that it opened.
        """
        with suppress(FileNotFoundError):
            if self._open_file and os.stat(self._path).st_ino == self._open_file[0]:
                return self._open_file[1]
        self._give_back()
        con = connect(self._path)
        try:
            if not con.execute(_MADE).fetchall():
                self._make(con)
        except BaseException:
            con.close()
            raise
        self._open_file = os.stat(self._path).st_ino, con
        return con

    def _make(self, con: sqlite3.Connection) -> None:
        """Let diskcache make its tables, and the triggers that keep its counters."""
        import diskcache

        from encyclopedia_adapters.storage.json_disk import JsonDisk

        con.execute("BEGIN IMMEDIATE")  # not locked by another: diskcache would wait a minute
        con.execute("COMMIT")
        settings = {"eviction_policy": "none", "statistics": 0, "sqlite_synchronous": 0}
        diskcache.Cache(self._folder, timeout=PATIENCE, disk=JsonDisk, **settings).close()
        con.execute(_MADE).fetchall()  # to read is to notice that there is something new

    def _give_back(self) -> None:
        if self._open_file:
            self._open_file[1].close()
        self._open_file = None

    def close(self) -> None:
        """Write down what was used, and give the connections back."""
        used, self._used = self._used, {}
        if used and os.path.exists(self._path):
            self._quietly([(_USE, (at, key)) for key, at in used.items()])
        with OPENING:
            self._reader.close()
            self._give_back()
