"""A local collection, what indexing it did, and how it stands."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.model.label import Label

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from encyclopedia.model.query import QueryType


def no_secret(_name: str) -> str:
    """What stands for the environment where nobody may ask it."""
    return ""


class Corpus(NamedTuple):
    """A registered local collection. ``folder`` is where its index is kept; ``serves`` its weights.

    ``label`` is the least label of all that it holds. ``options`` are the settings that its kind takes besides the common ones.
    ``engine`` is the address of the engine that holds its passages, empty for its folder; ``${NAME}`` in it is what ``secret``
    says of that name, so that the address itself may be shown.
    """

    name: str
    path: str
    kind: str
    folder: str
    serves: Mapping[QueryType, float]
    tags: tuple[str, ...] = ()
    label: Label = Label.PUBLIC
    options: Mapping[str, object] = MappingProxyType({})
    engine: str = ""
    secret: Callable[[str], str] = no_secret

    @property
    def private(self) -> bool:
        """Whether it is for its owner only."""
        return self.label >= Label.PERSONAL


class CorpusReport(NamedTuple):
    """How a corpus stands: numbers, what has changed on disk since it was indexed, and what is wrong with it.

    ``skipped`` are paths that are left alone on purpose, each with the reason. ``counts`` are numbers that only its kind has.
    """

    documents: int = 0
    passages: int = 0
    bytes: int = 0
    indexed_at: float = 0.0
    added: int = 0
    changed: int = 0
    removed: int = 0
    problems: tuple[str, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    tags: tuple[tuple[str, int], ...] = ()
    counts: tuple[tuple[str, int], ...] = ()


class Moved(NamedTuple):
    """What is now where a corpus was moved to: numbers."""

    documents: int = 0
    passages: int = 0
    vectors: int = 0


class Indexed(NamedTuple):
    """What an indexing run did: numbers of documents, the passages there are now, and what could not be read and why.

    ``vectors`` is the number of passages that were given one.
    """

    added: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    unchanged: int = 0
    passages: int = 0
    skipped: tuple[tuple[str, str], ...] = ()
    vectors: int = 0
