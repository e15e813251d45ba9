"""A circuit whose records come over a network: nobody waits for them on the event loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.engine.circuit import Circuit
from encyclopedia.engine.record import BLANK, OPEN, sound
from encyclopedia.engine.verdict import NEUTRAL, Verdict
from encyclopedia.model.plan import Health
from encyclopedia.model.status import Status

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from typing import TypeVar

    from encyclopedia.engine.circuit import Attempt, Permit, Work
    from encyclopedia.engine.record import Record
    from encyclopedia.model.outcome import Outcome
    from encyclopedia.model.plan import Ask

    R = TypeVar("R")

GONE = Verdict(Status.CANCELLED, NEUTRAL)
"""Of a call that nobody waits for any more."""


class DistantCircuit(Circuit):
    """As ``Circuit``, over a store whose looks ask nobody and whose changes take a while, so that they are made in a thread.

    Most calls change nothing: then there is no thread either. What changes a record (a failure, a probe, a recovery) is booked
    before the outcome is given back; a call that was cancelled leaves its booking behind, for which the next one waits.
    """

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._bookings: dict[str, asyncio.Future[None]] = {}

    async def __call__(self, ask: Ask, work: Work, way: Attempt | None = None) -> Outcome:
        """The outcome of the work; with a ``way`` of its own there is no event loop that could be held up."""
        if way is not None or self._load is None:
            return await super().__call__(ask, work, way)

        from encyclopedia.engine.attempt import attempt

        permit = await self._admitted(ask)
        if isinstance(permit, Health):
            return self._refused(ask.source, permit)
        verdict = GONE
        try:
            outcome, verdict = await attempt(ask, work)
        finally:  # nothing is awaited here: a cancelled call must still give its permit back
            booked = self._booked(ask.source, permit, verdict)
        if booked is not None:
            await _over(booked)
        return outcome

    async def _admitted(self, ask: Ask) -> Permit | Health:
        """As ``_admit``, in a thread where a record has to be changed for it."""
        if ask.source in self._bookings:
            await _over(self._bookings[ask.source])
        permit, changed = self._tried(ask.source, lambda record: self._admission(ask, record))
        if not changed:
            return permit
        import asyncio

        made = asyncio.get_running_loop().run_in_executor(None, self._admit, ask)
        try:
            return await asyncio.shield(made)
        except asyncio.CancelledError:
            made.add_done_callback(lambda done: self._returned(ask.source, done))
            raise

    def _returned(self, name: str, made: asyncio.Future[Permit | Health]) -> None:
        """Give back a permit that nobody waits for any more."""
        if made.cancelled() or made.exception() or isinstance(permit := made.result(), Health):
            return
        self._booked(name, permit, GONE)

    def _booked(self, name: str, permit: Permit, verdict: Verdict) -> asyncio.Future[None] | None:
        """Book the verdict; what is to be waited for, if that takes a while."""
        if verdict.booked == NEUTRAL and not permit[1] and not verdict.memorable:
            return None
        _, changed = self._tried(name, lambda record: self._settlement(record, permit, verdict))
        if changed:
            import asyncio

            task = asyncio.get_running_loop().run_in_executor(None, self._settle, name, permit, verdict)
            self._bookings[name] = task
            task.add_done_callback(lambda done: self._bookings.pop(name, None) if self._bookings.get(name) is done else None)
            return task
        if name in self._told and self._told[name][0] == OPEN:
            self._settle(name, permit, verdict)  # which changes nothing, but may have something to tell
        return None

    def _tried(self, name: str, change: Callable[[Record], R]) -> tuple[R, bool]:
        """What a change gives, and whether it would change anything; it changes nothing yet."""
        peeked = self._peeked(name)
        record = sound(peeked) if peeked else BLANK
        trial = record.copy()
        answer = change(trial)
        return answer, trial != record


async def _over(booking: asyncio.Future[None]) -> None:
    """Until a booking has ended, for better or worse; one that belongs to another event loop is not waited for."""
    import asyncio

    if booking.get_loop() is asyncio.get_running_loop():
        await asyncio.wait((booking,))
