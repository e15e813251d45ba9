"""Everything that can go wrong, in one tree.

EncyclopediaError                      what a face shows: one sentence, a remedy, an exit code
├── UsageError             code 64     the command line does not parse
├── ConfigurationError     code 1      the operator's move: key, setting, unknown source or corpus, CLI not found
├── NothingFound           code 2      asked and answered: no result
├── NoSourceAnswered       code 3      the world: every planned source failed
└── InternalError          code 4      ours: a defect

SourceTrouble                          what a source may raise; the circuit turns it into an outcome
├── Unavailable            unavailable counted by the breaker: 5xx, 408, 425, no connection
├── Garbled                error       counted: not the promised format
├── RateLimited            rate_limited a gate for the told time, not a failure
├── AuthRefused            auth        configuration: 401, 403
├── QuotaSpent             quota       configuration: 402
└── Refused                error       neutral: the request was wrong or not allowed (400, 404, 422, a guarded address)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from encyclopedia.model.status import Status

if TYPE_CHECKING:
    from collections.abc import Mapping


class EncyclopediaError(Exception):
    """An error for a person: ``message`` is one sentence, ``hint`` the remedy, ``details`` goes into the JSON form."""

    code: ClassVar[int] = 4

    def __init__(self, message: str, hint: str = "", details: Mapping[str, object] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.details = dict(details or {})

    def to_dict(self) -> dict[str, object]:
        """The JSON form: ``schema_version``, ``status`` (``error``), ``code``, ``message``, a ``hint`` if any, the details."""
        body: dict[str, object] = {"schema_version": 1, "status": "error", "code": self.code, "message": self.message}
        if self.hint:
            body["hint"] = self.hint
        return body | self.details


class UsageError(EncyclopediaError):
    """The command line or the call does not parse."""

    code = 64


class ConfigurationError(EncyclopediaError):
    """The operator's move: a key, a setting, an unknown name, a program that is not there."""

    code = 1


class NothingFound(EncyclopediaError):
    """Asked and answered: no result."""

    code = 2


class NoSourceAnswered(EncyclopediaError):
    """Every planned source failed or was refused."""

    code = 3


class InternalError(EncyclopediaError):
    """A defect of ours; details stay inside."""

    code = 4


class SourceTrouble(Exception):
    """What became of a source that did not answer; ``counts`` tells whether the breaker counts it as a failure."""

    status: ClassVar[Status] = Status.ERROR
    counts: ClassVar[bool] = False


class Unavailable(SourceTrouble):
    """The source is not there or not well."""

    status = Status.UNAVAILABLE
    counts = True


class Garbled(SourceTrouble):
    """The source answered something else than it promised."""

    status = Status.ERROR
    counts = True


class RateLimited(SourceTrouble):
    """The source asks us to wait ``retry_after`` seconds."""

    status = Status.RATE_LIMITED

    def __init__(self, reason: str, retry_after: float) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class AuthRefused(SourceTrouble):
    """The key is missing or not accepted."""

    status = Status.AUTH


class QuotaSpent(SourceTrouble):
    """The account has no calls left."""

    status = Status.QUOTA


class Refused(SourceTrouble):
    """The request itself was refused, by the source or by one of our guards; asking again will not help."""

    status = Status.ERROR
