"""Answers that block a thread: on threads of their own, so many and no more, so that one that hangs takes nobody else's."""

from __future__ import annotations

import threading
from functools import cache
from time import monotonic
from typing import TYPE_CHECKING

from encyclopedia.model.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import ThreadPoolExecutor

    from encyclopedia.model.outcome import Reply
    from encyclopedia.model.plan import Request

THREADS = 16
WAITING = 64
"""Answers that may wait for a thread; beyond that their time would be over before they had one."""


NEARLY = 0.9
"""The part of its time after which a request that is cancelled has come to the end of it: some went by before it came here."""


class _Room:
    """Counts what is under way and what waits."""

    def __init__(self, most: int) -> None:
        self._most, self._taken, self._lock = most, 0, threading.Lock()

    def enter(self) -> None:
        with self._lock:
            if self._taken >= self._most:
                raise Refused(f"this machine is still busy with {self._taken} earlier local searches")
            self._taken += 1

    def leave(self, _done: object) -> None:
        with self._lock:
            self._taken -= 1


_room = _Room(THREADS + WAITING)


@cache
def _threads() -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(THREADS, thread_name_prefix="local search")


async def in_thread(answer: Callable[[Request, threading.Event], Reply], request: Request) -> Reply:
    """What ``answer`` gives or raises; the event that it is given is set when nobody waits any longer.

    A thread cannot be cancelled: ``answer`` looks for the event from time to time. Raises ``Refused`` if too many wait, and
    when the time of the request is over and most of it went by before there was a thread.
    """
    import asyncio

    cancelled, came, began = threading.Event(), monotonic(), list[float]()

    def begin() -> Reply:
        began.append(monotonic())
        return answer(request, cancelled)

    _room.enter()
    try:
        work = _threads().submit(begin)
    except BaseException:
        _room.leave(None)
        raise
    work.add_done_callback(_room.leave)  # also of one that is cancelled before it had a thread
    try:
        return await asyncio.wrap_future(work)
    except asyncio.CancelledError:
        took = monotonic() - came
        waited = began[0] - came if began else took
        if took >= NEARLY * request.timeout and waited > took / 2:
            raise Refused("this machine was busy with earlier local searches for too long") from None
        raise
    finally:
        cancelled.set()
