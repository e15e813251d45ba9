"""Admission and book-keeping: sources that keep failing are left alone for a while."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from encyclopedia.engine.record import BLANK, CLOSED, HALF_OPEN, HEALTHY, OPEN, Record, calm, health_of, sound
from encyclopedia.engine.verdict import FAIL, LIMITED, NEUTRAL, OK, Verdict, sentence
from encyclopedia.model.plan import Health
from encyclopedia.model.status import Status

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from typing import TypeVar

    from encyclopedia.engine.breaker import Machine
    from encyclopedia.keeping import RecordStore
    from encyclopedia.model.outcome import Outcome, Reply
    from encyclopedia.model.plan import Ask
    from encyclopedia.model.settings import BreakerSettings

    R = TypeVar("R")
    Work = Callable[[], Awaitable[Reply]]
    Attempt = Callable[[Ask, Work], Awaitable[tuple[Outcome, Verdict]]]
    Clock = Callable[[], float]
    Permit = tuple[int, str]
    Told = tuple[str, int, RecordStore | None]

NOTHING: Told = ("", 0, None)
GRACE = 5.0
"""Seconds that a probe's lease outlives its timeout, so that a killed process holds others off only so long."""


def load_machine(settings: BreakerSettings, clock: Clock) -> Machine:
    """The state machine on pybreaker; give this to ``Circuit`` where pybreaker is installed."""
    from encyclopedia.engine.breaker import Machine  # pybreaker is loaded when something has failed

    return Machine(settings, clock)


class Circuit:
    """Admission and book-keeping around a source's work; callable as ``await circuit(ask, work)``.

    ``stores`` are the shared one and the one used while that does not work. ``machine`` loads the state machine when first
    needed; without it everybody is admitted and nothing is remembered. ``notify`` is called once when a source's circuit
    opens and once when it has recovered, with name, state before and state after. ``clock`` gives wall-clock seconds.
    """

    max_age: float = 0.0
    """Seconds for which a server may go on believing that a source is well without looking into the store."""

    def __init__(
        self,
        stores: tuple[RecordStore, RecordStore],
        settings: BreakerSettings,
        *,
        machine: Callable[[BreakerSettings, Clock], Machine] | None = None,
        notify: Callable[[str, str, str], None] | None = None,
        clock: Clock = time.time,
    ) -> None:
        self._store, self._fallback = stores
        self._settings, self._load, self._notify, self._clock = settings, machine, notify, clock
        self._loaded: Machine | None = None
        self._believed: dict[str, tuple[float, Permit]] = {}
        self._broken_until = 0.0
        self._told: dict[str, Told] = {}
        self.problem = ""

    async def __call__(self, ask: Ask, work: Work, way: Attempt | None = None) -> Outcome:
        """The outcome of the work; raises only what is no ``Exception``, such as cancellation.

        ``way`` is another way to make an outcome of it than within the timeout of an event loop.
        """
        from encyclopedia.engine.attempt import attempt  # routing, which only looks, has no use for it

        attempted = way or attempt
        if self._load is None:
            return (await attempted(ask, work))[0]
        permit = self._admit(ask)
        if isinstance(permit, Health):
            return self._refused(ask.source, permit)
        verdict = Verdict(Status.CANCELLED, NEUTRAL)
        try:
            outcome, verdict = await attempted(ask, work)
        finally:  # nothing is awaited here: a cancelled call must still give its permit back
            self._settle(ask.source, permit, verdict)
        return outcome

    def health(self, names: Iterable[str]) -> dict[str, Health]:
        """How each source stands; reads only."""
        return {name: self._look(name) for name in names}

    def _look(self, name: str) -> Health:
        if self._load is None:
            return HEALTHY
        record = self._peeked(name)
        return health_of(sound(record), self._clock(), self._settings) if record else HEALTHY

    def _peeked(self, name: str) -> dict[str, object] | None:
        try:
            return self._current().peek(name)
        except Exception as error:  # noqa: BLE001 - a store may raise what it likes; we work without it
            self._breaks(error)
            return self._fallback.peek(name)

    def _machine(self) -> Machine:
        if self._loaded is None:
            assert self._load is not None  # noqa: S101 - for the type checker: asked only where there is a machine
            self._loaded = self._load(self._settings, self._clock)
        return self._loaded

    def _admit(self, ask: Ask) -> Permit | Health:
        since, permit = self._believed.get(ask.source, (0.0, (0, "")))
        if self.max_age and 0.0 <= self._clock() - since <= self.max_age:
            return permit
        return self._step(ask.source, lambda record: self._admission(ask, record))

    def _admission(self, ask: Ask, record: Record) -> Permit | Health:
        now = self._clock()
        health = health_of(record, now, self._settings)
        if not health.admits:
            return health
        if record["state"] == CLOSED:
            if self.max_age and calm(record):
                self._believed[ask.source] = now, (record["epoch"], "")
            return record["epoch"], ""
        if record["state"] == OPEN:
            self._machine().probe(record)
        record["probe"], record["probe_until"] = os.urandom(8).hex(), now + ask.request.timeout + GRACE
        return record["epoch"], record["probe"]

    def _settle(self, name: str, permit: Permit, verdict: Verdict) -> None:
        if verdict.booked == NEUTRAL and not permit[1] and not verdict.memorable:
            return
        if verdict.booked != OK or verdict.retry_after or self._told.get(name, NOTHING)[0] == OPEN:
            self._believed.pop(name, None)
        elif not permit[1] and name in self._believed and self._clock() - self._believed[name][0] <= self.max_age:
            return
        change = self._step(name, lambda record: self._settlement(record, permit, verdict))
        # a probe that fails again is no news
        if change[:2] in ((CLOSED, OPEN), (HALF_OPEN, CLOSED)):
            self._announce(name, *change)
        elif verdict.booked == OK and change[1] == CLOSED and self._told.get(name, NOTHING)[0] == OPEN:
            self._make_good(name, change[2])

    def _announce(self, name: str, before: str, after: str, epoch: int) -> None:
        """Tell of a change, but not again what was told already when the record was lost or the other store was in use.

        Twice the same is news where the epoch went on: another process has told what lay between.
        """
        news = self._told.get(name, NOTHING)[0] != after or not self._of_another(name, epoch)
        self._told[name] = after, epoch, self._current()
        if news and self._notify is not None:
            with suppress(Exception):
                self._notify(name, before, after)

    def _make_good(self, name: str, epoch: int) -> None:
        """Tell of a recovery that no record shows, as that of the opening was lost; one of another process is told already."""
        if self._of_another(name, epoch):
            self._announce(name, OPEN, CLOSED, epoch)
        else:
            self._told[name] = CLOSED, epoch, self._current()

    def _of_another(self, name: str, epoch: int) -> bool:
        """Whether what was told last was told of a record that was lost since, or of one in the other store."""
        _, then, store = self._told.get(name, NOTHING)
        return epoch <= then or store is not self._current()

    def _settlement(self, record: Record, permit: Permit, verdict: Verdict) -> tuple[str, str, int]:
        """Book the verdict; the state before and after, and the epoch.

        An answer from an earlier epoch or a lapsed probe moves nothing.
        """
        before, now = record["state"], self._clock()
        if verdict.booked == LIMITED or verdict.retry_after:  # in this order ``max`` sorts out a wait that is not a number
            wait = min(max(1.0, verdict.retry_after or 0.0), self._settings.max_gate)
            record["gate_until"] = max(record["gate_until"], now + wait)
        if verdict.booked == LIMITED:  # before what an earlier epoch may not touch
            record["error"], record["error_at"] = verdict.reason, now
        if (record["epoch"], record["probe"]) != permit or (not permit[1] and before != CLOSED):
            return before, before, record["epoch"]
        if verdict.booked == OK:
            if record["fails"] or before != CLOSED:
                self._machine().succeed(record)
            record["error"], record["error_at"] = "", 0.0
            record["gate_until"] = record["gate_until"] if record["gate_until"] > now else 0.0
        elif verdict.booked == FAIL:
            self._machine().fail(record)
        if verdict.memorable:  # also one that counts nothing: whoever looks at the source wants to know it
            record["error"], record["error_at"] = verdict.reason, now
        record["probe"], record["probe_until"] = "", 0.0
        record["epoch"] += record["state"] != before
        return before, record["state"], record["epoch"]

    def _refused(self, name: str, health: Health) -> Outcome:
        left = max(0.0, health.until - self._clock())
        why = {
            "rate_limited": f"rate limited, next call in {left:.0f} s",
            "probing": "failed before, and another call is trying it just now",
        }.get(health.state, f"left alone after repeated failures, next try in {left:.0f} s")
        reason = f"{why} ({health.last_error})" if health.last_error else why
        from encyclopedia.model.outcome import Outcome

        return Outcome(name, Status.REFUSED, reason=reason, retry_after=left)

    def _current(self) -> RecordStore:
        return self._fallback if self._clock() < self._broken_until else self._store

    def _breaks(self, error: Exception) -> None:
        self._broken_until = self._clock() + self._settings.cooldown
        self.problem = f"breaker records are kept in memory only: {sentence(error) or type(error).__name__}"

    def _step(self, name: str, change: Callable[[Record], R]) -> R:
        try:
            return _transact(self._current(), name, change)
        except Exception as error:  # noqa: BLE001 - a store may raise what it likes; we work without it
            self._breaks(error)
            return _transact(self._fallback, name, change)


def _transact(store: RecordStore, name: str, change: Callable[[Record], R]) -> R:
    """Try the change on a copy first: a healthy call changes nothing, so it only reads."""
    peeked = store.peek(name)
    record = sound(peeked) if peeked else BLANK
    trial = record.copy()
    answer = change(trial)
    if trial == record:
        return answer
    return store.step(name, lambda raw: change(sound(raw)))
