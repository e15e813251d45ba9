"""Asks every source of a plan at once, and keeps what has arrived when the time is over."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Protocol

from encyclopedia.engine.attempt import unguarded
from encyclopedia.engine.verdict import judge
from encyclopedia.model.outcome import Outcome, Outcomes
from encyclopedia.model.status import Status

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable, Sequence

    from encyclopedia.engine.hedge import Hedge
    from encyclopedia.model.outcome import Reply
    from encyclopedia.model.plan import Ask, Plan, Request

    Search = Callable[[Request], Awaitable[Reply]]
    Seen = Callable[[Outcome], None]
    Tasks = Sequence[asyncio.Task[Outcome]]

GRACE = 0.05
"""Seconds that a cancelled task is given to clean up before we go on without it."""

HALF = 0.4999
"""The share of all weight that is enough after the soft deadline, but for how shares are rounded."""

_left_behind: set[asyncio.Task[Outcome]] = set()
"""Tasks that did not end in their grace: held, so that they are not collected half-way."""


class Guard(Protocol):
    """Turns a piece of work for one source into its outcome; a ``Circuit`` is one."""

    def __call__(self, ask: Ask, work: Callable[[], Awaitable[Reply]]) -> Awaitable[Outcome]:
        """The outcome of the work; no exception but cancellation comes out."""
        ...


async def dispatch(
    plan: Plan,
    *,
    sources: Callable[[str], Search],
    guard: Guard | None = None,
    on_outcome: Seen | None = None,
    stop: asyncio.Event | None = None,
    hedge: Hedge | None = None,
) -> Outcomes:
    """Ask everybody in the plan; one outcome for each ask, in the order of the plan.

    ``sources`` gives the search of a source by name and may build it, so it is called inside the guarded task. The deadline
    of the plan is in seconds from now. ``stop`` set means that what has arrived must do. ``on_outcome`` is told each outcome
    as it lands; what it raises is suppressed. ``hedge`` sends the second requests that the plan allows. After the plan's soft
    deadline nobody else is waited for once there is enough. Cancelled, it cancels all tasks first.
    """
    import asyncio  # a dry run has no use for it

    loop = asyncio.get_running_loop()
    begun, listener = loop.time(), _Listener(on_outcome)
    work = partial(_work, plan, sources, hedge)
    tasks = [loop.create_task(_one(ask, guard or unguarded, work), name=f"ask {ask.source}") for ask in plan.asks]
    for task in tasks:
        task.add_done_callback(listener.landed)
    try:
        end = await _wait(plan, tasks, stop)
    finally:
        listener.closed = True
        await _leave(tasks)
    seconds = loop.time() - begun
    outcomes = tuple(_outcome(ask, task, seconds, end) for ask, task in zip(plan.asks, tasks, strict=True))
    for task, outcome in zip(tasks, outcomes, strict=True):
        listener.tell(task, outcome)
    return Outcomes(plan, outcomes)


class _Listener:
    """Tells somebody each outcome once; ``closed``, it hears no task any more."""

    def __init__(self, on_outcome: Seen | None) -> None:
        self.closed = on_outcome is None
        self._on_outcome = on_outcome
        self._told: set[asyncio.Task[Outcome]] = set()

    def landed(self, task: asyncio.Task[Outcome]) -> None:
        if not self.closed and _landed(task):
            self.tell(task, task.result())

    def tell(self, task: asyncio.Task[Outcome], outcome: Outcome) -> None:
        if self._on_outcome and task not in self._told:
            self._told.add(task)
            with suppress(Exception):
                self._on_outcome(outcome)


async def _one(ask: Ask, guard: Guard, work: Callable[[Ask, Callable[[], None]], Awaitable[Reply]]) -> Outcome:
    seconds: list[str] = []
    outcome = await guard(ask, lambda: work(ask, lambda: seconds.append(ask.source)))
    return outcome._replace(hedged=True) if seconds else outcome


async def _work(
    plan: Plan, sources: Callable[[str], Search], hedge: Hedge | None, ask: Ask, second: Callable[[], None]
) -> Reply:
    """Ask one source; ``second`` is told of a second request."""

    async def once() -> Reply:
        return await sources(ask.source)(ask.request)

    waiting = plan.waiting.get(ask.source) if hedge else None
    if hedge is None or waiting is None or not waiting.hedge_after:
        return await once()
    return await hedge.run(once, waiting.hedge_after, second)


async def _wait(plan: Plan, tasks: Tasks, stop: asyncio.Event | None) -> str:
    """Until all are done, the deadline has come, ``stop`` is set, or there is enough; why nobody waits for who is late."""
    import asyncio

    if not tasks:
        return ""
    if stop is None and not plan.soft_deadline:
        await asyncio.wait(tasks, timeout=plan.deadline)
        return ""
    ends = [asyncio.ensure_future(asyncio.wait(tasks)), asyncio.ensure_future(stop.wait() if stop else asyncio.Event().wait())]
    if plan.soft_deadline:
        ends.append(asyncio.ensure_future(_enough(plan, tasks)))
    try:
        await asyncio.wait(ends, timeout=plan.deadline, return_when=asyncio.FIRST_COMPLETED)
        soft = bool(ends[2:]) and ends[2].done()
    finally:
        for end in ends:
            end.cancel()
        await asyncio.wait(ends)
    if stop is not None and stop.is_set():
        return "stopped before it had answered"
    return f"not waited for: there was enough after {plan.soft_deadline:g} s" if soft else ""


async def _enough(plan: Plan, tasks: Tasks) -> None:
    """Until the soft deadline has come and those who found something have half of the weight and all wanted results."""
    import asyncio

    await asyncio.sleep(plan.soft_deadline)
    while True:
        found = [(ask, task.result()) for ask, task in zip(plan.asks, tasks, strict=True) if _landed(task)]
        good = [(ask.weight, len(outcome.reply.hits)) for ask, outcome in found if outcome.status is Status.OK]
        late = [task for task in tasks if not task.done()]
        if not late or (sum(w for w, _ in good) >= HALF and sum(n for _, n in good) >= plan.query.limit):
            return
        await asyncio.wait(late, return_when=asyncio.FIRST_COMPLETED)


async def _leave(tasks: Tasks) -> None:
    """Cancel whatever is under way; what does not end in its grace is held until it does."""
    import asyncio

    late = [task for task in tasks if not task.done()]
    for task in late:
        _left_behind.add(task)
        task.add_done_callback(_forget)
        task.cancel()
    if late:
        await asyncio.wait(late, timeout=GRACE)


def _forget(task: asyncio.Task[Outcome]) -> None:
    _left_behind.discard(task)
    if not task.cancelled():
        task.exception()  # fetched, so that nobody complains that it never was


def _landed(task: asyncio.Task[Outcome]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is None


def _outcome(ask: Ask, task: asyncio.Task[Outcome], seconds: float, end: str) -> Outcome:
    if _landed(task):
        return task.result()
    if task.done() and not task.cancelled() and (error := task.exception()):
        found = judge(error)  # of the guard itself, or none of an ordinary kind
        return Outcome(ask.source, Status.ERROR, seconds=seconds, reason=found.reason)
    if end:
        return Outcome(ask.source, Status.CANCELLED, seconds=seconds, reason=end)
    if not task.done() or task.cancelling():
        return Outcome(ask.source, Status.TIMEOUT, seconds=seconds, reason="query deadline")
    return Outcome(ask.source, Status.CANCELLED, seconds=seconds, reason="gave up by itself")
