"""Spacing of requests for services that want so many seconds between two of them."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from encyclopedia.model.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


class Pacer:
    """Lets one request begin every ``interval`` seconds; times in seconds of ``clock``."""

    def __init__(
        self,
        interval: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._interval, self._clock, self._sleep = interval, clock, sleep
        self._free = clock()

    async def turn(self, source: str, patience: float) -> float:
        """Wait for the next turn and take it; the seconds waited.

        Raises ``Refused`` at once when the turn comes only after ``patience``: our own queue is not the source's fault.
        """
        now = self._clock()
        begin = max(now, self._free)
        if begin - now > patience:
            raise Refused(f"{source} takes one request every {self._interval:g} s, and earlier ones of ours are waiting")
        self._free = begin + self._interval
        try:
            await self._sleep(begin - now)
        except BaseException:
            if self._free == begin + self._interval:  # nobody has queued up behind: the turn is given back
                self._free = begin
            raise
        return begin - now
