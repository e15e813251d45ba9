"""The record of searches that all replicas share, in a list of a Redis or Valkey server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.storage.json_lines import line_of, record_of
from encyclopedia_adapters.storage.redis_lines import LONGEST, TYPED, Owed
from encyclopedia_adapters.storage.redis_link import Gone

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from encyclopedia.keeping import History
    from encyclopedia_adapters.storage.history_age import Age
    from encyclopedia_adapters.storage.redis_link import Link

NEWEST = 300
"""Records in which questions are counted."""
BEFORE = 128
"""Bytes within which the question begins in a record: its id and time stand before it."""
SOME = 100
"""Records past their time that go with each new one, at most."""

APPEND = (
    TYPED
    + f"""
typed(KEYS[1], 'list')
for at = 4, #ARGV do redis.call('RPUSH', KEYS[1], ARGV[at]) end
redis.call('LTRIM', KEYS[1], '-' .. ARGV[1], -1)
for _ = 1, {SOME} do
  local at = string.match(string.sub(redis.call('LINDEX', KEYS[1], 0) or '', 1, 256), '"at":"([^"]*)"')
  if not at or at >= ARGV[2] then break end
  redis.call('LPOP', KEYS[1])
end
if tonumber(ARGV[3]) > 0 then redis.call('EXPIRE', KEYS[1], ARGV[3]) else redis.call('PERSIST', KEYS[1]) end
"""
)
"""Add records, then drop what is too much and what is too old; with the last one the whole goes."""
READ = f"""
local found = {{}}
if redis.call('TYPE', KEYS[1]).ok ~= 'list' then return found end
for _, text in ipairs(redis.call('LRANGE', KEYS[1], ARGV[1], -1)) do
  if #text <= {LONGEST} then table.insert(found, text) end
end
return found
"""
COUNT = f"""
local found = {{}}
for at = 1, #ARGV do found[at] = 0 end
if redis.call('TYPE', KEYS[1]).ok ~= 'list' then return found end
for _, text in ipairs(redis.call('LRANGE', KEYS[1], -{NEWEST}, -1)) do
  for at, asked in ipairs(ARGV) do
    if string.find(string.sub(text, 1, {BEFORE} + #asked), asked, 1, true) then found[at] = found[at] + 1 end
  end
end
return found
"""
"""The question stands near the beginning of a record; to look through all of it would be most of what a search costs."""


class SharedHistory:
    """Records in the order they were made, the newest ``entries``, as long as ``age`` says. Raises ``Gone``."""

    def __init__(self, link: Link, entries: int, age: Age) -> None:
        self._link, self._key, self._entries, self._age = link, link.key("history"), entries, age

    def append(self, *records: Mapping[str, object]) -> None:
        """Add the records, all or none. Raises ``TypeError`` if one is no JSON."""
        lines = [line_of(record) for record in records]
        self._link.script(APPEND, [self._key], [self._entries, self._age.oldest(), self._age.seconds, *lines])

    def read(self, last: int | None = None) -> Sequence[Mapping[str, object]]:
        """The newest ``last`` records (all of them for ``None``), oldest first; unreadable ones are left out."""
        if last is not None and last <= 0:
            return []
        texts: list[Any] = self._link.script(READ, [self._key], [-self._entries if last is None else -last])
        found = [record for text in texts if (record := record_of(text)) is not None]
        return [record for record in found if self._age.young(record)]

    def times(self, *queries: str) -> Sequence[int]:
        """How many of the newest records have the very words of each as their query; they are counted in the server."""
        asked = [line_of({"query": query})[1:-2] + b"," for query in queries]
        return list(map(int, self._link.script(COUNT, [self._key], asked))) if asked else []

    def clear(self) -> int:
        """Remove all records; the number removed."""
        found = len(self.read())
        self._link.run(lambda client: client.delete(self._key))
        return found


class ShelteredHistory:
    """The shared record of searches while the server is there, and that of this machine while it is not."""

    def __init__(self, shared: SharedHistory, local: History) -> None:
        self._shared, self._local, self._owed = shared, local, Owed()

    def append(self, *records: Mapping[str, object]) -> None:
        """Add the records. Raises as the record of this machine does, if that is where they go."""
        try:
            self.pay()
            self._shared.append(*records)
        except Gone:
            self._owed.add(records)
            self._local.append(*records)

    def read(self, last: int | None = None) -> Sequence[Mapping[str, object]]:
        """The newest ``last`` records, oldest first."""
        try:
            return self._shared.read(last)
        except Gone:
            return self._local.read(last)

    def append_now(self, *_records: Mapping[str, object]) -> bool:
        """Nothing: a server is always waited for."""
        return False

    def bound(self) -> None:
        """Nothing: the server drops what is too much with each record that comes."""

    def times(self, *queries: str) -> Sequence[int]:
        """How many of the newest records have the very words of each as their query."""
        try:
            return self._shared.times(*queries)
        except Gone:
            return self._local.times(*queries)

    def clear(self) -> int:
        """Remove all records, those of this machine too; the number removed. Raises ``Gone`` where the shared ones stay."""
        here = self._local.clear()
        return self._shared.clear() + here

    def pay(self) -> None:
        """Share what was kept here while the server was gone."""
        self._owed.pay(lambda records: self._shared.append(*records))
