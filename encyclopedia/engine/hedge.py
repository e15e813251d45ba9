"""A second request where the first is late, for a small share of all calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable

    from encyclopedia.model.outcome import Reply

    Work = Callable[[], Awaitable[Reply]]

MOST = 5.0
"""Second requests that may be saved up."""
GRACE = 0.05
"""Seconds that the request that lost is given to clean up."""


class Hedge:
    """Counts calls and second requests, so that these stay within ``share`` (0 to 0.05) of the calls."""

    def __init__(self, share: float) -> None:
        self._share, self._saved = share, 0.0

    async def run(self, work: Work, after: float, sent: Callable[[], None]) -> Reply:
        """What ``work`` gives; asked once more if it has not answered ``after`` seconds, of which ``sent`` is told.

        The first good answer counts. Raises what the first request raised if neither gives one.
        """
        import asyncio

        self._saved = min(self._saved + self._share, MOST)
        tasks = [_start(work)]
        try:
            await asyncio.wait(tasks, timeout=after)
            if not tasks[0].done() and self._saved >= 1.0:
                self._saved -= 1.0
                sent()
                tasks.append(_start(work))
            return await _first_good(tasks)
        finally:
            late = [task for task in tasks if not task.done()]
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=GRACE)


def _start(work: Work) -> asyncio.Task[Reply]:
    import asyncio

    async def ask() -> Reply:
        return await work()

    return asyncio.create_task(ask())


async def _first_good(tasks: list[asyncio.Task[Reply]]) -> Reply:
    import asyncio

    waiting = set(tasks)
    while waiting:
        done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            if not task.cancelled() and task.exception() is None:
                return task.result()
    return tasks[0].result()
