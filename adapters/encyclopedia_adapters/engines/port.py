"""What an index asks of the engine that holds it: values, and the protocol that each engine fulfils."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    import numpy as np
    from numpy.typing import NDArray

    from encyclopedia_adapters.shared.text_index import Passage
    from encyclopedia_adapters.shared.text_index.view import Entry


class Standing(NamedTuple):
    """How an index stands on its engine.

    ``made_by`` is the fingerprint of who made it, empty where there is none; ``vectors`` the same for its vectors. ``stamp``
    changes with every commit and with every vector. ``averages`` are the lengths of text and title that passages are measured
    by.
    """

    made_by: Mapping[str, object] = MappingProxyType({})
    vectors: Mapping[str, object] = MappingProxyType({})
    stamp: tuple[int, ...] = ()
    passages: int = 0
    encoded: int = 0
    changed_at: float = 0.0
    averages: tuple[float, float] = (0.0, 0.0)


class Scope(NamedTuple):
    """Where to look: passages with any of the tags, of any of the documents; an empty one does not narrow."""

    tags: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()


class Words(NamedTuple):
    """A question by its words.

    ``weights`` of index terms, ``title`` what the same term counts besides in a title; ``phrases`` as index terms in a row.
    ``counts`` are passages, and titles, that hold a term, of ``size`` passages in all.
    """

    weights: Mapping[str, float]
    title: float
    phrases: tuple[tuple[str, ...], ...]
    counts: Mapping[str, tuple[int, int]]
    size: int


class Changes(NamedTuple):
    """What one commit changes.

    ``states`` go by document (``None`` of one that is removed), ``dropped`` are documents whose passages go before the new ones
    come.
    """

    states: Mapping[str, str | None]
    dropped: Collection[str]
    passages: Sequence[Passage]


class Session(Protocol):
    """One writer between begin and commit; others may write other documents meanwhile."""

    def claim(self, names: Sequence[str], most: int) -> list[str]:
        """At most ``most`` of the documents, those that nobody else is at; the claim ends with the session."""
        ...

    def states_of(self, names: Sequence[str]) -> dict[str, str]:
        """The states of these documents as they are now."""
        ...

    def commit(self, changes: Changes) -> None:
        """Make the changes, at once or so that repeating them makes them whole."""
        ...


class Engine(Protocol):
    """One index on one engine. Refs are numbers of passages, from 0 to 2**63. It may raise any ``SourceTrouble``."""

    def standing(self) -> Standing:
        """How the index stands now."""
        ...

    def prepare(self, made_by: Mapping[str, object]) -> None:
        """Make an empty index, unless there is one."""
        ...

    def wipe(self) -> None:
        """Remove the index with all that it holds."""
        ...

    def states(self) -> dict[str, str]:
        """All documents with their states."""
        ...

    def counts(self, terms: Collection[str]) -> dict[str, tuple[int, int]]:
        """In how many passages, and in how many titles, each term stands; those in none may be missing."""
        ...

    def beginning(self, prefix: str, most: int) -> list[str]:
        """The ``most`` frequent index terms that begin so, where the engine can tell."""
        ...

    def lexical(self, words: Words, scope: Scope, limit: int, among: Sequence[int] | None = None) -> dict[int, float]:
        """BM25 of the best passages by ref, best first; only of those ``among`` if given."""
        ...

    def nearest(
        self, vector: NDArray[np.float32], scope: Scope, limit: int, among: Sequence[int] | None = None
    ) -> dict[int, float]:
        """Cosines of the nearest passages by ref, nearest first; only of those ``among`` if given."""
        ...

    def entries(self, refs: Sequence[int]) -> dict[int, Entry]:
        """What passages store."""
        ...

    def all_of(self, scope: Scope) -> list[Entry]:
        """All passages of a scope."""
        ...

    def writing(self, wait: float) -> AbstractContextManager[Session]:
        """Begin to write."""
        ...

    def prepare_vectors(self, header: Mapping[str, object]) -> None:
        """Make room for vectors that ``header`` describes; others are removed."""
        ...

    def unencoded(self, most: int) -> Iterator[list[tuple[int, Entry]]]:
        """Passages without a vector by the key of their text, ``most`` at a time.

        Each batch is for this worker alone until it asks for the next.
        """
        ...

    def add_vectors(self, keys: Sequence[int], rows: Sequence[NDArray[np.float32]]) -> None:
        """Store vectors by the key of their text; one that is there already stays."""
        ...

    def settle(self) -> None:
        """What is worth doing once many vectors have come: an index over them, numbers for the planner."""
        ...

    def missing(self) -> list[int]:
        """The keys of all texts without a vector."""
        ...

    def encoded_texts(self) -> tuple[int, int]:
        """How many different texts have a vector, and how many there are."""
        ...

    def copies(self, documents: Sequence[str]) -> list[Passage]:
        """Passages of documents as they were put."""
        ...

    def vectors_of(self, keys: Sequence[int]) -> dict[int, Any]:
        """The vectors of texts by key."""
        ...

    def close(self) -> None:
        """Give back connections."""
        ...
