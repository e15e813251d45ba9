"""What the breaker remembers of a source, and what that means at a given moment."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, TypedDict, cast

from encyclopedia.model.plan import Health

if TYPE_CHECKING:
    from encyclopedia.model.settings import BreakerSettings

CLOSED, OPEN, HALF_OPEN = "closed", "open", "half-open"
SKEW = 60.0
"""Seconds by which clocks may differ before a time ahead of ours is no longer believed."""
HEALTHY = Health()


class Record(TypedDict):
    """The breaker's memory of one source; times in wall-clock seconds, ``epoch`` counts the changes of state."""

    state: str
    fails: int
    succ: int
    opened_at: float
    epoch: int
    probe: str
    probe_until: float
    gate_until: float
    error: str
    error_at: float


BLANK: Record = {
    "state": CLOSED,
    "fails": 0,
    "succ": 0,
    "opened_at": 0.0,
    "epoch": 0,
    "probe": "",
    "probe_until": 0.0,
    "gate_until": 0.0,
    "error": "",
    "error_at": 0.0,
}


def sound(raw: dict[str, object]) -> Record:
    """``raw`` itself, made a record: what is missing, foreign or damaged becomes blank."""
    for name, blank in BLANK.items():
        if not _fits(raw.get(name), blank):
            raw[name] = blank
    if raw["state"] not in (CLOSED, OPEN, HALF_OPEN):
        raw["state"] = CLOSED
    return cast("Record", raw)


def _fits(value: object, blank: object) -> bool:
    if isinstance(blank, str):
        return isinstance(value, str)
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0 or not isfinite(value):
        return False
    return isinstance(blank, float) or isinstance(value, int)


def calm(record: Record) -> bool:
    """Whether there is nothing to remember: a success would change nothing."""
    return record["state"] == CLOSED and not record["fails"] and not record["gate_until"] and not record["error"]


def health_of(record: Record, now: float, settings: BreakerSettings) -> Health:
    """Whether a call may go out at ``now``, and if not, until when.

    A time further ahead than the settings can have put it comes from a clock that was set back, and binds nobody: else the
    source would stay closed until that clock's time comes again.
    """
    known = (record["error"], record["error_at"], record["fails"])
    if now < (gate := record["gate_until"]) <= now + settings.max_gate + SKEW:
        return Health("rate_limited", gate, *known)
    if record["state"] == OPEN:
        due = record["opened_at"] + settings.cooldown
        if now < due <= now + settings.cooldown + SKEW:
            return Health("open", due, *known)
    elif record["probe"] and now < (lease := record["probe_until"]) <= now + settings.max_gate + SKEW:
        return Health("probing", lease, *known)
    return Health("healthy", 0.0, *known) if record["error"] else HEALTHY
