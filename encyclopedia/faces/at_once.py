"""Asynchronous work for code that is not asynchronous."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    R = TypeVar("R")


def at_once(work: Callable[[], Coroutine[Any, Any, R]]) -> R:
    """What ``work`` gives, waited for; within a running event loop in a thread of its own."""
    if asyncio._get_running_loop() is None:  # noqa: SLF001 - the public one raises, which every later error would drag along
        return asyncio.run(work())
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1, thread_name_prefix="encyclopedia-search") as own_thread:
        return own_thread.submit(asyncio.run, work()).result()
