"""What an exception says: the status to show, whether the breaker counts it, and a reason fit for anybody's eyes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.model.errors import RateLimited, SourceTrouble
from encyclopedia.model.status import Status

if TYPE_CHECKING:
    from collections.abc import Iterator

OK, FAIL, LIMITED, NEUTRAL = "ok", "fail", "limited", "neutral"
LONGEST = 200


class Verdict(NamedTuple):
    """The status for the outcome, what the breaker books (ok, fail, limited or neutral), and why."""

    status: Status
    booked: str
    reason: str = ""
    retry_after: float | None = None

    @property
    def memorable(self) -> bool:
        """Whether its reason is worth keeping: not a success, not a cancellation, not a timeout that was our own stall."""
        return bool(self.reason) and self.booked != OK and (self.booked, self.status) != (NEUTRAL, Status.TIMEOUT)


def judge(error: BaseException, *, late: bool = False) -> Verdict:
    """The verdict on what a source raised; ``late`` tells that we woke too late to blame it for a timeout.

    A group stands for its member that weighs most. ``ValueError`` is a wrong request, so ours; anything unknown counts.
    """
    found = max((_of(leaf, late=late) for leaf in _leaves(error)), key=_weight)
    return found._replace(reason=found.reason or found.status.value.replace("_", " "))


def _weight(verdict: Verdict) -> int:
    return (NEUTRAL, FAIL, LIMITED).index(verdict.booked)


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for member in error.exceptions:
            yield from _leaves(member)
    else:
        yield error


def _of(error: BaseException, *, late: bool) -> Verdict:
    if isinstance(error, RateLimited):
        return Verdict(error.status, LIMITED, sentence(error), error.retry_after)
    if isinstance(error, SourceTrouble):
        return Verdict(error.status, FAIL if error.counts else NEUTRAL, sentence(error))
    if isinstance(error, TimeoutError):
        return Verdict(Status.TIMEOUT, NEUTRAL if late else FAIL, sentence(error))
    named = f"{type(error).__name__}: {text}" if (text := sentence(error)) else type(error).__name__
    if isinstance(error, OSError):  # before ValueError: a bad certificate is both
        return Verdict(Status.UNAVAILABLE, FAIL, named)
    if isinstance(error, ValueError):
        return Verdict(Status.ERROR, NEUTRAL, named)
    return Verdict(Status.UNAVAILABLE if _of_the_client(error) else Status.ERROR, FAIL, named)


def _of_the_client(error: BaseException) -> bool:
    """Whether it comes from aiohttp, told by name so that nobody need import it."""
    return any(kind.__name__ == "ClientError" and kind.__module__.startswith("aiohttp") for kind in type(error).__mro__)


def sentence(error: BaseException) -> str:
    """The first line of what it says, without control characters, credentials, or more of an address than its host."""
    import re  # only when something went wrong

    line = next((line for line in str(error)[: 10 * LONGEST].splitlines() if line.strip()), "")
    line = re.sub(r"([a-z][a-z0-9+.-]*://)(?:[^\s/@'\"]*@)?([^\s/?#'\"<>]*)[^\s'\"<>]*", r"\1\2", line, flags=re.IGNORECASE)
    line = re.sub(r"\b(bearer|basic)\s+[\w.~+/=-]+", r"\1 …", line, flags=re.IGNORECASE)
    line = re.sub(
        r"([\w-]*(?:key|token|secret|password|authorization)['\"]?\s*[=:]\s*)(?!['\"]?(?:bearer|basic) …)['\"]?[^\s'\"&,;]+",
        r"\1…",
        line,
        flags=re.IGNORECASE,
    )
    line = " ".join("".join(c if c.isprintable() else " " for c in line).split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
