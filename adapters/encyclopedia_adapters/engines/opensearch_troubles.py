"""What an error of OpenSearch amounts to: one table from its kinds and statuses to our troubles, each with a remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import AuthRefused, RateLimited, Refused, SourceTrouble, Unavailable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia_adapters.engines.http_wire import HttpWire

BUSY = 429
BLOCKED = "cluster_block_exception"

_LATER = 5.0
_FORMING = 503
_PASSING = (0, 408)
_DENIED = {
    401: "does not let us in: correct the user and the password of its address",
    403: "does not let us do that: give the user of its address the right to",
}


class Missing(Refused):
    """There is no such index."""


def trouble(http: HttpWire, status: int, body: Any) -> SourceTrouble:
    """What an answer, or a part of one, amounts to; a part that tells no status has 0."""
    shown, kind, reason = http.shown, kind_of(body), http.told(_reason(body))
    if kind == "index_not_found_exception":
        return Missing(f"{shown}: {reason}; `encyclopedia corpus index NAME --rebuild` makes it anew")
    if kind == BLOCKED and status != _FORMING:
        remedy = "make room on its disks, then take index.blocks.read_only_allow_delete off"
        return Refused(f"{shown} takes no writes: {reason}; {remedy}")
    if status == BUSY:
        return RateLimited(f"{shown} has more to do than it can: {reason}", _LATER)
    if status in _DENIED:
        return AuthRefused(f"{shown} {_DENIED[status]} ({reason or status})")
    if status in _PASSING or status >= 500:  # noqa: PLR2004 - the class of statuses
        return Unavailable(f"{shown} is not well: {reason or status}; look at its health")
    return Refused(f"{shown} refused what was asked ({status}): {reason}")


def kind_of(body: Any) -> str:
    """The type of an error; empty without any."""
    return str(_error(body).get("type", ""))


def _reason(body: Any) -> str:
    error = _error(body)
    cause = error.get("caused_by")
    return str(cause.get("reason") if isinstance(cause, dict) else error.get("reason", ""))


def _error(body: Any) -> Mapping[str, Any]:
    error = body.get("error") if isinstance(body, dict) else None
    return error if isinstance(error, dict) else {}
