"""The end of a server: its client has gone, or a signal came; a call that blocks does not hold it up."""

from __future__ import annotations

import os
import select
import signal
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Task
    from types import FrameType
    from typing import Any

GRACE = 1.5
"""Seconds for an orderly end; then the process ends as it stands."""


def on_signal(loop: AbstractEventLoop, task: Task[Any]) -> list[int]:
    """Cancel ``task`` at the first SIGTERM or SIGINT, also where the event loop is held up; the list will hold the signal."""
    came = list[int]()

    def handler(number: int, _frame: FrameType | None) -> None:
        if came:
            os._exit(128 + number)
        came.append(number)
        in_the_end(128 + number)
        loop.call_soon_threadsafe(task.cancel)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, handler)
    return came


def when_hung_up(descriptor: int) -> None:
    """End the process shortly after the other side of a pipe or socket is closed, even while a call holds up the event loop."""
    poll = getattr(select, "poll", None)
    if poll is None:  # Windows: the end of the file is all that there is
        return

    def watch() -> None:
        waiting = poll()
        waiting.register(descriptor, 0)  # a hang-up is told without being asked for
        if any(event & select.POLLHUP for _, event in waiting.poll()):
            in_the_end(0)

    threading.Thread(target=watch, name="encyclopedia-hang-up", daemon=True).start()


def in_the_end(code: int) -> None:
    """Make sure that the process has ended when the grace is over."""
    last = threading.Timer(GRACE, os._exit, (code,))
    last.daemon = True
    last.start()
