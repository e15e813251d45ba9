"""Lists of JSON texts that all replicas share, in a Redis or Valkey server: what is added up, and the record of searches."""

from __future__ import annotations

import os
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from encyclopedia_adapters.storage.json_lines import line_of, record_of
from encyclopedia_adapters.storage.redis_link import Gone

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from encyclopedia.keeping import Ledger
    from encyclopedia_adapters.storage.json_lines import Record
    from encyclopedia_adapters.storage.redis_link import Link

R = TypeVar("R")
LONGEST = 1 << 20
"""Bytes of a record: a longer one is none of ours."""
MOST = 100_000
"""Records that are read, the newest."""
TRIES = 200
"""How often a whole is made anew because another replica has added something meanwhile."""
OWED = 4096
"""Records that are held at most until the server is back."""

TYPED = """
local function typed(key, wanted)
  local kind = redis.call('TYPE', key).ok
  if kind ~= wanted and kind ~= 'none' then redis.call('DEL', key) end
end
"""
"""Removes what is of another kind under our name: it is none of ours, and nothing could be kept."""
APPEND = (
    TYPED
    + """
typed(KEYS[1], 'list')
typed(KEYS[2], 'hash')
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('DEL', KEYS[2])
  redis.call('HSET', KEYS[2], 'generation', ARGV[1], 'bytes', 0)
end
local before = math.max(tonumber(redis.call('HGET', KEYS[2], 'bytes') or '') or 0, 0)
local after = before
for at = 3, #ARGV do
  redis.call('RPUSH', KEYS[1], ARGV[at])
  after = after + #ARGV[at]
end
redis.call('HSET', KEYS[2], 'bytes', after)
redis.call('HSETNX', KEYS[2], 'generation', ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
redis.call('EXPIRE', KEYS[2], ARGV[2])
return {string.format('%.0f', before), string.format('%.0f', after)}
"""
)
READ = f"""
if redis.call('TYPE', KEYS[1]).ok ~= 'list' then return {{'', 0, 0}} end
local generation = redis.call('TYPE', KEYS[2]).ok == 'hash' and redis.call('HGET', KEYS[2], 'generation') or ''
local size, from = redis.call('LLEN', KEYS[1]), tonumber(ARGV[2])
if generation == '' or generation ~= ARGV[1] or from > size then from = 0 end
local found = {{generation, size, from}}
for _, text in ipairs(redis.call('LRANGE', KEYS[1], math.max(from, size - {MOST}), -1)) do
  if #text <= {LONGEST} then table.insert(found, text) end
end
return found
"""
"""What came after a place in a generation; all of another generation."""
REWRITE = (
    TYPED
    + """
local generation = redis.call('TYPE', KEYS[2]).ok == 'hash' and redis.call('HGET', KEYS[2], 'generation') or ''
local size = redis.call('TYPE', KEYS[1]).ok == 'list' and redis.call('LLEN', KEYS[1]) or 0
if generation ~= ARGV[1] or size ~= tonumber(ARGV[2]) then return 0 end
redis.call('DEL', KEYS[1], KEYS[2])
local bytes = 0
for at = 5, #ARGV do
  redis.call('RPUSH', KEYS[1], ARGV[at])
  bytes = bytes + #ARGV[at]
end
if bytes > 0 then
  redis.call('HSET', KEYS[2], 'generation', ARGV[3], 'bytes', bytes)
  redis.call('EXPIRE', KEYS[1], ARGV[4])
  redis.call('EXPIRE', KEYS[2], ARGV[4])
end
return 1
"""
)
"""Put other records in the place of those that were read, if nobody has added any meanwhile."""


class Mark(NamedTuple):
    """How far a list was read, and which one it was."""

    generation: bytes = b""
    size: int = 0


class SharedLedger:
    """Records in the order they were made, until nothing was added for ``seconds``. Raises ``Gone`` while the server is."""

    def __init__(self, link: Link, tag: str, seconds: int) -> None:
        self._link, self._seconds = link, seconds
        self._keys = [link.key(tag), link.key(tag, "about")]
        self.known = False
        """Whether it was ever read."""

    def append(self, records: Sequence[Record]) -> tuple[int, int]:
        """Add the records, all or none; the size of the whole in bytes before and after."""
        lines = [line_of(record) for record in records]
        before, after = self._link.script(APPEND, self._keys, [_token(), self._seconds, *lines])
        return int(before), int(after)

    def read(self, mark: object = None) -> tuple[Sequence[dict[str, Any]], object, bool]:
        """The records after ``mark``, a mark to go on from, and whether these are all, as what was read before is gone."""
        known = mark if isinstance(mark, Mark) else Mark()
        generation, size, begin, *texts = self._link.script(READ, self._keys, known)
        self.known = True
        anew = generation != known.generation or begin != known.size
        found = [record for text in texts if (record := record_of(text)) is not None]
        return found, Mark(generation, size), anew

    def rewrite(self, change: Callable[[Sequence[Record]], Sequence[Record]]) -> None:
        """Put what ``change`` makes of all records in their place, with nobody in between."""
        for _ in range(TRIES):
            found, mark, _ = self.read()
            lines = [line_of(record) for record in change(found)]
            if self._link.script(REWRITE, self._keys, [*_mark(mark), _token(), self._seconds, *lines]):
                return
        raise Gone("others change the records without end")


def _mark(mark: object) -> Mark:
    return mark if isinstance(mark, Mark) else Mark()


def _token() -> str:
    """What no other list has in common with this one."""
    return os.urandom(8).hex()


class Owed:
    """Records that were kept here while the server was gone, and belong to all. Each is handed over by one thread."""

    def __init__(self) -> None:
        import threading

        self._records: deque[Record] = deque(maxlen=OWED)
        self._lock = threading.Lock()

    def add(self, records: Sequence[Record]) -> None:
        """Remember what is owed; of too much the oldest is let go."""
        with self._lock:
            self._records.extend(records)

    def pay(self, append: Callable[[Sequence[Record]], object]) -> None:
        """Hand over what is owed. Raises as ``append`` does, and then nothing is lost."""
        with self._lock:
            if self._records:
                append(list(self._records))
                self._records.clear()


class ShelteredLedger:
    """A ledger that is shared while the server is there, and one of this machine while it is not."""

    def __init__(self, shared: SharedLedger, local: Ledger) -> None:
        self._shared, self._local, self._owed = shared, local, Owed()

    def append(self, records: Sequence[Record]) -> tuple[int, int]:
        """Add the records, all or none; the size of the whole in bytes before and after."""
        try:
            self.pay()
            return self._shared.append(records)
        except Gone:
            self._owed.add(records)
            return self._local.append(records)

    def append_now(self, _records: Sequence[Record]) -> tuple[int, int] | None:
        """Nothing: a server is always waited for."""
        return None

    def read(self, mark: object = None) -> tuple[Sequence[Record], object, bool]:
        """What ``Ledger.read`` gives. Raises ``Gone`` where all of it was read before: that is better than a part of it."""
        try:
            return self._shared.read(mark)
        except Gone:
            if self._shared.known:
                raise
            return self._local.read(mark)

    def rewrite(self, change: Callable[[Sequence[Record]], Sequence[Record]]) -> None:
        """Put what ``change`` makes of all records in their place, with nobody in between."""
        try:
            self._shared.rewrite(change)
        except Gone:
            self._local.rewrite(change)

    def pay(self) -> None:
        """Share what was kept here while the server was gone."""
        self._owed.pay(self._shared.append)
