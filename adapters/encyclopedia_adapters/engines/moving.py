"""Taking a corpus from one place to another without its files: passages, states and vectors, some at a time."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from encyclopedia.model.corpus import Moved
from encyclopedia_adapters.engines.opening import engine_of
from encyclopedia_adapters.shared.text_index.ends import FolderEnd

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from encyclopedia.model.corpus import Corpus
    from encyclopedia.ports import Progress
    from encyclopedia_adapters.engines.opening import Index
    from encyclopedia_adapters.engines.port import Engine
    from encyclopedia_adapters.shared.text_index import Passage
    from encyclopedia_adapters.shared.text_index.ends import Add

BATCH = 200
"""Documents of one commit: what is done stays done when the move is interrupted."""

VECTORS = 1000
"""Vectors that are carried at a time."""

WAIT = 10.0
"""Seconds to wait for somebody else who writes."""


class End(Protocol):
    """A place that a corpus is taken from or to."""

    @property
    def index(self) -> Index:
        """What is there."""
        ...

    def copies(self, documents: Sequence[str]) -> list[Passage]:
        """The passages of documents as they were put, those of a document together or not."""
        ...

    def header(self) -> Mapping[str, object]:
        """What its vectors say of themselves; empty without any."""
        ...

    def missing(self) -> list[int]:
        """The keys of the texts that have no vector."""
        ...

    def vectors_of(self, keys: Sequence[int]) -> dict[int, Any]:
        """The vectors of texts by key."""
        ...

    def taking(self, header: Mapping[str, object]) -> AbstractContextManager[Add]:
        """Take in vectors that ``header`` describes, by key."""
        ...


class EngineEnd:
    """An index on an engine as one end of a move."""

    def __init__(self, engine: Engine) -> None:
        from encyclopedia_adapters.engines.index import EngineIndex

        self.index = EngineIndex(engine)
        self._engine = engine
        self.copies, self.vectors_of = engine.copies, engine.vectors_of

    def header(self) -> Mapping[str, object]:
        """What its vectors say of themselves; empty without any."""
        return self._engine.standing().vectors

    def missing(self) -> list[int]:
        """The keys of the texts that have no vector."""
        return self._engine.missing() if self.index.count() else []

    @contextmanager
    def taking(self, header: Mapping[str, object]) -> Iterator[Add]:
        """Take in vectors that ``header`` describes, by key; others that are there are removed."""
        self._engine.prepare_vectors(header)
        yield lambda found: self._engine.add_vectors(list(found), list(found.values()))
        self._engine.settle()


def end_of(corpus: Corpus) -> End:
    """The place where a corpus is. Raises ``AuthRefused`` if its address names what is not set."""
    return EngineEnd(engine_of(corpus)) if corpus.engine else FolderEnd(corpus.folder)


def move(source: End, target: End, progress: Progress) -> Moved:
    """Copy what ``target`` lacks, until it holds what ``source`` holds; who interrupts that may begin again.

    Nothing is removed from ``source``. Raises ``ValueError`` if either is of another version or what came is not what was sent,
    ``IndexBusy``, ``OSError``, and any ``SourceTrouble`` of an engine.
    """
    for end in (source, target):
        if end.index.problem:
            raise ValueError(end.index.problem)
    while _passages(source, target, progress):
        pass
    if header := source.header():
        with target.taking(header) as add:
            left = target.missing()
            for at in range(0, len(left), VECTORS):
                progress("vectors", at, len(left))
                if found := source.vectors_of(left[at : at + VECTORS]):
                    add(found)
    _check(source, target)
    return Moved(len(target.index.documents()), target.index.count(), target.index.encoded() or 0)


def _passages(source: End, target: End, progress: Progress) -> bool:
    """Whether anything had to be copied or removed. States are read before passages: what changes meanwhile differs again."""
    states, there = source.index.documents(), target.index.documents()
    gone = [document for document in there if document not in states]
    pending = [document for document, state in states.items() if there.get(document) != state]
    for at in range(0, len(pending), BATCH):
        progress(pending[at], len(states) - len(pending) + at, len(states))
        batch = pending[at : at + BATCH]
        found: dict[str, list[Passage]] = {document: [] for document in batch}
        for passage in source.copies(batch):
            found[passage.document].append(passage)
        with target.index.update(WAIT) as writer:
            for document, passages in found.items():
                writer.put(document, passages, states[document])
    if gone:
        with target.index.update(WAIT) as writer:
            for document in gone:
                writer.remove(document)
    return bool(pending or gone)


def _check(source: End, target: End) -> None:
    """Raise ``ValueError`` unless the target holds all that the source holds."""
    sent, came = source.index.count(), target.index.count()
    if sent != came:
        raise ValueError(f"{came} of {sent} passages have arrived")
    if (lost := len(target.missing())) > len(source.missing()):
        raise ValueError(f"{lost} texts have arrived without their vectors")
