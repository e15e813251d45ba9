"""Records that all replicas share, in one hash of a Redis or Valkey server, with a copy in this process."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from encyclopedia_adapters.storage.redis_link import Gone

if TYPE_CHECKING:
    from collections.abc import Callable

    from encyclopedia.keeping import RecordStore
    from encyclopedia_adapters.storage.redis_link import Link

R = TypeVar("R")
GLANCE = 1.0
"""Seconds for which the copy is good where nobody keeps it up to date."""
LONGEST = 1 << 16
"""Bytes of a record: a longer one is none of ours."""
MOST = 10_000
"""Records that are read."""
TRIES = 200
"""How often a change is made anew because another replica was sooner."""
MARK = 64
"""Bytes of a mark, at most."""
WEEK = 7 * 86_400

READ = f"""
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' or redis.call('HLEN', KEYS[1]) > {MOST} then return {{''}} end
local mark = redis.call('HGET', KEYS[1], '') or ''
if #mark > {MARK} then mark = '' end
if mark ~= '' and mark == ARGV[1] then return {{mark}} end
local found, all = {{mark}}, redis.call('HGETALL', KEYS[1])
for at = 1, #all, 2 do
  if all[at] ~= '' and #all[at] <= {LONGEST} and #all[at + 1] <= {LONGEST} then
    table.insert(found, all[at])
    table.insert(found, all[at + 1])
  end
end
return found
"""
"""All records, if the mark under the empty name is another one than that of the copy."""

WRITE = f"""
local kind = redis.call('TYPE', KEYS[1]).ok
if kind ~= 'hash' and kind ~= 'none' then redis.call('DEL', KEYS[1]) end
local seen = redis.call('HGET', KEYS[1], ARGV[1]) or ''
if #seen > {LONGEST} then seen = '' end
if seen ~= ARGV[2] then return seen end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3], '', ARGV[4])
redis.call('EXPIRE', KEYS[1], ARGV[5])
return false
"""
"""Put a record in the place of the one that was seen; what is there instead, if that is another one."""


class _Kept(NamedTuple):
    """A record as it lies in the server, and what it says."""

    text: bytes
    record: dict[str, object]


class SharedRecords:
    """Records by name as JSON texts. Raises ``Gone`` while the server is.

    A change is made on the copy and written only if the server still holds what the copy was made of; else it is made anew on
    what is there. ``mirror`` keeps the copy up to date in a thread: then ``peek`` asks nobody and waits for nothing.
    """

    distant = True

    def __init__(self, link: Link, tag: str, seconds: int = WEEK, clock: Callable[[], float] = time.monotonic) -> None:
        import threading

        self._link, self._key, self._seconds, self._clock = link, link.key(tag), seconds, clock
        self._lock = threading.RLock()
        self._copy: dict[str, _Kept] | None = None
        self._mark = b""
        self._looked = 0.0
        self._mirrored = False

    @property
    def problem(self) -> str:
        """What is wrong with the server, in a sentence; empty if nothing is."""
        return self._link.problem

    def peek(self, name: str) -> dict[str, object] | None:
        """A copy of the record, or ``None``."""
        if self._mirrored and self._copy is None:  # whoever looks does not wait, not even for the first copy
            raise Gone(self._link.problem or "the shared state was not read yet")
        self._freshen()
        return self.last(name)

    def _freshen(self) -> None:
        if self._link.problem:
            raise Gone(self._link.problem)
        if self._copy is None or not (self._mirrored or 0 <= self._clock() - self._looked <= GLANCE):
            self.refresh()

    def last(self, name: str) -> dict[str, object] | None:
        """The record as it was when the server was last there; asks nobody."""
        kept = (self._copy or {}).get(name)
        return dict(kept.record) if kept and kept.record else None

    @property
    def known(self) -> bool:
        """Whether the server was ever there."""
        return self._copy is not None

    def step(self, name: str, change: Callable[[dict[str, object]], R]) -> R:
        """Change the record (blank if there is none) with nobody in between; what was changed stays, even when it raises."""
        with self._lock:
            self._freshen()
            text = kept.text if (kept := (self._copy or {}).get(name)) else b""
            for _ in range(TRIES):
                record, error = _record(text), None
                try:
                    answer = change(record)
                except Exception as raised:  # noqa: BLE001 - it is raised again when its change is kept
                    error = raised
                there = self._put(name, text, record)
                if there is not None:
                    text = there
                elif error:
                    raise error
                else:
                    return answer
        raise Gone(f"others change {name} without end")

    def _put(self, name: str, seen: bytes, record: dict[str, object]) -> bytes | None:
        """Keep the record if the server holds what was seen; what it holds instead if not."""
        if record == _record(seen):
            return None
        text, mark = json.dumps(record).encode(), os.urandom(8).hex()
        there: bytes | None = self._link.script(WRITE, [self._key], [name, seen, text, mark, self._seconds])
        if there is None:
            self._copy = {**(self._copy or {}), name: _Kept(text, record)}
        return there

    def refresh(self) -> None:
        """Bring the copy up to date; one command if nothing has changed."""
        with self._lock:
            mark, *found = self._link.script(READ, [self._key], [self._mark])
            self._looked = self._clock()
            if mark and mark == self._mark:
                return
            old, new = self._copy or {}, dict[str, _Kept]()
            for name, text in zip(found[::2], found[1::2], strict=True):
                known = old.get(label := name.decode("utf-8", "replace"))
                new[label] = known if known and known.text == text else _Kept(text, _record(text))
            self._copy, self._mark = new, mark

    def mirror(self) -> None:
        """Keep the copy up to date from now on, so that ``peek`` asks nobody; waits for the first look."""
        with suppress(Gone):
            self.refresh()
        if not self._mirrored:
            self._mirrored = True
            self._link.each_round(self.refresh)


def _record(text: bytes) -> dict[str, object]:
    """What a text says; one that is no record says nothing."""
    with suppress(ValueError, RecursionError):
        record: Any = json.loads(text or b"{}")
        return record if isinstance(record, dict) else {}
    return {}


class ShelteredRecords:
    """Records that are shared while the server is there, and those of this machine while it is not.

    What was shared last goes on here, and what was changed here meanwhile is shared again when the server is back, unless
    others have changed it there.
    """

    def __init__(self, shared: SharedRecords, local: RecordStore) -> None:
        self._shared, self._local = shared, local
        self._taken: dict[str, dict[str, object] | None] = {}
        self._changed: set[str] = set()

    @property
    def problem(self) -> str:
        """What is wrong with the records of this machine, in a sentence; the link tells of the others."""
        return str(getattr(self._local, "problem", ""))

    def peek(self, name: str) -> dict[str, object] | None:
        """A copy of the record, or ``None``."""
        try:
            return self._shared.peek(name)
        except Gone:
            return self._here(name).peek(name)

    def step(self, name: str, change: Callable[[dict[str, object]], R]) -> R:
        """Change the record as ``RecordStore`` has it, where it lies just now."""
        try:
            return self._shared.step(name, change)
        except Gone:
            here = self._here(name)
            self._changed.add(name)
            return here.step(name, change)

    def _here(self, name: str) -> RecordStore:
        """The records of this machine, which know what was shared last."""
        if name not in self._taken:
            self._taken[name] = last = self._shared.last(name)
            if self._shared.known and (self._local.peek(name) or None) != last:
                self._local.step(name, lambda record: _replaced(record, last or {}))
        return self._local

    def give_back(self) -> None:
        """Share what was changed here while the server was gone."""
        while self._changed:
            name = self._changed.pop()
            try:
                self._shared.step(name, partial(_merged, self._local.peek(name) or {}, self._taken.get(name) or {}))
            except Gone:
                self._changed.add(name)
                raise
        self._taken.clear()

    def close(self) -> None:
        """Give back what was changed if that is possible at once, and close the file of this machine."""
        if self._changed:
            with suppress(Gone):
                self.give_back()
        close = getattr(self._local, "close", None)
        if close is not None:
            close()


def _replaced(record: dict[str, object], other: dict[str, object]) -> None:
    record.clear()
    record.update(other)


def _merged(ours: dict[str, object], before: dict[str, object], record: dict[str, object]) -> None:
    """Ours in the place of a record that nobody else has changed, or that was lost with the server's memory."""
    if record in ({}, before):
        _replaced(record, ours)
