"""What the core asks of the outside: protocols, and the card on which a source says what it is."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from encyclopedia.model.query import Form

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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

    async def complete(self, system: str, prompt: str, *, max_tokens: int, timeout: float) -> Completion:  # noqa: ASYNC109 - its own
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


class Card(NamedTuple):
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
    index: Callable[[Context, Progress], Indexed] | None = None  # type: ignore[assignment]  # a tuple's own is not wanted
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
        """What its results are called: the path of each document; with ``document`` ids and ``path#section`` of its parts."""
        ...


class EventSink(Protocol):
    """Somebody who wants to know."""

    def emit(self, event: Event) -> None:
        """Take the event; must not block. What it raises is suppressed."""
        ...
