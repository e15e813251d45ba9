"""Asks the one source of a plan that needs no event loop: a process that asks nobody else starts in half the time."""

from __future__ import annotations

from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from encyclopedia.engine.attempt import attempt_here
from encyclopedia.model.outcome import Outcome, Outcomes
from encyclopedia.model.status import Status

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine
    from threading import Event

    from encyclopedia.engine.circuit import Attempt, Work
    from encyclopedia.engine.pipeline import Watch
    from encyclopedia.model.outcome import Reply
    from encyclopedia.model.plan import Ask, Plan, Request

    Answer = Callable[[Request, Event], Reply]

T = TypeVar("T")


class Guard(Protocol):
    """Turns a piece of work into its outcome; a ``Circuit`` is one."""

    def __call__(self, ask: Ask, work: Work, way: Attempt) -> Awaitable[Outcome]:
        """The outcome of the work, made in this ``way``."""
        ...


class Stopped(BaseException):
    """Nobody waits for the answer any longer; the outcome says why, and the source is not to blame."""

    def __init__(self, status: Status, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


class Stop:
    """Ends the waiting for an answer, from a signal handler too; given to ``Watch`` in the place of an ``asyncio.Event``."""

    def __init__(self) -> None:
        from queue import SimpleQueue  # the one queue into which a signal handler may put something

        self.arrived: SimpleQueue[Callable[[], Reply]] = SimpleQueue()
        self._set = False

    def set(self) -> None:
        """Do not wait any longer."""
        self._set = True
        self.arrived.put(partial(_raise, Stopped(Status.CANCELLED, "stopped before it had answered")))

    def is_set(self) -> bool:
        """Whether the waiting was ended."""
        return self._set


async def dispatch_here(plan: Plan, *, answer: Answer, guard: Guard, watch: Watch, stop: Stop) -> Outcomes:
    """The outcome of the only ask of the plan, for which nothing here waits for an event loop.

    ``answer`` blocks, looks at the event that it is given, and runs in a thread of its own, so that its time can be over. The
    times are those of ``dispatch``: the timeout of the request, the deadline of the plan, and ``stop``.
    """
    (ask,), begun = plan.asks, monotonic()

    async def work() -> Reply:
        return _within(ask, plan.deadline, answer, stop)

    try:
        outcome = await guard(ask, work, attempt_here)
    except Stopped as end:
        outcome = Outcome(ask.source, end.status, seconds=monotonic() - begun, reason=end.reason)
    if watch.seen:
        watch.seen(outcome)
    return Outcomes(plan, (outcome,))


def at_once(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that waits for no event loop. Raises ``RuntimeError`` if it does."""
    try:
        work.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    work.close()
    raise RuntimeError("a coroutine that should not have to wait wants an event loop")


def _within(ask: Ask, deadline: float, answer: Answer, stop: Stop) -> Reply:
    """What ``answer`` gives or raises; ``TimeoutError`` or ``Stopped`` if there is to be no more waiting."""
    from queue import Empty
    from threading import Event, Thread

    cancelled, limit = Event(), ask.request.timeout

    def run() -> None:
        try:
            reply = answer(ask.request, cancelled)
        except Exception as error:  # noqa: BLE001 - it is raised where it is waited for
            stop.arrived.put(partial(_raise, error))
        except BaseException as error:  # noqa: BLE001 - not of an ordinary kind: it must not end the process
            stop.arrived.put(partial(_raise, RuntimeError(f"{type(error).__name__}: {error}")))
        else:
            stop.arrived.put(lambda: reply)

    Thread(target=run, name=f"ask {ask.source}", daemon=True).start()
    try:
        return stop.arrived.get(timeout=min(limit, deadline))()
    except Empty:
        if deadline < limit:
            raise Stopped(Status.TIMEOUT, "query deadline") from None
        raise TimeoutError(f"no answer within {limit:g} s") from None
    finally:
        cancelled.set()  # a thread cannot be cancelled: it looks for this from time to time


def _raise(error: BaseException) -> Reply:
    raise error
