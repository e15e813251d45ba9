"""Keeps the library for matrices to one thread: two wait for each other in a loop that burns a busy machine."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


class _Limit:
    """The limit of the process: in force from the first who comes in to the last who goes out."""

    def __init__(self) -> None:
        from threadpoolctl import ThreadpoolController

        self._controller = ThreadpoolController()
        self._lock = Lock()
        self._inside = 0
        self._limit: Any = None

    def enter(self) -> None:
        with self._lock:
            if not self._inside:
                self._limit = self._controller.limit(limits=1, user_api="blas")
            self._inside += 1

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._limit.restore_original_limits()


@cache
def _limit() -> _Limit:
    return _Limit()


@contextmanager
def one_thread() -> Iterator[None]:
    """numpy, which must have been imported, multiplies matrices on one thread; others get theirs back afterwards."""
    limit = _limit()
    limit.enter()
    try:
        yield
    finally:
        limit.leave()
