"""What a question becomes on its way to a cited answer: facets, passages, statements, verdicts."""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.model.outcome import Locator


class Intent(StrEnum):
    """What a facet wants; it decides how the facet is retrieved."""

    FACTUAL = "factual"
    RELATIONAL = "relational"
    COMPARATIVE = "comparative"
    OVERVIEW = "overview"


class Facet(NamedTuple):
    """A part of the question that can be answered by itself.

    ``sides`` are the things that are compared or related. ``search`` is the wording for retrieval, which is never shown or
    cited; empty for the text itself.
    """

    text: str
    intent: Intent
    sides: tuple[str, ...] = ()
    search: str = ""

    @property
    def wording(self) -> str:
        """What is searched for."""
        return self.search or self.text


class Passage(NamedTuple):
    """A retrieved piece of a document. ``document`` is what counts as one source, ``label`` how sensitive it is."""

    id: str
    document: str
    title: str
    text: str
    corpus: str = ""
    url: str = ""
    locator: Locator | None = None
    label: str = ""
    name: str = ""
    """How the document is called where it is cited: the book's id, the note's path."""


class Link(NamedTuple):
    """A relation between two concepts, with the sentence that says so, and the passage that is this sentence, if any."""

    source: str
    type: str
    target: str
    sentence: str = ""
    document: str = ""
    confidence: float = 0.0
    passage: str = ""


class Findings(NamedTuple):
    """What was retrieved for a facet: passages best first, relations best first."""

    passages: tuple[Passage, ...] = ()
    links: tuple[Link, ...] = ()


class Quote(NamedTuple):
    """Words that stand in a passage as they are given."""

    passage: str
    text: str


class Statement(NamedTuple):
    """One claim with the quotations that it rests on."""

    text: str
    quotes: tuple[Quote, ...] = ()


class Support(StrEnum):
    """Whether a passage says what a statement says."""

    YES = "yes"
    PARTIAL = "partial"
    NO = "no"


class Verdict(NamedTuple):
    """What checking found about a statement; ``note`` says why it is not simply supported."""

    statement: Statement
    supported: Support
    note: str = ""


class Distillate(NamedTuple):
    """What is kept of the findings of one facet: at most 150 words, each from a passage.

    ``refused`` says why the passages do not answer the facet, empty if they do. ``divergent`` are pairs of statements that
    say different things about the same.
    """

    facet: Facet
    statements: tuple[Statement, ...] = ()
    passages: tuple[Passage, ...] = ()
    insights: tuple[Link, ...] = ()
    divergent: tuple[tuple[Statement, Statement], ...] = ()
    confidence: str = "low"
    gaps: tuple[str, ...] = ()
    refused: str = ""


class Answer(NamedTuple):
    """A cited answer.

    ``grounded`` tells that a model rephrased what was retrieved and that its citations were checked; without it the text is
    made of the passages' own sentences. ``code`` is 0, or 2 if the question cannot be answered from what is there.
    """

    question: str
    text: str
    grounded: bool = False
    code: int = 0
    body: Mapping[str, Any] = MappingProxyType({})

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return dict(self.body)
