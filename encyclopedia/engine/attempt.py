"""The one border where an exception becomes an outcome."""

from __future__ import annotations

from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING

from encyclopedia.engine.verdict import OK, Verdict, judge
from encyclopedia.model.errors import Garbled, Refused
from encyclopedia.model.outcome import Hit, Outcome, Reply
from encyclopedia.model.status import Status

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from encyclopedia.model.plan import Ask

    Work = Callable[[], Awaitable[Reply]]


async def attempt(ask: Ask, work: Work) -> tuple[Outcome, Verdict]:
    """Do the work within the timeout of the request; whatever it raises becomes an outcome. Cancellation goes through."""
    import asyncio  # what is done without an event loop has no use for it

    clock, limit, task = asyncio.get_running_loop().time, ask.request.timeout, asyncio.current_task()
    begun, cancelled = clock(), task.cancelling() if task else 0
    timer = asyncio.timeout(limit)
    try:
        async with timer:
            reply = checked(await work(), ask.request.limit)
        if timer.expired():
            raise TimeoutError  # noqa: TRY301 - it swallowed the cancellation; its time was over all the same
    except Exception as error:
        if task and task.cancelling() > cancelled:
            raise asyncio.CancelledError from error  # the work turned our cancellation into something else
        if timer.expired() and not isinstance(error, Refused):  # who refuses then knows better why there is no answer
            error = TimeoutError(f"no answer within {limit:g} s")
        return _failed(ask, error, clock() - begun)
    return _answered(ask, reply, clock() - begun)


async def attempt_here(ask: Ask, work: Work) -> tuple[Outcome, Verdict]:
    """As ``attempt`` for work that keeps the time by itself and waits for no event loop."""
    begun = monotonic()
    try:
        reply = checked(await work(), ask.request.limit)
    except Exception as error:  # noqa: BLE001 - this is the border where an exception becomes an outcome
        return _failed(ask, error, monotonic() - begun)
    return _answered(ask, reply, monotonic() - begun)


def _answered(ask: Ask, reply: Reply, seconds: float) -> tuple[Outcome, Verdict]:
    status = Status.OK if reply.hits or reply.alternatives else Status.EMPTY
    return Outcome(ask.source, status, reply, seconds), Verdict(status, OK, retry_after=reply.pause or None)


def _failed(ask: Ask, error: Exception, seconds: float) -> tuple[Outcome, Verdict]:
    found = judge(error, late=seconds > ask.request.timeout * 1.25 + 0.05)
    return Outcome(ask.source, found.status, seconds=seconds, reason=found.reason, retry_after=found.retry_after), found


async def unguarded(ask: Ask, work: Work) -> Outcome:
    """The outcome of the work, with nobody remembering it."""
    return (await attempt(ask, work))[0]


def checked(reply: object, limit: int) -> Reply:
    """The reply cut to ``limit`` hits a list; raises ``Garbled`` if it is no reply of hits."""
    if not isinstance(reply, Reply):
        raise Garbled(f"answered with {type(reply).__name__} instead of a reply")
    hits, alternatives = (tuple(islice(found, limit)) for found in (reply.hits, reply.alternatives))
    for hit in (*hits, *alternatives):
        if not (
            isinstance(hit, Hit) and isinstance(hit.title, str) and isinstance(hit.url, str) and isinstance(hit.content, str)
        ):
            raise Garbled("answered with something else than hits of text")
    if not isinstance(reply.pause, int | float):
        raise Garbled("answered with a pause that is no number")
    if len(hits) == len(reply.hits) and len(alternatives) == len(reply.alternatives):
        return reply
    return reply._replace(hits=hits, alternatives=alternatives)
