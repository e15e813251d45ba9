"""Events on their way to one who registered for them, in a thread of its own: one that hangs or fails hinders nobody."""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, Full, Queue
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING

from encyclopedia.wiring.requirements import plugin

if TYPE_CHECKING:
    from encyclopedia.model.event import Event

ROOM = 1000
"""Events that wait at most; for one that does not keep up the newest are left out."""
GRACE = 0.5
"""Seconds that closing waits for those that are on their way."""


class Postbox:
    """The way to the sink ``module:attribute``: an object with ``emit(event)``, or a class that makes one."""

    def __init__(self, target: str) -> None:
        self._target = target
        self._queue: Queue[Event | None] = Queue(ROOM)
        self._thread = Thread(target=self._run, name=f"events for {target}", daemon=True)
        self._thread.start()

    def put(self, event: Event) -> None:
        """Leave an event; never waits."""
        with suppress(Full):
            self._queue.put_nowait(event)

    def _run(self) -> None:
        emit = None
        with suppress(Exception):  # a plugin may raise what it likes; events then go nowhere
            found = plugin(self._target)
            emit = getattr(found() if isinstance(found, type) else found, "emit", None)
        while (event := self._queue.get()) is not None:
            with suppress(Exception):
                if emit is not None:
                    emit(event)

    def close(self) -> None:
        """Wait a moment until all has arrived; what has not by then is given up."""
        until = monotonic() + GRACE
        with suppress(Full):
            self._queue.put(None, timeout=GRACE)
        self._thread.join(max(0.0, until - monotonic()))
        if self._thread.is_alive():
            with suppress(Empty):
                while True:
                    self._queue.get_nowait()
            self._queue.put(None)  # it ends when its sink lets it go
