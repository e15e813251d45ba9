"""The Python face for code that is not asynchronous: one function, and how any asynchronous work is waited for."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable
    from typing import Any, Unpack

    from encyclopedia.faces.options import CallOptions
    from encyclopedia.faces.report import Report

    R = TypeVar("R")


def at_once(work: Callable[[], Coroutine[Any, Any, R]]) -> R:
    """What ``work`` gives, waited for; within a running event loop in a thread of its own."""
    if asyncio._get_running_loop() is None:  # noqa: SLF001 - the public one raises, which every later error would drag along
        return asyncio.run(work())
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1, thread_name_prefix="encyclopedia-search") as own_thread:
        return own_thread.submit(asyncio.run, work()).result()


def search(query: str, *, sources: str | Iterable[object] = (), **options: Unpack[CallOptions]) -> Report:
    """``Encyclopedia().search`` for code that is not asynchronous; also works inside a running event loop.

    Takes the options of ``Encyclopedia.search`` and of ``Encyclopedia``; among ``sources``, names restrict the query and
    objects are added to what there is.
    """
    asked: dict[str, Any] = dict(options)
    own: dict[str, Any] = {name: asked.pop(name) for name in ("home", "settings", "environ") if name in asked}
    given = [sources] if isinstance(sources, str) else list(sources)
    own["sources"] = [thing for thing in given if not isinstance(thing, str)]
    asked["sources"] = ",".join(thing for thing in given if isinstance(thing, str))

    from encyclopedia.faces.library import Encyclopedia

    async def ask() -> Report:
        async with Encyclopedia(**own) as encyclopedia:
            return await encyclopedia.search(query, **asked)

    return at_once(ask)
