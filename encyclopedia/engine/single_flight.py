"""Equal work in flight is done once, however many wait for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable, Hashable

T = TypeVar("T")
GRACE = 0.1
"""Seconds that the last one to leave waits for the cancelled work to clean up."""


class _Flight:
    """A task and the number of those who wait for it."""

    __slots__ = ("task", "waiters")

    def __init__(self, task: asyncio.Task[Any]) -> None:
        self.task = task
        self.waiters = 0


class SingleFlight:
    """Callers with the same key share one task; those of different event loops never do."""

    def __init__(self) -> None:
        self._flights: dict[tuple[asyncio.AbstractEventLoop, Hashable], _Flight] = {}

    async def run(self, key: Hashable, work: Callable[[], Awaitable[T]]) -> T:
        """What ``work`` gives or raises, begun by the first caller; cancelled when the last one that waits is."""
        import asyncio  # a hit of the cache has no use for it

        place = asyncio.get_running_loop(), key
        flight = self._flights.get(place) or self._start(place, work)
        flight.waiters += 1
        try:
            result: T = await asyncio.shield(flight.task)
        finally:
            flight.waiters -= 1
            if not flight.waiters and not flight.task.done():
                self._drop(place, flight)  # first: who comes now must not join a task that is going down
                flight.task.cancel()
                await asyncio.wait({flight.task}, timeout=GRACE)
        return result

    def _start(self, place: tuple[asyncio.AbstractEventLoop, Hashable], work: Callable[[], Awaitable[T]]) -> _Flight:
        async def fly() -> T:
            return await work()

        flight = self._flights[place] = _Flight(place[0].create_task(fly(), name="shared search"))
        flight.task.add_done_callback(lambda _task: self._drop(place, flight))
        return flight

    def _drop(self, place: tuple[asyncio.AbstractEventLoop, Hashable], flight: _Flight) -> None:
        if self._flights.get(place) is flight:
            del self._flights[place]
