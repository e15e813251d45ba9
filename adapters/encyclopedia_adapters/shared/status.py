"""One table from an HTTP answer to what became of the source, and how long it wants to be left alone."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from encyclopedia.model.errors import AuthRefused, QuotaSpent, RateLimited, Refused, SourceTrouble, Unavailable

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_WAIT = 60.0
LONGEST_WAIT = 3600.0
_ABSOLUTE = 1e9  # a reset beyond this is a point in Unix time, not a number of seconds
_MILLISECONDS = 1e11

_NOTHING = re.compile(
    r"\bno[ _-](?:\w+[ _-]){0,3}found\b|\bnothing[ _-](?:was[ _-])?found\b"
    r"|\bno[ _-](?:search[ _-])?(?:results?|matches|match|hits)\b",
    re.IGNORECASE,
)
_SPENT = re.compile(
    r"insufficient[ _-](?:quota|balance|credits?|funds)|not enough credits?|quota[ _-](?:exceeded|exhausted|used up)"
    r"|out of credits?|credits? (?:exhausted|used up|depleted)|payment[ _-]required|insufficientbalance",
    re.IGNORECASE,
)
_RESETS = ("ratelimit-reset", "x-ratelimit-reset", "x-rate-limit-reset")
_BODY_WAITS = ("retry_after_seconds", "retry_after", "retryAfter", "backoff")
_CODES = ("code", "tag", "type", "name")
_ERRORS = ("error", "errors")
_MEMBERS = 10
_SPENT_STATUSES = frozenset({402, 432, 433})
_PASSING_CLIENT = frozenset({408, 425})
_WRAPPED = {500: 408, 502: 429, 503: 408}  # Stack Exchange tells each of its troubles with 400 and a number of its own


class Passing(Unavailable):
    """Not there at this moment: asking once more may help."""


def nothing_found(status: int, text: str, statuses: tuple[int, ...] = (404,)) -> bool:
    """Whether an error says that the search went well and found nothing; a page of HTML never says so."""
    return status in statuses and "<html" not in text[:2000].lower() and _NOTHING.search(text[:4000]) is not None


def error_codes(body: object) -> tuple[str, ...]:
    """By which codes the JSON body of an error names what is wrong: its own, and those of its ``error`` or list of errors."""
    if isinstance(body, list):
        return tuple(code for member in body[:_MEMBERS] for code in error_codes(member))
    if not isinstance(body, dict):
        return ()
    own = tuple(str(body[name]) for name in _CODES if isinstance(body.get(name), str | int))
    return own + tuple(code for name in _ERRORS for code in error_codes(body.get(name)))


def trouble(host: str, status: int, headers: Mapping[str, str], body: tuple[str, object]) -> SourceTrouble:
    """What an answer outside 2xx means.

    ``headers`` have lower-case names, ``body`` is the text and the JSON value read from it (``None`` if it is not JSON).
    Messages name the host and the status only, never the address or the source's own words.
    """
    text, data = body
    said = f"{host} answered HTTP {status}"
    status = _unwrapped(status, data)
    if status in _SPENT_STATUSES or (status in (400, 401, 403) and _SPENT.search(text[:4000])):
        return QuotaSpent(f"{said}: the quota is used up")
    if status == 429 or (status == 403 and _asks_to_wait(headers, body)):  # noqa: PLR2004 - the statuses themselves
        return RateLimited(f"{said}: too many requests", wait(headers, data))
    if status in (401, 403):
        return AuthRefused(f"{said}: the key is missing or not accepted")
    if status in _PASSING_CLIENT or (status >= 500 and "retry-after" in headers):  # noqa: PLR2004 - the class of statuses
        return Unavailable(said)
    if status >= 500:  # noqa: PLR2004 - the class of statuses
        return Passing(said)
    return Refused(said)


def _unwrapped(status: int, data: object) -> int:
    """The status that a 400 stands for."""
    number = data.get("error_id") if status == 400 and isinstance(data, dict) else None  # noqa: PLR2004 - the status itself
    return _WRAPPED.get(number, status) if isinstance(number, int) else status


def _asks_to_wait(headers: Mapping[str, str], body: tuple[str, object]) -> bool:
    """Whether a 403 is a limit and not a question of keys; GitHub tells its secondary limits in words only."""
    text, data = body
    return _limited(headers) or _from_body(data) is not None or "rate limit" in text[:4000].lower()


def _limited(headers: Mapping[str, str]) -> bool:
    return headers.get("x-ratelimit-remaining", "").strip() == "0" or "retry-after" in headers


def wait(headers: Mapping[str, str], data: object = None, *, now: float | None = None) -> float:
    """Seconds to wait, 1 to 3600.

    From ``Retry-After`` (seconds or HTTP date), else a rate-limit reset header (seconds from now or Unix time), else a field
    of the JSON body, else 60.
    """
    moment = datetime.now(UTC).timestamp() if now is None else now
    told = _retry_after(headers.get("retry-after", ""), moment)
    if told is None:
        told = _reset(headers, moment)
    if told is None:
        told = _from_body(data)
    return min(max(DEFAULT_WAIT if told is None else told, 1.0), LONGEST_WAIT)


def _retry_after(value: str, now: float) -> float | None:
    value = value.strip()
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", value, re.ASCII):
        return float(value)
    try:
        when = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() - now


def _reset(headers: Mapping[str, str], now: float) -> float | None:
    """The reset of the window that is used up; a comma list holds one number for each window."""
    if match := re.search(r"\bt=(\d{1,9})\b", headers.get("ratelimit", ""), re.ASCII):
        return float(match[1])
    name = next((name for name in _RESETS if name in headers), "")
    numbers = re.findall(r"\d+(?:\.\d+)?", headers.get(name, "")[:200], re.ASCII)
    if not numbers:
        return None
    remaining = [part.strip() for part in headers.get(name.replace("reset", "remaining"), "").split(",")]
    spent = [reset for reset, left in zip(numbers, remaining, strict=False) if left == "0"]
    seconds = float((spent or numbers)[0])
    if seconds > _MILLISECONDS:
        seconds /= 1000
    return seconds - now if seconds > _ABSOLUTE else seconds


def _from_body(data: object) -> float | None:
    if not isinstance(data, dict):
        return None
    for name in _BODY_WAITS:
        value = data.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _ABSOLUTE:
            return float(value)
    said = data.get("error_message")
    if isinstance(said, str) and (match := re.search(r"\bin (\d{1,9}) seconds\b", said[:500], re.ASCII)):
        return float(match[1])
    return _from_body(data.get("error"))
