"""Answers in a Redis or Valkey server, shared by replicas: bounded for each query type, each gone when its time is over."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from encyclopedia.model.query import QueryType
from encyclopedia_adapters.storage import redis_scripts as scripts
from encyclopedia_adapters.storage.cache_rows import CorruptRowError, pack, unpack
from encyclopedia_adapters.storage.redis_link import Gone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from encyclopedia.model.cached import CacheEntry
    from encyclopedia_adapters.storage.redis_link import Link

    Uses = dict[str, tuple[str, float]]

SKEW = 60.0
"""Seconds by which an entry may come from the future: the clocks of two machines differ."""
LONGEST = 4 * 2**20
"""Bytes of an answer that is kept or read: more would take longer to come than a search waits for the server."""
SOME = 200
"""Entries that are removed while nobody else is served."""
AT_ONCE = 16
"""Entries that are asked for together where all are wanted."""
USES = 500
"""Uses that are remembered until they are told."""


def open_store(link: Link, *, ttl: float, entries: int, stale: float = 0.0) -> RedisAnswers:
    """The store over ``link``; ``entries`` are kept for each query type, for ``ttl`` seconds.

    ``stale`` is how many seconds longer they lie there for those who ask for them.
    """
    return RedisAnswers(link, ttl, entries, stale=stale)


class RedisAnswers:
    """Entries by key: a text under a key of its own that ends by itself, and sorted sets that say what there is.

    An answer that no set names is none: what was cleared is gone for everybody at once. When an entry was last used is told
    with whatever is asked next. Every method blocks for the way to the server and back, and raises ``Gone`` without one.
    """

    distant = True

    def __init__(
        self, link: Link, ttl: float, entries: int, clock: Callable[[], float] = time.time, *, stale: float = 0.0
    ) -> None:
        self._link, self._ttl, self._entries, self._clock, self._stale = link, ttl, entries, clock, stale
        self._place = link.key("cache")
        self._used: Uses = {}
        self._dropped = ""

    @property
    def problem(self) -> str:
        """What is wrong, in a sentence; empty if nothing is."""
        return self._link.problem or self._dropped

    def get(self, key: str, stale: float = 0.0) -> CacheEntry | None:
        """The entry, if there is one not older than its lifetime and ``stale`` seconds more; a damaged one is dropped."""
        try:
            entry = self._entry(key, self._texts([key], self._told())[0], stale)
        except CorruptRowError:
            self._dropped = "a damaged entry of the cache was dropped"
            with suppress(Gone, ValueError):
                self._run(scripts.DROP, key)
            return None
        if entry and len(self._used) < USES:
            self._used[key] = entry.type.value, self._clock()
        return entry

    def peek(self, key: str) -> CacheEntry | None:
        """As ``get``, without leaving a mark."""
        return next(self._good([key]), None)

    def entries(self) -> Iterator[CacheEntry]:
        """Every entry that is good, the oldest first; damaged ones are passed over."""
        keys = self._names("kept")
        for start in range(0, len(keys), AT_ONCE):
            yield from self._good(keys[start : start + AT_ONCE])

    def _good(self, keys: Sequence[str]) -> Iterator[CacheEntry]:
        for key, text in zip(keys, self._texts(keys, {}), strict=True):
            with suppress(CorruptRowError):
                if entry := self._entry(key, text):
                    yield entry

    def _texts(self, keys: Sequence[str], uses: Uses) -> list[Any]:
        found: list[Any] = self._run(scripts.GET, LONGEST, len(keys), *keys, *_flat(uses))
        return found

    def _entry(self, key: str, text: Any, stale: float = 0.0) -> CacheEntry | None:
        """The entry of a text, if its time is not over; raises ``CorruptRowError``."""
        if text is None:
            return None
        try:
            entry = unpack(text.decode("utf-8", "surrogatepass") if isinstance(text, bytes) else None)
        except UnicodeDecodeError as error:
            raise CorruptRowError("not a stored answer") from error
        most = entry.lifetime or self._ttl + stale
        return entry if entry.key == key and -SKEW < self._clock() - entry.stored_at < most else None

    def put(self, *entries: CacheEntry) -> None:
        """Store each, then drop what was least recently used among the entries of its type beyond the number to keep.

        Raises ``ValueError`` for an answer that is too long to be of use to anybody.
        """
        for entry in entries:
            text = pack(entry).encode("utf-8", "surrogatepass")
            if len(text) > LONGEST:
                raise ValueError(f"an answer of {len(text)} bytes is too long to be shared")
            now = self._clock()
            over = entry.stored_at + (entry.lifetime or self._ttl + self._stale)
            if over > now:
                row = entry.key, entry.type.value, text, entry.stored_at, now, over, max(1, round(1000 * (over - now)))
                self._run(scripts.PUT, *row, self._entries, now + SKEW, *_flat(self._told()))

    def _told(self) -> Uses:
        used, self._used = self._used, {}
        return used

    def stats(self) -> Mapping[str, object]:
        """``entries`` for each type, ``bytes`` of all, age in seconds of the ``oldest`` (``None`` if there is none)."""
        now = self._clock()
        alive = set(self._names("ends", now))
        counted = {type.value: len(alive.intersection(self._names(f"used:{type.value}"))) for type in QueryType}
        times = self._link.run(lambda client: client.zrange(f"{self._place}:kept", 0, -1, withscores=True))
        oldest = min((at for key, at in times if _text(key) in alive), default=None)
        return {
            "entries": counted,
            "bytes": self._size(sorted(alive)),
            "oldest": None if oldest is None else max(0.0, now - oldest),
        }

    def _size(self, keys: Sequence[str]) -> int:
        def sizes(client: Any) -> list[object]:
            with client.pipeline(transaction=False) as pipe:
                for key in keys:
                    pipe.strlen(f"{self._place}:answer:{key}")
                found: list[object] = pipe.execute(raise_on_error=False)
                return found

        return sum(size for size in self._link.run(sizes) if isinstance(size, int))

    def _names(self, name: str, since: float | None = None) -> list[str]:
        """The members of a sorted set in its order, those from a score on or all."""
        begin = "-inf" if since is None else f"({since!r}"
        found = self._link.run(lambda client: client.zrangebyscore(f"{self._place}:{name}", begin, "+inf"))
        return [_text(key) for key in found]

    def clear(self, type: QueryType | None = None) -> int:
        """Remove all entries, or those of one type; the number removed."""
        self._used = {}
        removed, some = 0, SOME
        while some == SOME:  # a little at a time, so that nobody waits for all of it
            gone, some = self._run(scripts.CLEAR, type.value if type else "", SOME)
            removed += gone
        return removed

    def forget(self, corpus: str) -> int:
        """Remove every answer with a passage of the corpus from the server's memory; the number removed.

        What the server has written to a disk of its own is overwritten when that is due.
        """
        import json

        place = f"[{json.dumps(corpus)},"  # as the place of a passage begins in an answer
        keys = self._names("ends")
        parts = [keys[start : start + AT_ONCE] for start in range(0, len(keys), AT_ONCE)]
        return sum(int(self._run(scripts.FORGET, place, LONGEST, *part)) for part in parts)

    def _run(self, script: str, *values: str | bytes | float) -> Any:
        return self._link.script(script, [self._place], values)

    def close(self) -> None:
        """Tell what was used; the connections belong to the link."""
        if self._used:
            with suppress(Gone, ValueError):
                self._texts([], self._told())


def _flat(uses: Uses) -> Iterator[str | float]:
    return (part for key, (type, at) in uses.items() for part in (type, at, key))


def _text(key: bytes) -> str:
    return key.decode("utf-8", "replace")
