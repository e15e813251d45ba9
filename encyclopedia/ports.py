"""What the core asks of the outside: protocols, and the card on which a source says what it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from encyclopedia.model.query import Form

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    from encyclopedia.model.cached import CacheEntry, Near
    from encyclopedia.model.corpus import Corpus, CorpusReport, Indexed
    from encyclopedia.model.event import Event
    from encyclopedia.model.outcome import Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.model.query import QueryType
    from encyclopedia.model.settings import EmbedderSettings

T = TypeVar("T")
R = TypeVar("R")


class Source(Protocol):
    """A thing that answers. It may raise what it likes; a source with an ``aclose()`` coroutine is closed with the engine."""

    async def search(self, request: Request) -> Reply:
        """At most ``request.limit`` hits, best first, within ``request.timeout`` seconds."""
        ...


class Package(NamedTuple):
    """A requirement: an importable library, and the extra that brings it."""

    module: str
    extra: str = ""


class Key(NamedTuple):
    """A requirement: a credential in an environment variable."""

    name: str


class Option(NamedTuple):
    """A requirement: a setting of the source, or the environment variable that stands for it."""

    name: str
    env: str = ""


class Program(NamedTuple):
    """A requirement: a command on the path."""

    name: str


class Cli(NamedTuple):
    """A requirement: somebody's command, on the path or by its absolute path; ``env`` names the variable that chose it."""

    name: str
    env: str = ""


class Contact(NamedTuple):
    """A requirement: the setting ``contact``, for public services that want to know whom they can write to."""

    name: str = "contact"


Requirement = Package | Key | Option | Program | Cli | Contact
Progress = Callable[[str, int, int], None]
"""Called with what is being worked on, how many are done, and how many there are."""


class Embedder(Protocol):
    """Turns texts into vectors; built on first use, and slow enough to be kept off the event loop."""

    @property
    def fingerprint(self) -> str:
        """Weights, pooling and normalisation in short: vectors of another fingerprint mean something else."""
        ...

    @property
    def dimension(self) -> int:
        """The length of every vector."""
        ...

    def embed(self, texts: Sequence[str]) -> Any:
        """A float32 array of shape (len(texts), dimension) with rows of length 1, of a zero row for what has no words."""
        ...


class Completion(NamedTuple):
    """What a model wrote, and how many tokens of the prompt its endpoint says it has read (0 where it does not say)."""

    text: str
    prompt_tokens: int = 0


class Completer(Protocol):
    """A language model. It may raise what it likes; who asks it works without it then."""

    async def complete(self, system: str, prompt: str, *, max_tokens: int, timeout: float) -> Completion:
        """At most ``max_tokens`` of an answer to ``prompt`` under the rules of ``system``, within ``timeout`` seconds."""
        ...


class EmbedderKind(Protocol):
    """A way to run a model. What is wrong with its files or its name is a ``ConfigurationError``."""

    @property
    def requires(self) -> tuple[Package, ...]:
        """The libraries without which none of the following may be called."""
        ...

    def open(self, settings: EmbedderSettings, home: str, *, bulk: bool = False) -> Embedder:
        """The embedder, ready; asks no network. With ``bulk`` for many texts, else for a few that somebody waits for."""
        ...

    def about(self, settings: EmbedderSettings, home: str) -> Mapping[str, object]:
        """What would be opened: ``model``, ``weights``, and more where it is known; reads files, loads and keeps nothing."""
        ...

    async def fetch(self, settings: EmbedderSettings, home: str, agent: str, progress: Progress) -> None:
        """Get the files over the network, as the User-Agent ``agent``; those that are there and right are left alone.

        Raises ``SourceTrouble``, ``OSError`` if the disk does not take them, ``ValueError`` for an unusable address.
        """
        ...


def no_embedder() -> Embedder | None:
    """What stands for the embedder where none is installed."""
    return None


class Resources(Protocol):
    """Things that several sources share for the lifetime of an engine, such as the HTTP session."""

    def get(self, name: str, make: Callable[[], T]) -> T:
        """The one resource of that name, made on first use; closed with the engine if it has ``aclose()``."""
        ...


class Context(NamedTuple):
    """What a source is built from.

    ``options`` is its table in the settings, ``secret`` reads a credential or address by its environment name (empty if not
    set), ``home`` is the data folder, ``agent`` our User-Agent, ``timeout`` the source's own in seconds, ``contact`` whom
    public services may write to, empty if nobody is set. ``embedder`` gives the engine's embedder, made on first use, or
    ``None``.
    """

    name: str
    home: str
    agent: str
    timeout: float
    resources: Resources
    secret: Callable[[str], str]
    options: Mapping[str, object] = MappingProxyType({})
    contact: str = ""
    embedder: Callable[[], Embedder | None] = no_embedder


@dataclass(frozen=True, slots=True)
class Card:
    """What a source is, told before it is built.

    ``serves`` gives its base weight for each query type. ``make`` builds it on first use. ``requires`` must all be met,
    ``accepts`` names credentials that it can use. ``form`` is the wording it wants; ``default`` whether it is on when its
    requirements are met; ``keyless`` marks a public service that needs no key; ``options`` names the settings it takes besides
    the common ones. ``daily_calls`` is the number of calls that its operator gives away each day to those who have none of the
    keys in ``accepts``. The other flags are those of ``Candidate``. ``index`` brings its local index up to date, ``state``
    says how it stands, ``revision`` (a few milliseconds, reads only) changes whenever what it would answer from changes,
    ``knows`` tells whether a lower-case word occurs in it, ``report`` how the index stands in numbers; both only read.
    """

    name: str
    serves: Mapping[QueryType, float]
    make: Callable[[Context], Source] | None = None
    description: str = ""
    timeout: float | None = None
    requires: tuple[Requirement, ...] = ()
    accepts: tuple[Key, ...] = ()
    form: Form = Form.KEYWORD
    default: bool = True
    keyless: bool = False
    corpus: bool = False
    tags: bool = False
    alternatives: bool = False
    repository: bool = False
    on_demand: bool = False
    stale: bool = False
    options: tuple[str, ...] = ()
    daily_calls: int | None = None
    index: Callable[[Context, Progress], Indexed] | None = None
    state: Callable[[Context], str] | None = None
    revision: Callable[[Context], str] | None = None
    knows: Callable[[Context, str], bool] | None = None
    report: Callable[[Context], CorpusReport] | None = None


class CorpusKind(Protocol):
    """One kind of local collection: how it becomes a source, how it is indexed, how it stands.

    A kind that takes settings of its own names them in an attribute ``options``; they arrive in ``Corpus.options``.
    """

    def card(self, corpus: Corpus) -> Card:
        """The card of the source that answers from this corpus."""
        ...

    def index(self, corpus: Corpus, progress: Progress, *, rebuild: bool = False, embedder: Embedder | None = None) -> Indexed:
        """Bring the index up to date with the files; with ``rebuild`` from nothing, with ``embedder`` its vectors too."""
        ...

    def report(self, corpus: Corpus) -> CorpusReport:
        """How the corpus stands; reads only."""
        ...

    def names(self, corpus: Corpus, document: str = "") -> Sequence[str]:
        """What its results are called: the path of each document; with ``document`` the ids and ``path#section`` of its parts."""
        ...


class RecordStore(Protocol):
    """Breaker records by name. A record is a plain dict of JSON values."""

    def peek(self, name: str) -> dict[str, object] | None:
        """A copy of the record, or ``None``; never writes."""
        ...

    def step(self, name: str, change: Callable[[dict[str, object]], R]) -> R:
        """Load the record (blank if there is none), run ``change``, save, all in one transaction, even when it raises."""
        ...


class CacheStore(Protocol):
    """Answers by key; shared by processes; every method may block for some milliseconds."""

    def get(self, key: str, stale: float = 0.0) -> CacheEntry | None:
        """The entry, if there is one that is not older than its lifetime and ``stale`` seconds more."""
        ...

    def peek(self, key: str) -> CacheEntry | None:
        """As ``get``, without leaving a mark that the entry was used."""
        ...

    def put(self, entry: CacheEntry) -> None:
        """Store, making room within the entry's query type by dropping what was least recently used."""
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


class Votes(Protocol):
    """What people said of two questions: that the one's answer is the other's, or never is."""

    def of(self, a: str, b: str) -> int:
        """1 for the same, -1 for never, 0 if nobody said anything."""
        ...

    def cast(self, a: str, b: str, vote: int) -> None:
        """Remember a vote; 0 takes it back."""
        ...


class History(Protocol):
    """The record of searches, newest last."""

    def append(self, record: Mapping[str, object]) -> None:
        """Add one record."""
        ...

    def read(self, last: int | None = None) -> Sequence[Mapping[str, object]]:
        """The newest ``last`` records in the order they were made; unreadable lines are left out."""
        ...

    def clear(self) -> int:
        """Remove all records; the number removed."""
        ...


class EventSink(Protocol):
    """Somebody who wants to know."""

    def emit(self, event: Event) -> None:
        """Take the event; must not block. What it raises is suppressed."""
        ...
