"""How many searches are under way at once, and who may wait for the next place."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Self

from encyclopedia.faces.http.replies import Busy

if TYPE_CHECKING:
    from types import TracebackType

AT_ONCE = 64
WAITING = 256
PATIENCE = 5.0
"""Seconds that a request waits for a place before it is told to come again."""
AGAIN = 2
"""Seconds after which a client that found no place is asked to come again."""


class Gate:
    """An asynchronous context manager that lets ``at_once`` in and ``waiting`` queue; raises ``Busy`` for all others."""

    def __init__(self, at_once: int = AT_ONCE, waiting: int = WAITING, patience: float = PATIENCE) -> None:
        self._places = asyncio.Semaphore(at_once)
        self._most, self._patience = waiting, patience
        self._waiting = 0

    async def __aenter__(self) -> Self:
        if not self._places.locked():
            await self._places.acquire()
            return self
        if self._waiting >= self._most:
            raise Busy(AGAIN)
        self._waiting += 1
        try:
            async with asyncio.timeout(self._patience):
                await self._places.acquire()
        except TimeoutError:
            raise Busy(AGAIN) from None
        finally:
            self._waiting -= 1
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._places.release()
