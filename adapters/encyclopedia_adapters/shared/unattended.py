"""Work that cannot be told to stop, on threads that neither the event loop nor the end of the process waits for."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def unattended(work: Callable[[], T], name: str) -> Future[T]:
    """What ``work`` gives or raises, as soon as it does; ``name`` is that of its thread.

    The threads of an executor are waited for when a loop or the process ends, and are few: one that hangs there, hangs them.
    """
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()  # from here on nobody can cancel it under the thread's hands

    def run() -> None:
        try:
            made = work()
        except BaseException as error:  # noqa: BLE001 - it is raised again where the work is waited for
            future.set_exception(error)
        else:
            future.set_result(made)

    threading.Thread(target=run, name=name, daemon=True).start()
    return future
