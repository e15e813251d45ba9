"""Ctrl-C: the first lets a search end with what has arrived, the second ends the process at once."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    import asyncio

    from encyclopedia.engine.here import Stop

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """While entered, the first signal sets ``stop`` and ``code`` (128 + its number), the next leaves at once.

    ``loop`` is that of an ``asyncio.Event``, ``None`` for a ``stop`` that can be set from anywhere.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop | None, stop: asyncio.Event | Stop) -> None:
        self.code = 0
        self._loop, self._stop = loop, stop
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self._pressed) for number in SIGNALS}
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _pressed(self, number: int, _frame: object) -> None:
        if self.code:
            os._exit(self.code)
        self.code = 128 + number
        if self._loop is None:
            self._stop.set()
        else:
            self._loop.call_soon_threadsafe(self._stop.set)
