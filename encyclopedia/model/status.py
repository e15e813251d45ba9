"""The named outcomes of a source."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """The named outcomes of a source."""

    OK = "ok"
    EMPTY = "empty"
    TIMEOUT = "timeout"
    RATE_LIMITED = "rate_limited"
    AUTH = "auth"
    QUOTA = "quota"
    UNAVAILABLE = "unavailable"
    ERROR = "error"
    REFUSED = "refused"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"
