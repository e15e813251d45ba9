"""One table from what goes wrong with an MCP server to what became of the source; the server's own words stay out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from encyclopedia.model.errors import AuthRefused, Garbled, QuotaSpent, RateLimited, Refused, SourceTrouble, Unavailable

if TYPE_CHECKING:
    from encyclopedia_adapters.generic.mcp_connect import Told

CLOSED, TIMED_OUT = -32000, -32001
_KEYS = frozenset({401, 402, 403, 429})
_PARSE = -32700
_OURS = frozenset({-32602, -32601, -32600})
_SPENT = re.compile(r"quota|credits?\b|payment", re.IGNORECASE)
_LIMIT = re.compile(r"rate.?limit|too many requests|\b429\b", re.IGNORECASE)
_AUTH = re.compile(r"unauthori[sz]ed|forbidden|api.?key|\b40[13]\b", re.IGNORECASE)
_OUR_FAULT = re.compile(r"unknown tool|validation error|invalid arguments?|input validation", re.IGNORECASE)
_WAIT = 60.0
_READ = 2000


def first_cause(error: BaseException) -> BaseException:
    """What stands inside a group of exceptions, however deep."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


class Lost(Unavailable):
    """A connection that was open has ended; a new one may do better."""


def lost(error: BaseException) -> bool:
    """Whether the connection has ended."""
    error = first_cause(error)
    if getattr(error, "code", None) == CLOSED or _kind(error) in ("ClosedResourceError", "BrokenResourceError"):
        return True
    return _kind(error) == "MCPError" and "session terminated" in str(error).lower()


def trouble(name: str, error: BaseException, told: Told | None) -> Exception:
    """The trouble that an exception, or the first in a group, amounts to; one of ours stays as it is."""
    error = first_cause(error)
    if isinstance(error, SourceTrouble | TimeoutError):
        return error
    if told is not None and (told.status in _KEYS or told.status >= 500):  # noqa: PLR2004 - the class of statuses
        from encyclopedia_adapters.shared.status import trouble as of_status

        return of_status(name, told.status, told.headers, ("", None))
    if isinstance(error, FileNotFoundError | NotADirectoryError | PermissionError):
        return Refused(f"cli_not_found: the program of {name} cannot be started")
    if isinstance(error, OSError) or type(error).__module__.startswith(("httpx2", "httpcore", "anyio")):
        return Unavailable(f"{name} could not be reached or broke off")
    return _of_protocol(name, error)


def _of_protocol(name: str, error: BaseException) -> Exception:
    code = getattr(error, "code", None)
    if code == TIMED_OUT:
        return TimeoutError(f"{name} did not answer in time")
    if _kind(error) != "MCPError":
        return Garbled(f"{name} does not keep to the protocol ({_kind(error)})")
    if code in _OURS:
        return Refused(f"{name} does not take the request (MCP error {code})")
    return (
        Garbled(f"{name} answered what cannot be read")
        if code == _PARSE
        else Unavailable(f"{name} could not be reached or broke off")
    )


def failed_tool(name: str, text: str) -> SourceTrouble:
    """What a tool's error amounts to, by the words that such texts have in common."""
    text = text[:_READ]
    if _LIMIT.search(text):
        return RateLimited(f"{name} says that its limit is reached", _WAIT)
    if _SPENT.search(text):
        return QuotaSpent(f"{name} says that the quota is used up")
    if _AUTH.search(text):
        return AuthRefused(f"{name} says that the key is missing or not accepted")
    if _OUR_FAULT.search(text):
        return Refused(f"{name} does not take the arguments of the table")
    return Unavailable(f"{name} could not do it")


def _kind(error: BaseException) -> str:
    return type(error).__name__
