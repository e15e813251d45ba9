"""How long each source is waited for: learned from its own answers, never longer than it is configured."""

from __future__ import annotations

from collections import deque
from math import inf
from typing import TYPE_CHECKING

from encyclopedia.model.plan import Waiting
from encyclopedia.model.status import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from encyclopedia.engine.profile import Measured
    from encyclopedia.model.outcome import Outcomes
    from encyclopedia.model.plan import Ask, Plan
    from encyclopedia.model.settings import PatienceSettings

WINDOW = 200
"""Answers of one source that are remembered."""
COLD = 50
"""Answers before anything is concluded from them."""
LEAST = 1.0
"""Seconds that every source gets, however quick it was: a pause of the machine is not its doing."""


def nothing_known(_source: str) -> Sequence[float]:
    """What stands for the memory of others where there is none."""
    return ()


def measured(profile: Mapping[tuple[str, str], Measured], source: str) -> list[float]:
    """The seconds of a source's answers in its profile, of whatever type of question; ``inf`` for what came too late."""
    from encyclopedia.engine.profile import FAILED, TIMEOUT  # only where a profile may change anything

    samples = (sample for (name, _), made in profile.items() if name == source for sample in made.window)
    return [inf if sample.outcome == TIMEOUT else sample.ms / 1000 for sample in samples if sample.outcome != FAILED]


class Patience:
    """Remembers how long answers took and fits plans to it.

    ``latencies`` gives seconds that were measured elsewhere, by other processes for example: ``inf`` for a call that was not
    answered in time. They are asked for once for each source.
    """

    def __init__(self, settings: PatienceSettings, latencies: Callable[[str], Sequence[float]] = nothing_known) -> None:
        self._settings, self._latencies = settings, latencies
        self._seen: dict[str, deque[float]] = {}
        self._worked_out: dict[str, float] = {}

    def fit(self, plan: Plan, free: Callable[[str], bool]) -> Plan:
        """The plan with the soft deadline, and with each source's learned budget and time of a second request.

        ``free`` tells whether a second request to a source costs nobody anything. The first call after a failure gets all
        the time that is configured: so a source that has become slow is not taken for one that is down.
        """
        known = [self._waiting(plan, ask, free) for ask in plan.asks]
        found = {ask.source: made for ask, made in zip(plan.asks, known, strict=True) if made is not None}
        if not found and not self._settings.soft:
            return plan
        return plan._replace(
            asks=tuple(_within(ask, found.get(ask.source)) for ask in plan.asks),
            soft_deadline=self._settings.soft,
            waiting=found,
        )

    def _waiting(self, plan: Plan, ask: Ask, free: Callable[[str], bool]) -> Waiting | None:
        settings, limit = self._settings, ask.request.timeout
        p95 = self._p95(ask.source) if settings.budget or settings.hedge else None
        if p95 is None:
            return None
        health = plan.health.get(ask.source)
        trusted = settings.budget and not (health and health.fails)
        budget = min(limit, max(LEAST, settings.budget * p95)) if trusted else limit
        hedge = p95 if settings.hedge and free(ask.source) and p95 < budget else 0.0
        return Waiting(limit, min(p95, limit), budget, hedge)

    def _p95(self, source: str) -> float | None:
        seen = self._of(source)
        if len(seen) < COLD:
            return None
        known = self._worked_out.get(source)
        if known is None:
            known = self._worked_out[source] = sorted(seen)[int(len(seen) * 0.95)]
        return known

    def _of(self, source: str) -> deque[float]:
        if source not in self._seen:
            self._seen[source] = deque(self._latencies(source), WINDOW)
        return self._seen[source]

    def learn(self, found: Outcomes) -> None:
        """Remember how long each answer took; one that did not come in time took longer than anything that is known."""
        for outcome in found.outcomes:
            if outcome.answered:
                self._note(outcome.source, outcome.seconds)
            elif outcome.status is Status.TIMEOUT:
                self._note(outcome.source, inf)

    def _note(self, source: str, seconds: float) -> None:
        """One more answer; the percentile stands where one on the same side of it has gone."""
        seen, known = self._of(source), self._worked_out.pop(source, None)
        if known is not None and len(seen) == WINDOW and (max(seconds, seen[0]) < known or min(seconds, seen[0]) > known):
            self._worked_out[source] = known
        seen.append(seconds)


def _within(ask: Ask, waiting: Waiting | None) -> Ask:
    if waiting is None or waiting.budget >= ask.request.timeout:
        return ask
    return ask._replace(request=ask.request._replace(timeout=waiting.budget))
