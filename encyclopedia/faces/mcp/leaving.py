"""The end of a server: its client has gone, or a signal came; a call that blocks does not hold it up."""

from __future__ import annotations

import os
import select
import signal
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

GRACE = 1.0
"""Seconds for an orderly end; then the process ends as it stands."""


def on_signal(stop: Callable[[], None], grace: float = GRACE) -> list[int]:
    """Call ``stop`` from a thread at the first SIGTERM or SIGINT, end at the second; the list will hold the signal.

    The interpreter tells a signal only between two steps of the main thread, which a call may hold up; a pipe tells it at once.
    """
    came = list[int]()
    told, tell = os.pipe()
    os.set_blocking(tell, False)

    def listen() -> None:
        for number in iter(lambda: os.read(told, 1)[0], 0):
            if came:
                os._exit(128 + number)
            came.append(number)
            in_the_end(128 + number, grace)
            stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)  # without a handler the system would end the process
    signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    threading.Thread(target=listen, name="encyclopedia-signals", daemon=True).start()
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


def in_the_end(code: int, grace: float = GRACE) -> None:
    """Make sure that the process has ended when the grace is over."""
    last = threading.Timer(grace, os._exit, (code,))
    last.daemon = True
    last.start()
