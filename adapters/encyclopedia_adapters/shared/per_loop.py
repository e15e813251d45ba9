"""What belongs to one event loop: a session and the places of each source, made anew for every loop that asks."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from aiohttp import ClientSession


class Belongings(NamedTuple):
    """A session, and the semaphores that bound each source's requests at a time."""

    session: ClientSession
    slots: dict[str, asyncio.Semaphore]


class PerLoop:
    """Belongings by event loop: a program may use one engine from several, one after another or in threads."""

    def __init__(self, make: Callable[[], ClientSession]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._by_loop: dict[asyncio.AbstractEventLoop, Belongings] = {}

    async def here(self) -> Belongings:
        """Those of the running loop; those of loops that have ended are given back."""
        loop = asyncio.get_running_loop()
        with self._lock:
            found = self._by_loop.get(loop)
            if found is not None and not found.session.closed:
                return found
            ended = [self._by_loop.pop(other) for other in list(self._by_loop) if other.is_closed()]
            made = self._by_loop[loop] = Belongings(self._make(), {})
        for belongings in ended:
            await belongings.session.close()
        return made

    async def aclose(self) -> None:
        """Close all sessions; that of another loop which still runs is closed there, soon."""
        here = asyncio.get_running_loop()
        with self._lock:
            elsewhere = {loop: held for loop, held in self._by_loop.items() if loop is not here and loop.is_running()}
            ours = [held for loop, held in self._by_loop.items() if loop not in elsewhere]
            self._by_loop = elsewhere
        for loop, held in elsewhere.items():
            asyncio.run_coroutine_threadsafe(held.session.close(), loop)
        for held in ours:
            await held.session.close()
