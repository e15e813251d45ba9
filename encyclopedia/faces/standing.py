"""How a source stands and what to do about it, in words for people."""

from __future__ import annotations

from time import localtime, strftime, time
from typing import TYPE_CHECKING

from encyclopedia.model.status import Status
from encyclopedia.ports import Key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from encyclopedia.model.outcome import Outcome
    from encyclopedia.model.plan import Declined, Health, Plan
    from encyclopedia.ports import Requirement
    from encyclopedia.wiring.catalog import Entry

MINUTE, HOUR, DAY = 60, 3600, 86400


def age(seconds: float) -> str:
    """A time span in words: ``41 s``, ``7 min``, ``2 h``."""
    if seconds < MINUTE:
        return f"{seconds:.0f} s"
    return f"{seconds / MINUTE:.0f} min" if seconds < HOUR else f"{seconds / HOUR:.0f} h"


def in_words(health: Health, now: float | None = None) -> str:
    """What the breaker knows of a source: until when it is left alone, or how its last call failed; empty if all is well."""
    moment = time() if now is None else now
    told = {
        "healthy": f"the last call failed {age(max(moment - health.failed_at, 0.0))} ago" if health.last_error else "",
        "open": f"left alone until {_clock(health.until, moment)} after {_failures(health.fails)}",
        "rate_limited": f"rate limited until {_clock(health.until, moment)}",
        "probing": "failed before, and another call is trying it just now",
    }.get(health.state, health.state.replace("_", " "))
    return f"{told}: {health.last_error}" if health.last_error else told


def _clock(until: float, now: float) -> str:
    """The time of the day, with seconds where there is less than a minute to wait and with the date after a day."""
    left = until - now
    return strftime("%H:%M:%S" if left < MINUTE else "%H:%M" if left < DAY else "%Y-%m-%d %H:%M", localtime(until))


def _failures(number: int) -> str:
    return f"{number} failure{'' if number == 1 else 's'}" if number else "repeated failures"


def reason_of(plan: Plan, left: Declined) -> str:
    """Why a source was left out; of one that its breaker holds back until when, and its last error."""
    health = plan.health.get(left.source)
    return in_words(health) if left.refused and health and health.last_error else left.reason


def failure(outcome: Outcome) -> str:
    """One failed source with status and reason: ``wiki: unavailable — 127.0.0.1:9 cannot be reached``."""
    status = outcome.status.value.replace("_", " ")
    reason = outcome.reason if outcome.reason not in ("", status) else ""
    return f"{outcome.source}: {status}{f' — {reason}' if reason else ''}"


def remedy(entry: Entry, outcome: Outcome | None = None, *, held: bool = False) -> str:
    """What to do about a source that failed; ``outcome`` says how, without it only that it did.

    ``held`` says that it is left alone for now.
    """
    name, keys = entry.card.name, _keys((*entry.card.requires, *entry.card.accepts))
    where = f"[sources.{name}] in the configuration file" if "kind" in entry.options else ""
    if entry.card.corpus:
        return f"`encyclopedia corpus check {name}` says what is wrong"
    wait = outcome.retry_after if outcome else None
    later = f"ask again in {age(wait)}" if wait else "ask again later"
    # a key that is only accepted is the least likely cause of a failure that nobody has told more about
    checked = " and ".join(part for part in (where, _keys(entry.card.requires)) if part)
    again = f"the {'first search after that' if held else 'next search'} asks it again"
    told = {
        Status.AUTH: f"check {keys or where or 'its credentials'}: it is not accepted",
        Status.QUOTA: "wait until there are calls again, or use an account that has some",
        Status.RATE_LIMITED: later,
        Status.REFUSED: later,
        Status.TIMEOUT: f"ask again, or set a longer timeout in [sources.{name}], or --timeout for the whole query",
        Status.UNAVAILABLE: f"check the network{f' and {where}' if where else ''}; {again}",
        Status.ERROR: f"check what stands in {where}" if where else f"ask again; if it stays, tell whoever maintains {name}",
        None: f"check {checked}; {again}" if checked else again,
    }
    return told.get(outcome.status if outcome else None, "ask again")


def _keys(needs: Iterable[Requirement]) -> str:
    return ", ".join(need.name for need in needs if isinstance(need, Key))
