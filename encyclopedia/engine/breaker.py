"""The state machine of a circuit breaker, run by pybreaker over one record; loaded only when a state is about to change."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NoReturn

import pybreaker

if TYPE_CHECKING:
    from collections.abc import Callable

    from encyclopedia.engine.record import Record
    from encyclopedia.model.settings import BreakerSettings


class _Down(Exception):
    """Stands for any failure; pybreaker learns of it only after the call is over."""


def _fail() -> NoReturn:
    raise _Down


def _succeed() -> None:
    """Nothing went wrong."""


class RecordStorage(pybreaker.CircuitBreakerStorage):
    """pybreaker's storage over a plain record; the moment of opening is told by our clock, not by pybreaker's."""

    def __init__(self, record: Record, clock: Callable[[], float]) -> None:
        super().__init__("record")
        self._record = record
        self._clock = clock

    @property
    def state(self) -> str:
        """closed, open or half-open."""
        return self._record["state"]

    @state.setter
    def state(self, state: str) -> None:
        self._record["state"] = state

    def increment_counter(self) -> None:
        """One more failure in a row."""
        self._record["fails"] += 1

    def reset_counter(self) -> None:
        """No failure in a row."""
        self._record["fails"] = 0

    def increment_success_counter(self) -> None:
        """One more success of a probe."""
        self._record["succ"] += 1

    def reset_success_counter(self) -> None:
        """No success of a probe."""
        self._record["succ"] = 0

    @property
    def counter(self) -> int:
        """Failures in a row."""
        return self._record["fails"]

    @property
    def success_counter(self) -> int:
        """Successes of probes."""
        return self._record["succ"]

    @property
    def opened_at(self) -> datetime | None:
        """The moment of the last opening."""
        return datetime.fromtimestamp(self._record["opened_at"], UTC)

    @opened_at.setter
    def opened_at(self, _when: datetime) -> None:
        self._record["opened_at"] = self._clock()


class Machine:
    """Moves records from state to state; each method changes the record in place and raises nothing."""

    def __init__(self, settings: BreakerSettings, clock: Callable[[], float]) -> None:
        self._settings = settings
        self._clock = clock

    def _over(self, record: Record) -> pybreaker.CircuitBreaker:
        # built for every step (some microseconds), so that nothing of another process's state is remembered
        return pybreaker.CircuitBreaker(
            fail_max=self._settings.fail_max,
            reset_timeout=self._settings.cooldown,
            state_storage=RecordStorage(record, self._clock),
            throw_new_error_on_trip=False,
        )

    def probe(self, record: Record) -> None:
        """From open to half-open."""
        self._over(record).half_open()

    def succeed(self, record: Record) -> None:
        """A call came back well: closes a half-open circuit, forgets the failures of a closed one."""
        self._over(record).call(_succeed)

    def fail(self, record: Record) -> None:
        """A call failed: counts in a closed circuit and opens it at the limit, opens a half-open one."""
        with suppress(_Down):
            self._over(record).call(_fail)
