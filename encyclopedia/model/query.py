"""What is asked: the query as it was typed, and the question that it became."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class QueryType(StrEnum):
    """The four kinds of question; routing and cache are separate for each."""

    LIBRARY_DOCS = "library_docs"
    GENERAL_SEARCH = "general_search"
    CODE_CONTEXT = "code_context"
    REPOSITORY = "repository"


class Form(StrEnum):
    """The way of wording that a source understands best."""

    KEYWORD = "keyword"
    QUESTION = "question"
    LIBRARY = "library"
    RAW = "raw"


class Scope(NamedTuple):
    """What the answer may come from; an empty field restricts nothing.

    ``repository`` goes before one in the text. ``folder`` is a repository on this machine that somebody named by hand, never
    one that a text names.
    """

    sources: tuple[str, ...] = ()
    corpora: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    version: str = ""
    repository: str = ""
    folder: str = ""


class Query(NamedTuple):
    """A query with its options, as a person or a program gave it.

    ``passages`` is how many places of one file are wanted from who reads code.
    ``timeout`` is the deadline of the whole query in seconds, ``None`` for the configured one;
    ``max_tokens`` bounds the text of all results together, ``None`` for no bound.
    """

    text: str
    type: QueryType | None = None
    limit: int = 5
    scope: Scope = Scope()
    timeout: float | None = None
    max_tokens: int | None = None
    correct: bool = True
    expand: bool = True
    read_cache: bool = True
    passages: int = 1


class Token(NamedTuple):
    """One word of the question: ``text == question.text[start:end]``.

    A protected token (identifier, quotation, version, capitals, other script) is never corrected or expanded.
    """

    text: str
    start: int
    end: int
    protected: bool = False


class Correction(NamedTuple):
    """A misspelt word and the domain term that is searched beside it."""

    original: str
    replacement: str


class Expansion(NamedTuple):
    """A term and what else it is called, best first."""

    term: str
    alternatives: tuple[str, ...]


class Wording(NamedTuple):
    """The question in one form; every original token is in ``text``."""

    form: Form
    text: str


class Question(NamedTuple):
    """A classified query.

    ``text`` is the query without its hint (``doc:``, ``repo:owner/name``). ``rule`` names the classification rule that fired.
    ``library`` is the known library that the question names, or empty. ``unsure`` holds when only the default rule fired and
    nothing in the question is surely a library. ``expanded`` is the question with its alternatives, empty if there are none.
    ``notes`` say what was changed in the query before anything else, such as a cut.
    """

    query: Query
    text: str
    type: QueryType
    rule: str
    tokens: tuple[Token, ...] = ()
    repository: str = ""
    library: str = ""
    unsure: bool = False
    corrections: tuple[Correction, ...] = ()
    expansions: tuple[Expansion, ...] = ()
    wordings: tuple[Wording, ...] = ()
    expanded: str = ""
    notes: tuple[str, ...] = ()

    def wording(self, form: Form) -> str:
        """The text in ``form``; the plain question where it was not adapted."""
        return next((w.text for w in self.wordings if w.form is form), self.text)
