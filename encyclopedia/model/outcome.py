"""What came back: hits, and what became of each source."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.model.label import Label
from encyclopedia.model.status import Status

if TYPE_CHECKING:
    from encyclopedia.model.plan import Plan


class Locator(NamedTuple):
    """Where a passage stands in a local collection: ``lines`` are 1-based and inclusive."""

    corpus: str
    path: str
    section: str = ""
    lines: tuple[int, int] | None = None
    page: int | None = None


class Relation(NamedTuple):
    """What a definition has to do with another place: ``kind`` is caller, callee, importer or subclass.

    ``line`` is 1-based; ``how`` says why it is not certain, empty if it is.
    """

    kind: str
    name: str
    path: str
    line: int
    how: str = ""


class Hit(NamedTuple):
    """One result of one source, as plain text.

    ``page`` is the source's own name for the page that the hit belongs to; without it the page is known by its address, else
    its locator, else its text. ``published`` is an ISO 8601 date or time. ``content`` is untrusted data.
    ``relations`` are for who reads code, ``work`` names the larger whole that the page belongs to, such as a book; a stored
    answer keeps neither. ``label`` says how sensitive the content is.
    """

    title: str
    url: str = ""
    content: str = ""
    locator: Locator | None = None
    published: str = ""
    version: str = ""
    id: str = ""
    page: str = ""
    relations: tuple[Relation, ...] = ()
    work: str = ""
    label: Label = Label.PUBLIC


class Reply(NamedTuple):
    """What a source answers: hits best first, and a second list found only by other words for the same thing.

    ``reduced`` says what made this answer less than the source can give (an index still being built, engines that did not
    answer); it marks the whole answer as degraded. ``note`` is worth knowing and degrades nothing. ``pause`` is for how many
    seconds the source wants to be left alone after this answer, 0 for none. ``versions`` are those that there are, where
    the one that was asked for is not among them.
    """

    hits: tuple[Hit, ...] = ()
    alternatives: tuple[Hit, ...] = ()
    reduced: str = ""
    note: str = ""
    pause: float = 0.0
    versions: tuple[str, ...] = ()


class Outcome(NamedTuple):
    """What became of one source that was planned; ``seconds`` from being asked to being done.

    ``hedged`` tells that it was asked a second time, because its first answer was late.
    """

    source: str
    status: Status
    reply: Reply = Reply()
    seconds: float = 0.0
    reason: str = ""
    optional: bool = False
    retry_after: float | None = None
    hedged: bool = False

    @property
    def answered(self) -> bool:
        """Whether the source did answer, with or without results."""
        return self.status in (Status.OK, Status.EMPTY)


class Outcomes(NamedTuple):
    """All outcomes of a plan, in the order of the plan, whatever the order of arrival."""

    plan: Plan
    outcomes: tuple[Outcome, ...]
