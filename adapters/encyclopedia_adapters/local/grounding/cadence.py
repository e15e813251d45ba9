"""Whether the upstream of a corpus was looked at as often as its manifest promises."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.local.grounding.shape import as_date

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

DAYS = {
    "daily": 1,
    "weekly": 7,
    "biweekly": 14,
    "fortnightly": 14,
    "monthly": 31,
    "bimonthly": 62,
    "quarterly": 92,
    "half-yearly": 184,
    "semiannually": 184,
    "biannually": 184,
    "yearly": 366,
    "annually": 366,
}
UNITS = {"day": 1, "d": 1, "week": 7, "w": 7, "month": 31, "m": 31, "quarter": 92, "year": 366, "y": 366}
NEVER = ("never", "none", "static", "frozen", "on-demand")


def days_of(cadence: str) -> int | None:
    """Days between two looks at the upstream, 0 for a corpus that needs none; ``None`` for words that are not known."""
    word = "-".join(cadence.lower().split())
    if word in NEVER:
        return 0
    if word in DAYS:
        return DAYS[word]
    match = re.fullmatch(r"(?:every-)?(\d{1,4})-?([a-z]+?)s?", word)
    return int(match[1]) * UNITS[match[2]] if match and match[2] in UNITS else None


def overdue(manifest: Mapping[str, Any], today: date | None = None) -> str:
    """A sentence if the next look at the upstream is overdue, else empty."""
    checked, days = as_date(manifest["upstream"]["last_checked"]), days_of(manifest["refresh_cadence"])
    now = today or datetime.now(UTC).date()
    if checked is None or not days or now <= checked + timedelta(days=days):
        return ""
    told = f"{manifest['upstream']['repo']} was last checked on {checked}, {(now - checked).days} days ago"
    return f"stale: {told}, and the refresh cadence is {manifest['refresh_cadence']}"


def oddities(manifest: Mapping[str, Any], today: date | None = None) -> tuple[str, ...]:
    """What makes it impossible to say when the next look is due."""
    checked, now = as_date(manifest["upstream"]["last_checked"]), today or datetime.now(UTC).date()
    found = []
    if days_of(manifest["refresh_cadence"]) is None:
        known = ", ".join(DAYS)
        found.append(f"refresh_cadence {manifest['refresh_cadence']!r} is not known, nothing is ever overdue; known: {known}")
    if checked and checked > now + timedelta(days=1):
        found.append(f"upstream.last_checked {checked} is still to come")
    return tuple(found)
