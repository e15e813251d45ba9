"""Keeps the library for matrices to one thread: its threads wait for each other in a loop that burns a busy machine."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache, partial
from itertools import product
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_lock = Lock()
_AFFIXES = tuple(product(("", "scipy_"), ("", "64_", "_64")))
"""What builders of OpenBLAS put around the names of its functions."""


class _Limit:
    """The limit of the process, in force from the first who comes in to the last who goes out."""

    def __init__(self) -> None:
        from threadpoolctl import ThreadpoolController

        libraries = ThreadpoolController().select(user_api="blas").lib_controllers
        self._setters = [(_setter(library), library) for library in libraries]
        self._inside = 0
        self._usual: list[int] = []

    def enter(self) -> None:
        if not self._inside:
            self._usual = [library.get_num_threads() for _, library in self._setters]
        self._inside += 1
        for set_threads, _ in self._setters:
            set_threads(1)

    def leave(self) -> None:
        self._inside -= 1
        if not self._inside:
            for (set_threads, _), usual in zip(self._setters, self._usual, strict=True):
                set_threads(usual)


def _setter(library: Any) -> Callable[[int], object]:
    """What sets the number of threads.

    That of threadpoolctl, from 3.7 on, does nothing for OpenBLAS in any thread of the program but the first that called it; its
    own function does not mind who calls.
    """
    if library.internal_api == "openblas":
        import ctypes  # a search without vectors has no use for it

        loaded = ctypes.CDLL(library.filepath)
        for prefix, suffix in _AFFIXES:
            found = getattr(loaded, f"{prefix}openblas_set_num_threads{suffix}", None)
            if found is not None:
                return partial(_call, found, ctypes.c_int)
    setter: Callable[[int], object] = library.set_num_threads
    return setter


def _call(function: Any, number: Any, threads: int) -> None:
    function(number(threads))


@cache
def _limit() -> _Limit:
    return _Limit()


@contextmanager
def one_thread() -> Iterator[None]:
    """numpy, which must have been imported, multiplies matrices on one thread; others get theirs back afterwards."""
    with _lock:
        limit = _limit()
        limit.enter()
    try:
        yield
    finally:
        with _lock:
            limit.leave()
