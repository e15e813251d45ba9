"""The index of one local collection: what has changed on disk since it was made, and bringing it up to date."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.model.corpus import Indexed
from encyclopedia_adapters.shared.text_index import TextIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from encyclopedia.model.corpus import Corpus
    from encyclopedia_adapters.local.corpus_format import Format, Reading
    from encyclopedia_adapters.local.walk import Listing
    from encyclopedia_adapters.shared.text_index import Writer

BATCH = 500
"""Files for each commit: what is done stays done when the run is interrupted."""


class State(NamedTuple):
    """What the index remembers of a file; ``problem`` says why it has no passages."""

    reader: int
    size: int
    changed: int
    digest: str = ""
    passages: int = 0
    tags: tuple[str, ...] = ()
    problem: str = ""
    version: str = ""


@dataclass(slots=True)
class Changes:
    """Paths that separate the disk from the index."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.added) + len(self.changed) + len(self.removed)


@dataclass(slots=True)
class _Tally:
    """Numbers of a run; ``gone`` are the digests of removed files, to recognise those that have only moved."""

    added: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    unchanged: int = 0
    done: int = 0
    gone: list[str] = field(default_factory=list)


def decode(state: str) -> State:
    """The state of a file from its stored form; of no reader at all if it is not one."""
    try:
        reader, size, changed, digest, passages, tags, problem, version = json.loads(state)
        return State(int(reader), int(size), int(changed), str(digest), int(passages), tuple(tags), str(problem), str(version))
    except (ValueError, TypeError):
        return State(0, 0, 0)


class CorpusIndex:
    """The passages of one corpus; reads and writes only ``corpus.folder``."""

    def __init__(self, corpus: Corpus, form: Format) -> None:
        self.corpus = corpus
        self.text = TextIndex(corpus.folder)
        self._format = form

    def states(self) -> dict[str, State]:
        """What is indexed, by path."""
        return {path: decode(state) for path, state in self.text.documents().items()}

    def changes(self, listing: Listing) -> Changes:
        """What an update would do; of a listing that is not complete nothing can be said about removed files."""
        return self._compare(listing, self.text.documents())

    def bring(
        self,
        listing: Listing,
        progress: Callable[[str, int, int], None],
        *,
        rebuild: bool = False,
        wait: float = 10.0,
        stop: Callable[[], bool] = lambda: False,
    ) -> Indexed:
        """Bring the index up to date with the listing, some files at a time until ``stop()``.

        Raises ``IndexBusy``, and ``OSError`` or ``ValueError`` if the index cannot be written.
        """
        tally = _Tally()
        read = self._format.reading(listing)
        while True:
            with self.text.update(wait) as writer:
                if rebuild:
                    writer.clear()
                known = {} if rebuild else self.text.documents()
                changes = self._compare(listing, known)
                _remove(writer, changes.removed, known, tally)
                pending = [*changes.added, *changes.changed]
                tally.unchanged = tally.unchanged if tally.done else len(listing.files) - len(pending)
                total = tally.done + len(pending)
                for path in takewhile(lambda _: not stop(), pending[:BATCH]):
                    progress(path, tally.done, total)
                    tally.done += 1
                    self._put(writer, path, (listing.files[path], _met(read, path)), known.get(path), tally)
            rebuild = False
            if len(pending) <= BATCH or stop():
                return self._result(listing, tally)

    def _put(
        self, writer: Writer, path: str, found: tuple[tuple[int, int], Reading], stored: str | None, tally: _Tally
    ) -> None:
        (size, changed), reading = found
        old = decode(stored) if stored is not None else None
        state = State(self._format.reader, size, changed, reading.digest, 0, reading.tags, reading.problem, reading.version)
        if old and old.reader == state.reader and old.digest == state.digest != "":
            writer.mark(path, json.dumps(old._replace(size=size, changed=changed)))
            tally.unchanged += 1
            return
        passages = list(reading.passages)
        writer.put(path, passages, json.dumps(state._replace(passages=len(passages))))
        if state.digest:
            _count(tally, state.digest, new=old is None)

    def _compare(self, listing: Listing, known: Mapping[str, str]) -> Changes:
        changes = Changes()
        for path, (size, changed) in listing.files.items():
            state = known.get(path)
            if state is None:
                changes.added.append(path)
            elif not state.startswith(f"[{self._format.reader}, {size}, {changed}, "):
                changes.changed.append(path)
        if listing.complete:
            changes.removed = [path for path in known if path not in listing.files]
        return changes

    def _result(self, listing: Listing, tally: _Tally) -> Indexed:
        problems = [(path, state.problem) for path, state in self.states().items() if state.problem]
        return Indexed(
            added=tally.added,
            changed=tally.changed,
            moved=tally.moved,
            removed=tally.removed,
            unchanged=tally.unchanged,
            passages=self.text.count(),
            skipped=(*listing.skipped, *problems),
        )


def _met(read: Callable[[str], Reading], path: str) -> Reading:
    """What was read, or why it cannot be; without a digest, so that it is tried again when the file changes."""
    from encyclopedia_adapters.local.corpus_format import Reading

    try:
        return read(path)
    except OSError as error:
        return Reading("", problem=f"cannot be read: {error.strerror or error}")


def _remove(writer: Writer, paths: list[str], known: Mapping[str, str], tally: _Tally) -> None:
    for path in paths:
        writer.remove(path)
        tally.gone.append(decode(known[path]).digest)
        tally.removed += 1


def _count(tally: _Tally, digest: str, *, new: bool) -> None:
    if new and digest in tally.gone:
        tally.gone.remove(digest)
        tally.moved += 1
        tally.removed -= 1
    elif new:
        tally.added += 1
    else:
        tally.changed += 1
