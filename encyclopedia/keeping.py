"""What the core asks of whatever remembers: breaker records, answers, questions near to others, votes, the history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    from encyclopedia.model.cached import CacheEntry, Near
    from encyclopedia.model.query import QueryType

R = TypeVar("R")


class RecordStore(Protocol):
    """Breaker records by name. A record is a plain dict of JSON values."""

    def peek(self, name: str) -> dict[str, object] | None:
        """A copy of the record, or ``None``; never writes."""
        ...

    def step(self, name: str, change: Callable[[dict[str, object]], R]) -> R:
        """Load the record (blank if there is none), run ``change``, save, all in one transaction, even when it raises."""
        ...


class CacheStore(Protocol):
    """Answers by key; shared by processes; every method may block for some milliseconds.

    ``distant`` tells that they come over a network: then nobody waits for them on an event loop.
    """

    distant: bool

    def get(self, key: str, stale: float = 0.0) -> CacheEntry | None:
        """The entry, if there is one that is not older than its lifetime and ``stale`` seconds more."""
        ...

    def peek(self, key: str) -> CacheEntry | None:
        """As ``get``, without leaving a mark that the entry was used."""
        ...

    def put(self, *entries: CacheEntry) -> None:
        """Store each, making room within its query type by dropping what was least recently used."""
        ...

    def entries(self) -> Iterable[CacheEntry]:
        """Every entry that is good, the oldest first."""
        ...

    def stats(self) -> Mapping[str, object]:
        """Entries for each type, bytes, age of the oldest."""
        ...

    def clear(self, type: QueryType | None = None) -> int:
        """Remove all entries, or those of one type; the number removed."""
        ...

    def forget(self, corpus: str) -> int:
        """Remove every answer with a passage of the corpus, and every byte of it from the files; the number removed."""
        ...


class Lease(Protocol):
    """Lets one process at a time work on a question, so that others can use its answer."""

    def hold(self, key: str, patience: float) -> AbstractAsyncContextManager[bool]:
        """Hold ``key``, waiting at most ``patience`` seconds, then going on without; tells whether another was at it."""
        ...


class NearTier(Protocol):
    """The semantic tier: finds stored questions near to the words, within one type and scope."""

    def find(self, group: str, text: str) -> Sequence[Near]:
        """The stored questions of ``group`` that may answer, nearest first; a group is all but the words.

        If none may, the nearest one that a guard refused, or nothing.
        """
        ...

    def add(self, group: str, text: str, key: str) -> None:
        """Remember that ``key`` answers ``text``."""
        ...

    def kept(self) -> Mapping[str, Kept]:
        """Every stored question by the key of its answer."""
        ...

    def counted(self) -> tuple[int, int]:
        """How many questions are stored, and how many of them have a vector."""
        ...

    def restore(self, key: str, kept: Kept) -> None:
        """Put back what ``kept`` gave; its vector is made anew."""
        ...

    def vote(self, text: str, other: str, vote: int) -> None:
        """Remember that one question's answer is the other's (1), never is (-1), or that nobody said so (0)."""
        ...


class NearQuestion(NamedTuple):
    """A stored question: the key of its answer, its words, and its cosine with the one that is asked."""

    key: str
    text: str
    similarity: float


class Kept(NamedTuple):
    """A stored question with the digest of its group; ``vector`` is float32 in bytes, empty if there is none yet."""

    group: str
    text: str
    mark: str
    vector: bytes


class NearIndex(Protocol):
    """Stored questions by group with their vectors, shared by processes; a question goes when its answer goes.

    Vectors are rows of float32 arrays; ``mark`` is the fingerprint of the embedder that made them.
    """

    def holds(self, group: str) -> bool:
        """Whether the group has any question; cheap, and needs no library."""
        ...

    def pending(self, group: str, mark: str, dimension: int, most: int) -> Sequence[tuple[str, str]]:
        """Key and words of at most ``most`` questions that have no vector of this embedder yet."""
        ...

    def fill(self, group: str, mark: str, found: Sequence[tuple[str, str]], rows: Any) -> None:
        """Keep the vectors of pending questions, one row for each."""
        ...

    def nearest(self, group: str, mark: str, vector: Any, most: int) -> Sequence[NearQuestion]:
        """The nearest questions, best first; none for a vector that is not of length 1."""
        ...

    def add(self, group: str, key: str, text: str) -> None:
        """Remember that ``key`` answers ``text``; its vector is made when somebody looks."""
        ...

    def all(self) -> Mapping[str, Kept]:
        """Every stored question by the key of its answer."""
        ...

    def counted(self) -> tuple[int, int]:
        """How many questions are stored, and how many of them have a vector."""
        ...


class Votes(Protocol):
    """What people said of two questions: that the one's answer is the other's, or never is."""

    def of(self, a: str, b: str) -> int:
        """1 for the same, -1 for never, 0 if nobody said anything."""
        ...

    def cast(self, a: str, b: str, vote: int) -> None:
        """Remember a vote; 0 takes it back."""
        ...


class Ledger(Protocol):
    """Records that are added up, shared by processes; every method may block for some milliseconds."""

    def append(self, records: Sequence[Mapping[str, object]]) -> tuple[int, int]:
        """Add the records, all or none; the size of the whole in bytes before and after."""
        ...

    def append_now(self, records: Sequence[Mapping[str, object]]) -> tuple[int, int] | None:
        """As ``append``, in some microseconds; ``None``, with nothing added, where somebody would have to be waited for."""
        ...

    def read(self, mark: object = None) -> tuple[Sequence[Mapping[str, Any]], object, bool]:
        """The records after ``mark``, a mark to go on from, and whether these are all, as what was read before is gone."""
        ...

    def rewrite(self, change: Callable[[Sequence[Mapping[str, Any]]], Sequence[Mapping[str, object]]]) -> None:
        """Put what ``change`` makes of all records in their place, with nobody in between."""
        ...


class History(Protocol):
    """The record of searches, newest last."""

    def append(self, *records: Mapping[str, object]) -> None:
        """Add the records, and drop what is too much or too old."""
        ...

    def append_now(self, *records: Mapping[str, object]) -> bool:
        """Add the records in some microseconds; false, with nothing added, where somebody would have to be waited for."""
        ...

    def bound(self) -> None:
        """Drop what is too much or too old."""
        ...

    def read(self, last: int | None = None) -> Sequence[Mapping[str, object]]:
        """The newest ``last`` records in the order they were made; unreadable lines are left out."""
        ...

    def times(self, *queries: str) -> Sequence[int]:
        """How many of the newest records have the very words of each as their query; quicker than reading them."""
        ...

    def clear(self) -> int:
        """Remove all records; the number removed."""
        ...
