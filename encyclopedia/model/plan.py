"""What will be done: whom to ask, in which words, for how long, with what weight, and who is left out and why."""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.model.query import Form

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.model.query import Query, QueryType, Question


class Role(StrEnum):
    """Why a source is in the plan."""

    PRIMARY = "primary"
    WIDENED = "widened"
    FALLBACK = "fallback"
    NAMED = "named"


class Candidate(NamedTuple):
    """What routing knows of a source.

    ``missing`` says why the source cannot be asked (no key, a library not installed, switched off), empty when it can.
    ``optional`` tells whether its absence is what the configuration promises (never configured, switched off).
    ``corpus`` marks a local corpus, ``tags`` a source that filters by tags before ranking, ``alternatives`` one that takes an
    expanded wording for a second list at no cost, ``repository`` one that needs a repository to look at,
    ``on_demand`` one that only nobody has switched on, and that can be asked by its name. ``stale`` marks one whose answers may
    be shown for a while after their lifetime, while it is asked anew.
    """

    name: str
    serves: Mapping[QueryType, float]
    form: Form = Form.KEYWORD
    timeout: float = 5.0
    missing: str = ""
    hint: str = ""
    optional: bool = True
    corpus: bool = False
    tags: bool = False
    alternatives: bool = False
    repository: bool = False
    keyless: bool = False
    on_demand: bool = False
    stale: bool = False


class Health(NamedTuple):
    """What the breaker knows of a source.

    ``state`` is healthy, open, probing or rate_limited; ``until`` and ``failed_at`` are in wall-clock seconds. ``last_error``
    is the reason of the last call if that failed, also of a healthy source; ``fails`` counts the failures in a row.
    """

    state: str = "healthy"
    until: float = 0.0
    last_error: str = ""
    failed_at: float = 0.0
    fails: int = 0

    @property
    def admits(self) -> bool:
        """Whether a call may go out now."""
        return self.state == "healthy"


StandsFor = tuple[tuple[str, tuple[str, ...]], ...]
"""Words of a question, each with what counts as its presence: a correction, other names for the same thing."""


class Request(NamedTuple):
    """What one source is asked.

    ``expanded`` is the wording for its second list, empty for none. ``folder`` is the absolute path of a repository on this
    machine that somebody named by hand; what ``repository`` holds may come from anybody. ``passages`` is how many places of one
    file are wanted from who reads code.
    """

    text: str
    type: QueryType
    limit: int
    timeout: float
    expanded: str = ""
    library: str = ""
    version: str = ""
    repository: str = ""
    tags: tuple[str, ...] = ()
    stands_for: StandsFor = ()
    folder: str = ""
    passages: int = 1


class Ask(NamedTuple):
    """One source in the plan; the weights of a plan add up to 1."""

    source: str
    request: Request
    weight: float
    role: Role = Role.PRIMARY


class Declined(NamedTuple):
    """A source that would serve this question and is not asked.

    ``refused`` marks one that its breaker holds back. ``optional`` marks one whose absence does not degrade the answer.
    """

    source: str
    reason: str
    hint: str = ""
    optional: bool = True
    refused: bool = False


class Waiting(NamedTuple):
    """For how long a source is waited for, in seconds.

    What is ``configured``, the ``p95`` of its own answers, the ``budget`` that follows, and ``hedge_after``, from when on it
    may be asked a second time (0: never).
    """

    configured: float
    p95: float
    budget: float
    hedge_after: float = 0.0


class Plan(NamedTuple):
    """Every decision about a question as data.

    ``deadline`` is in seconds from the start of the dispatch, ``depth`` the number of hits asked of each source.
    ``primaries`` tells whether any source of the question's own type can be asked. ``cache_key`` holds everything but the
    words that changes the answer. ``stale`` tells whether every source allows that an answer is shown after its lifetime.
    After ``soft_deadline`` seconds (0: never) nobody else is waited for once there is enough; ``waiting`` holds what was
    learned of how long sources take.
    ``adjusted`` holds the factors that experience put on weights, ``None`` where it may not.
    """

    question: Question
    asks: tuple[Ask, ...]
    declined: tuple[Declined, ...] = ()
    deadline: float = 10.0
    depth: int = 10
    fallback_used: bool = False
    widened: bool = False
    primaries: bool = True
    health: Mapping[str, Health] = MappingProxyType({})
    cache_key: str = ""
    stale: bool = False
    soft_deadline: float = 0.0
    waiting: Mapping[str, Waiting] = MappingProxyType({})
    adjusted: Mapping[str, float] | None = None

    @property
    def query(self) -> Query:
        """The query behind the plan."""
        return self.question.query
