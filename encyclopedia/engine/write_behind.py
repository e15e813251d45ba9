"""What need not be written before the answer goes out: collected for a moment, then written in one piece off the event loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from encyclopedia.engine.verdict import sentence

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable, Sequence

    Then = Callable[[str], Awaitable[object] | None]

T = TypeVar("T")
TRIES = 3
"""Times that something is tried for which another process held the place too long."""
LULL = 0.05
"""Seconds for which is collected: under load many searches share one trip to a thread and one transaction."""


class _Write(NamedTuple):
    """One thing to write, how things of its kind are written, and what is done on the event loop after that."""

    kind: str
    write: Callable[[Sequence[Any]], str]
    thing: object
    then: Then | None
    tries: int = 1


class _Batch:
    """What one event loop has to write: what is waiting, whether it is due, and the task that writes it."""

    def __init__(self) -> None:
        import asyncio  # a command that answers at once has no use for it

        self.waiting: list[_Write] = []
        self.due = asyncio.Event()
        self.task: asyncio.Task[None] | None = None


class WriteBehind:
    """Writes behind the answers; each event loop has its own batch, written in the order in which things came."""

    def __init__(self, lull: float = LULL) -> None:
        self._lull = lull
        self._batches: dict[asyncio.AbstractEventLoop, _Batch] = {}
        self._problems: dict[str, str] = {}
        self._late: set[str] = set()

    def put(self, kind: str, write: Callable[[Sequence[T]], str], thing: T, then: Then | None = None) -> None:
        """Let ``write`` have ``thing`` soon, in a thread, with others of its kind; it tells what went wrong, or nothing.

        Where it raises ``BlockingIOError``, as the place is held by somebody else, it is tried again. So is ``then``
        told, which may not raise. Must be called on an event loop; ``settle`` on the same one waits for it.
        """
        import asyncio

        loop = asyncio.get_running_loop()
        batch = self._batches.get(loop) or self._begin(loop)
        batch.waiting.append(_Write(kind, write, thing, then))
        if batch.task is None:
            batch.task = loop.create_task(self._run(batch), name="write behind")

    async def write(self, kind: str, write: Callable[[Sequence[T]], str], thing: T, patience: float) -> str:
        """As ``put``, waiting some seconds for it: for what has to be written before the answer, wherever that is possible.

        Waits for nothing after things of the kind came too late, until some were written again. What went wrong, or nothing.
        """
        import asyncio

        done = asyncio.Event()
        self.put(kind, write, thing, lambda _: done.set())
        self.hurry()
        if kind not in self._late:
            try:
                async with asyncio.timeout(patience):
                    await done.wait()
            except TimeoutError:
                self._late.add(kind)
        return self.problem(kind)

    def _begin(self, loop: asyncio.AbstractEventLoop) -> _Batch:
        self._batches = {other: batch for other, batch in self._batches.items() if not other.is_closed()}
        batch = self._batches[loop] = _Batch()
        return batch

    async def _run(self, batch: _Batch) -> None:
        import asyncio
        from contextlib import suppress

        try:
            while batch.waiting:
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._lull):
                        await batch.due.wait()
                batch.due.clear()
                writes, batch.waiting = batch.waiting, []
                problems, busy = await asyncio.to_thread(_written, writes)
                self._late -= {write.kind for write in writes} - busy
                again = [write for write in writes if write.kind in busy and write.tries < TRIES]
                batch.waiting[:0] = [write._replace(tries=write.tries + 1) for write in again]
                ended = [write for write in writes if write not in again] if again else writes
                self._problems |= {kind: problem for kind, problem in problems.items() if any(w.kind == kind for w in ended)}
                for write in ended:
                    after = write.then(problems.get(write.kind, "")) if write.then else None
                    if after is not None:
                        await after
        finally:
            batch.task = None

    def problem(self, kind: str) -> str:
        """What went wrong with things of a kind since this was asked, or nothing."""
        return self._problems.pop(kind, "") if self._problems else ""

    def hurry(self) -> None:
        """Write what is waiting on this event loop without collecting any longer."""
        import asyncio

        if batch := self._batches.get(asyncio.get_running_loop()):
            batch.due.set()

    async def settle(self) -> None:
        """Write what is waiting on this event loop, and come back when nothing is. Needs no loop while nothing was ever put."""
        if not self._batches:
            return
        import asyncio

        batch = self._batches.get(asyncio.get_running_loop())
        while batch and batch.task is not None:
            batch.due.set()
            await asyncio.wait({batch.task})


def _written(writes: Sequence[_Write]) -> tuple[dict[str, str], set[str]]:
    """What went wrong, by kind, with those that did not go well; and the kinds whose place somebody else held."""
    kinds: dict[str, tuple[Callable[[Sequence[Any]], str], list[object]]] = {}
    for write in writes:
        kinds.setdefault(write.kind, (write.write, []))[1].append(write.thing)
    problems, busy = {}, set()
    for kind, (way, things) in kinds.items():
        try:
            problem = way(things)
        except BlockingIOError as error:
            problem = f"{kind}: {sentence(error)}"
            busy.add(kind)
        except Exception as error:  # noqa: BLE001 - a store may raise what it likes; nobody's answer depends on it
            problem = f"{kind}: {sentence(error) or type(error).__name__}"
        if problem:
            problems[kind] = problem
    return problems, busy
