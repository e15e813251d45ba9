"""Keeps something open between calls: one for each event loop, in a task of its own, opened anew when it was dropped."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

_OPENING = 60.0
_CLOSING = 6.0


class Kept:
    """What ``opener`` opens; it is entered and left in one task, whoever uses it, as anyio's scopes demand."""

    def __init__(self, opener: Callable[[], AbstractAsyncContextManager[Any]]) -> None:
        self._opener = opener
        self._lock = threading.Lock()
        self._held: dict[asyncio.AbstractEventLoop, _Held] = {}
        self._leaving: set[asyncio.Task[None]] = set()

    async def get(self) -> tuple[Any, bool]:
        """The open thing, and whether it was open before; raises what opening it raises. Giving up leaves it opening."""
        loop = asyncio.get_running_loop()
        with self._lock:
            held = self._held.get(loop)
            reused = held is not None and held.usable
            if held is None or held.over:
                held = self._held[loop] = _Held(self._opener, loop)
        return await asyncio.shield(held.ready), reused

    def drop(self) -> None:
        """Close it in the background; the next one to ask gets a new one."""
        with self._lock:
            held = self._held.pop(asyncio.get_running_loop(), None)
        if held is not None:
            held.leave()
            self._leaving.add(held.task)
            held.task.add_done_callback(self._leaving.discard)

    async def aclose(self) -> None:
        """Close all; those of other loops are told to close there."""
        here = asyncio.get_running_loop()
        self.drop()
        with self._lock:
            others, self._held = self._held, {}
        for loop, held in others.items():
            with suppress(RuntimeError):  # a loop that has ended has ended its tasks
                loop.call_soon_threadsafe(held.leave)
        ours = [task for task in self._leaving if task.get_loop() is here]
        if ours:
            _, late = await asyncio.wait(ours, timeout=_CLOSING)
            for task in late:
                task.cancel()


class _Held:
    """One open thing and the task that holds it."""

    def __init__(self, opener: Callable[[], AbstractAsyncContextManager[Any]], loop: asyncio.AbstractEventLoop) -> None:
        self.ready: asyncio.Future[Any] = loop.create_future()
        self._over = asyncio.Event()
        self.task = loop.create_task(self._hold(opener))

    @property
    def usable(self) -> bool:
        """Whether it is open."""
        return self.ready.done() and not self.over

    @property
    def over(self) -> bool:
        """Whether it was closed, or could not be opened."""
        return self.task.done() or (self.ready.done() and (self.ready.cancelled() or self.ready.exception() is not None))

    def leave(self) -> None:
        """Close it soon."""
        if self.ready.done():
            self._over.set()
        else:
            self.task.cancel()
            self.ready.cancel()  # a task that has not begun yet cannot do it

    async def _hold(self, opener: Callable[[], AbstractAsyncContextManager[Any]]) -> None:
        try:
            async with asyncio.timeout(_OPENING) as timer, opener() as thing:
                timer.reschedule(None)
                self.ready.set_result(thing)
                await self._over.wait()
        except Exception as error:  # noqa: BLE001 - whoever waits for it gets it; what goes wrong in leaving concerns nobody
            if not self.ready.done():
                self.ready.set_exception(error)
                self.ready.exception()  # nobody may be waiting any more
        finally:
            if not self.ready.done():
                self.ready.cancel()
