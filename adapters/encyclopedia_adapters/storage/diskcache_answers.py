"""Answers on diskcache: shared by processes, bounded for each query type, read without loading diskcache at all."""

from __future__ import annotations

import os
import time
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

from encyclopedia.model.query import QueryType
from encyclopedia_adapters.storage.cache_rows import CorruptRowError, unpack
from encyclopedia_adapters.storage.sqlite_file import OPENING, PATIENCE, Reader, Rows, connect, damaged, set_aside

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import TypeVar

    from encyclopedia.model.cached import CacheEntry

    R = TypeVar("R")

SKEW = 60.0
"""Seconds by which an entry may come from the future: the clocks of two machines that share a folder differ."""

_FIND = "SELECT mode, filename, value, access_time FROM Cache WHERE key = ? AND raw = 1"
_KEYS = "SELECT key FROM Cache WHERE raw = 1 ORDER BY store_time"
_USE = "UPDATE Cache SET access_time = max(access_time, ?) WHERE key = ? AND raw = 1"
_STAMP = "UPDATE Cache SET store_time = ?, access_time = ?, expire_time = ? WHERE key = ? AND raw = 1"
_TRIM = (
    "DELETE FROM Cache WHERE tag = ? AND rowid NOT IN"
    " (SELECT rowid FROM Cache WHERE tag = ? ORDER BY access_time DESC, rowid DESC LIMIT ?)"
)
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

    def __init__(
        self, folder: str, ttl: float, entries: int, clock: Callable[[], float] = time.time, *, stale: float = 0.0
    ) -> None:
        self.problem = ""
        self._folder, self._ttl, self._entries, self._clock, self._stale = folder, ttl, entries, clock, stale
        self._path = os.path.join(folder, "cache.db")
        self._reader = Reader(self._path)
        self._used: dict[str, float] = {}
        self._cache: tuple[int, Any, sqlite3.Connection] | None = None

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

    def put(self, entry: CacheEntry) -> None:
        """Store, then drop what was least recently used among the entries of its type beyond the number to keep."""
        lasts = entry.lifetime or self._ttl + self._stale
        self._change(lambda cache: cache.set(entry.key, entry, expire=lasts, tag=entry.type.value))
        used, self._used = self._used, {}
        with OPENING:
            con = self._open()[2]
            con.execute("BEGIN IMMEDIATE")
            with con:  # commits, or takes back
                con.execute(_STAMP, (entry.stored_at, self._clock(), entry.stored_at + lasts, entry.key))
                con.executemany(_USE, [(at, key) for key, at in used.items()])
                con.execute(_TRIM, (entry.type.value, entry.type.value, self._entries))

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
        return int(self._change(lambda cache: cache.evict(type.value) if type else cache.clear()))

    def _change(self, change: Callable[[Any], R]) -> R:
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

    def _try(self, change: Callable[[Any], R]) -> R:
        cache = self._open()[1]
        try:
            return change(cache)
        finally:
            cache.close()  # that of this thread: a thread of a pool would keep it for ever

    def _open(self) -> tuple[int, Any, sqlite3.Connection]:
        """The file, its diskcache, and a connection of ours that stays: a log that the last one to leave ends is slow to begin.

        The one that is open, unless the file is no longer the one that it opened.
        """
        with suppress(FileNotFoundError):
            if self._cache and os.stat(self._path).st_ino == self._cache[0]:
                return self._cache
        import diskcache

        from encyclopedia_adapters.storage.json_disk import JsonDisk

        self._give_back()
        con = connect(self._path)  # private before diskcache sees it, and not locked: it would wait a minute
        try:
            con.execute("BEGIN IMMEDIATE")
            con.execute("COMMIT")
            settings = {"eviction_policy": "none", "statistics": 0, "sqlite_synchronous": 0}
            cache = diskcache.Cache(self._folder, timeout=PATIENCE, disk=JsonDisk, **settings)
        except BaseException:
            con.close()
            raise
        self._cache = os.stat(self._path).st_ino, cache, con
        return self._cache

    def _give_back(self) -> None:
        if self._cache:
            self._cache[2].close()
        self._cache = None

    def close(self) -> None:
        """Write down what was used, and give the connections back."""
        used, self._used = self._used, {}
        if used and os.path.exists(self._path):
            self._quietly([(_USE, (at, key)) for key, at in used.items()])
        with OPENING:
            self._reader.close()
            self._give_back()
