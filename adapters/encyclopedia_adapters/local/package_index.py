"""The index of what is installed: what stands in it, what is missing or out of date, and bringing it up to date."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.local.dist_units import revision, units
from encyclopedia_adapters.shared.text_index import TextIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from encyclopedia_adapters.local.dist_passages import Reading
    from encyclopedia_adapters.local.dist_units import Unit

READER = 3
"""Raised when passages are made in another way, so that everything is read again."""
BATCH_SECONDS = 2.0
BATCH_PASSAGES = 4000
_COMMIT_WAIT = 30.0


class Stopped(Exception):
    """Reading was told to stop; what was finished before is kept."""


class State(NamedTuple):
    """What the index remembers of a unit: its stamp when it was read, its import names, and why files were left out."""

    stamp: str = ""
    imports: tuple[str, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()


class Changes(NamedTuple):
    """What is to be done, or what was done: documents that are new, changed, gone."""

    added: list[Unit]
    changed: list[Unit]
    removed: list[str]

    @property
    def stale(self) -> list[Unit]:
        """Everything that must be read."""
        return [*self.added, *self.changed]


class PackageIndex:
    """The passages of all installed distributions and of the standard library, under ``<home>/index/packages``.

    ``paths`` are the folders looked in (default ``sys.path``); ``docstrings`` tells whether sources are read too; ``batch`` is
    the number of passages from which a commit is due.
    """

    def __init__(
        self,
        home: str,
        *,
        paths: Sequence[str] | None = None,
        standard: bool = True,
        docstrings: bool | None = None,
        batch: int = BATCH_PASSAGES,
    ) -> None:
        self.text = text_index(home)
        self.docstrings = _has_griffe() if docstrings is None else docstrings
        self._paths = paths
        self._standard = standard
        self._batch = batch
        self._known: tuple[Mapping[str, str], Mapping[str, State]] = ({}, {})

    def units(self) -> dict[str, Unit]:
        """What is installed now, by document."""
        return units(self._paths, standard=self._standard and self.docstrings)

    def revision(self) -> str:
        """A digest of what is installed and of the last commit; opens neither."""
        from hashlib import sha256

        marks = revision(self._paths)
        return sha256(repr((marks, self.text.stamp(), self.docstrings)).encode()).hexdigest()[:16]

    def states(self) -> Mapping[str, State]:
        """What is in the index now, by document."""
        documents = self.text.documents()
        if documents is not self._known[0]:  # a new commit; else it is not worth decoding again
            self._known = (documents, {document: _decoded(text) for document, text in documents.items()})
        return self._known[1]

    def changes(self, units: Mapping[str, Unit], states: Mapping[str, State]) -> Changes:
        """What separates the index from what is installed."""
        changes = Changes([], [], [document for document in states if document not in units])
        for unit in units.values():
            state = states.get(unit.document)
            if state is None:
                changes.added.append(unit)
            elif state.stamp != self._stamp(unit):
                changes.changed.append(unit)
        return changes

    def forget(self, documents: Iterable[str], wait: float = _COMMIT_WAIT) -> None:
        """Remove documents that are not installed any more."""
        gone = tuple(documents)
        if gone:
            with self.text.update(wait) as writer:
                for document in gone:
                    writer.remove(document)

    def bring(
        self, units: Sequence[Unit], check: Callable[[], None], *, done: Callable[[Unit], None], wait: float = _COMMIT_WAIT
    ) -> None:
        """Read ``units`` and put them into the index, several in one commit; ``done`` is called after each.

        ``check`` is called often and may raise to stop: what was read completely by then is committed first. Raises
        ``IndexBusy`` if another process does not let go of the index within ``wait`` seconds.
        """
        batch: list[tuple[Unit, Reading]] = []
        began = time.monotonic()
        try:
            for unit in units:
                check()
                batch.append((unit, self._read(unit, check)))
                done(unit)
                if time.monotonic() - began > BATCH_SECONDS or sum(len(r.passages) for _, r in batch) > self._batch:
                    pending, batch = batch, []
                    self._commit(pending, wait)
                    began = time.monotonic()
        finally:
            self._commit(batch, wait)

    def _read(self, unit: Unit, check: Callable[[], None]) -> Reading:
        from encyclopedia_adapters.local import dist_passages  # griffe and what reads documents, only to read

        try:
            return dist_passages.read(unit, check, docstrings=self.docstrings)
        except Stopped:
            raise
        except Exception as error:  # noqa: BLE001 - one broken package must not keep all the others out of the index
            return dist_passages.Reading([], (), [(unit.document, f"{type(error).__name__}: {error}"[:200])])

    def _commit(self, batch: Sequence[tuple[Unit, Reading]], wait: float) -> None:
        if not batch:
            return
        with self.text.update(wait) as writer:
            for unit, reading in batch:
                state = State(self._stamp(unit), reading.imports, tuple(reading.skipped[:20]))
                writer.put(unit.document, reading.passages, json.dumps(state))

    def _stamp(self, unit: Unit) -> str:
        return f"{READER} {'sources' if self.docstrings else 'metadata'} {unit.stamp}"


def text_index(home: str) -> TextIndex:
    """The lexical index under ``home``."""
    return TextIndex(os.path.join(home, "index", "packages"))


def _has_griffe() -> bool:
    from importlib.util import find_spec

    return find_spec("griffe") is not None


def _decoded(text: str) -> State:
    try:
        stamp, imports, skipped = json.loads(text)
        return State(str(stamp), tuple(map(str, imports)), tuple((str(name), str(reason)) for name, reason in skipped))
    except (ValueError, TypeError):
        return State()
