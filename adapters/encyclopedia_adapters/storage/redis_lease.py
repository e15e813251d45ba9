"""Lets one replica at a time work on a question, so that others can use its answer."""

from __future__ import annotations

import os
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from encyclopedia_adapters.storage.redis_link import Gone

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from contextlib import AbstractAsyncContextManager

    from encyclopedia.keeping import Lease
    from encyclopedia_adapters.storage.redis_link import Link

STEP = 0.03
"""Seconds between two looks at a lease that another replica holds."""
LASTS = 5.0
"""How many times as long as others wait for it at most a lease lasts: that of a holder who is dead ends by itself."""
LEAST = 1.0
"""Seconds that a lease lasts at least."""
_TAKE = """
if redis.call('SET', KEYS[1], ARGV[1] .. ARGV[2], 'NX', 'PX', ARGV[3]) then return 1 end
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return string.sub(redis.call('GET', KEYS[1]), 1, #ARGV[1]) == ARGV[1] and 2 or 0
"""
_RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] .. ARGV[2] then redis.call('DEL', KEYS[1]) end"
_THEIRS, _TAKEN = 0, 1


def open_lease(link: Link, local: Lease | None = None) -> RedisLease:
    """The leases over ``link``; ``local`` are those of this machine, for as long as there is no server."""
    return RedisLease(link, local)


class RedisLease:
    """A key for each question with the name of who is at it, which ends by itself when its holder is gone.

    Two callers within one process do not hinder each other: that is the single flight's business.
    """

    def __init__(self, link: Link, local: Lease | None = None) -> None:
        self._link, self._local, self._name = link, local, os.urandom(12).hex()

    def hold(self, key: str, patience: float) -> AbstractAsyncContextManager[bool]:
        """Hold ``key``; tells whether another replica was at it.

        Waits for that one at most ``patience`` seconds, then goes on without; a server that is gone is no hindrance.
        """
        return self._local.hold(key, patience) if self._local and self._link.problem else self._shared(key, patience)

    @asynccontextmanager
    async def _shared(self, key: str, patience: float) -> AsyncIterator[bool]:
        import asyncio

        clock = asyncio.get_running_loop().time
        until, waited = clock() + patience, False
        holder = _Holder(self._link, self._link.key(f"lease:{key}"), f"{self._name}:{os.getpid()}:")
        lasts = round(1000 * max(LEAST, LASTS * patience))
        try:
            while await asyncio.to_thread(holder.take, lasts) == _THEIRS:
                waited = True
                if clock() >= until:
                    break
                await asyncio.sleep(min(STEP, until - clock()))
            yield waited
        finally:
            if holder.leave():
                await asyncio.to_thread(holder.release)


class _Holder:
    """One caller with a name of its own, behind that of its process."""

    def __init__(self, link: Link, key: str, process: str) -> None:
        self._link, self._keys, self._names = link, [key], (process, os.urandom(8).hex())
        self._held, self._left = True, False

    def take(self, lasts: int) -> int | None:
        """Hold the key for some milliseconds, if nobody does; ``None`` where there is no server."""
        self._held = True  # until it is known
        found = None
        with suppress(Gone, ValueError):
            found = int(self._link.script(_TAKE, self._keys, (*self._names, lasts)))
        self._held = found == _TAKEN
        if self._held and self._left:
            self.release()
        return found

    def leave(self) -> bool:
        """Whether there is something to release; a look that is still on its way does so itself."""
        self._left = True
        return self._held

    def release(self) -> None:
        """Give the key back, if it is still ours."""
        with suppress(Gone, ValueError):
            self._link.script(_RELEASE, self._keys, self._names)
