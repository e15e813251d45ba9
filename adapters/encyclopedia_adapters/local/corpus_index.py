"""The index of one local collection: what has changed on disk since it was made, and bringing it up to date."""

from __future__ import annotations

import json
from contextlib import contextmanager
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.model.corpus import Indexed
from encyclopedia_adapters.engines.opening import open_index

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from encyclopedia.model.corpus import Corpus
    from encyclopedia_adapters.engines.opening import Writer
    from encyclopedia_adapters.local.corpus_format import Format, Reading
    from encyclopedia_adapters.local.walk import Listing

BATCH = 500
"""Files for each commit: what is done stays done when the run is interrupted."""


class State(NamedTuple):
    """What the index remembers of a file; ``problem`` says why it has no passages.

    ``doubtful`` is 1 for a file that may have been written again with the same ``changed`` after it was read.
    """

    reader: int
    size: int
    changed: int
    doubtful: int = 0
    digest: str = ""
    passages: int = 0
    tags: tuple[str, ...] = ()
    problem: str = ""
    version: str = ""


class Changes:
    """Paths that separate the disk from the index; those that are ``doubtful`` only may."""

    __slots__ = ("added", "changed", "doubtful", "removed")

    def __init__(self) -> None:
        self.added: list[str] = []
        self.changed: list[str] = []
        self.removed: list[str] = []
        self.doubtful: list[str] = []

    def __len__(self) -> int:
        return len(self.added) + len(self.changed) + len(self.removed)


class _Tally:
    """Numbers of a run; ``gone`` are the digests of removed files, to recognise those that have only moved."""

    __slots__ = ("added", "changed", "gone", "moved", "removed", "unchanged")

    def __init__(self) -> None:
        self.added = self.changed = self.moved = self.removed = self.unchanged = 0
        self.gone: list[str] = []


class _Run(NamedTuple):
    """An update over several commits; ``seen`` are the files that it has read."""

    listing: Listing
    read: Callable[[str], Reading]
    progress: Callable[[str, int, int], None]
    only: Collection[str] | None
    stop: Callable[[], bool]
    seen: set[str]
    tally: _Tally


def decode(state: str) -> State:
    """The state of a file from its stored form; of no reader at all if it is not one."""
    try:
        reader, size, changed, doubtful, digest, passages, tags, problem, version = json.loads(state)
        stamp = int(reader), int(size), int(changed), int(doubtful)
        return State(*stamp, str(digest), int(passages), tuple(tags), str(problem), str(version))
    except (ValueError, TypeError):
        return State(0, 0, 0)


class CorpusIndex:
    """The passages of one corpus, in ``corpus.folder`` or on its engine."""

    def __init__(self, corpus: Corpus, form: Format) -> None:
        self.corpus = corpus
        self.text = open_index(corpus)
        self._format = form

    def states(self) -> dict[str, State]:
        """What is indexed, by path."""
        return {path: decode(state) for path, state in self.text.documents().items()}

    def changes(self, listing: Listing, only: Collection[str] | None = None) -> Changes:
        """What an update would do; of a listing that is not complete nothing can be said about removed files."""
        return self._compare(listing, self.text.documents(), only)

    def bring(
        self,
        listing: Listing,
        progress: Callable[[str, int, int], None],
        *,
        rebuild: bool = False,
        wait: float = 10.0,
        only: Collection[str] | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> Indexed:
        """Bring the index up to date with the listing, or with ``only`` some of its files, a batch at a time until ``stop()``.

        Raises ``IndexBusy``, and ``OSError`` or ``ValueError`` if the index cannot be written.
        """
        with reading(self._format, listing) as read:
            run = _Run(listing, read, progress, only, stop, set(), _Tally())
            while self._batch(run, wait, rebuild=rebuild):
                rebuild = False
        return self._result(run)

    def _batch(self, run: _Run, wait: float, *, rebuild: bool) -> bool:
        """One commit; whether there is more to do."""
        tally = run.tally
        with self.text.update(wait) as writer:
            if rebuild:
                writer.clear()
            known = {} if rebuild else self.text.documents()
            changes = self._compare(run.listing, known, run.only)
            _remove(writer, changes.removed, known, tally)
            pending = [path for path in (*changes.added, *changes.changed, *changes.doubtful) if path not in run.seen]
            tally.unchanged = tally.unchanged if run.seen else len(run.listing.files) - len(pending)
            total = len(run.seen) + len(pending)
            mine = writer.claim(pending, BATCH)
            for path in takewhile(lambda _: not run.stop(), mine):
                run.progress(path, len(run.seen), total)
                run.seen.add(path)
                self._put(writer, path, (self._state(run.listing, path), _met(run.read, path)), known.get(path), tally)
        return len(mine) < len(pending) and not run.stop()

    def stale(self, listing: Listing, paths: Collection[str]) -> set[str]:
        """Which of the files are not indexed as they are now; those whose stamp does not tell are read to see."""
        changes = self.changes(listing, paths)
        suspects = [*changes.changed, *changes.doubtful]
        if not suspects:
            return set(changes.added)
        states = self.text.documents()
        with reading(self._format, listing) as read:
            differ = [path for path in suspects if _met(read, path).digest != decode(states[path]).digest]
        return {*changes.added, *differ}

    def _state(self, listing: Listing, path: str) -> State:
        """What is known of a listed file before it is read."""
        return State(self._format.reader, *listing.files[path], int(path in listing.fresh))

    def _put(self, writer: Writer, path: str, found: tuple[State, Reading], stored: str | None, tally: _Tally) -> None:
        state, reading = found
        old = decode(stored) if stored is not None else None
        if old and old.reader == state.reader and old.digest == reading.digest != "":
            writer.mark(path, json.dumps(old._replace(size=state.size, changed=state.changed, doubtful=state.doubtful)))
            tally.unchanged += 1
            return
        passages = list(reading.passages)
        seen = State(*state[:4], reading.digest, len(passages), reading.tags, reading.problem, reading.version)
        writer.put(path, passages, json.dumps(seen))
        if seen.digest:
            _count(tally, seen.digest, new=old is None)

    def _compare(self, listing: Listing, known: Mapping[str, str], only: Collection[str] | None = None) -> Changes:
        changes = Changes()
        files = listing.files if only is None else {path: listing.files[path] for path in only if path in listing.files}
        for path, (size, changed) in files.items():
            state = known.get(path)
            if state is None:
                changes.added.append(path)
            elif not state.startswith(f"[{self._format.reader}, {size}, {changed}, "):
                changes.changed.append(path)
            elif not state.startswith(f"[{self._format.reader}, {size}, {changed}, 0"):
                changes.doubtful.append(path)
        if listing.complete and only is None:
            changes.removed = [path for path in known if path not in listing.files]
        return changes

    def _result(self, run: _Run) -> Indexed:
        tally, listing = run.tally, run.listing
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


@contextmanager
def reading(form: Format, listing: Listing) -> Iterator[Callable[[str], Reading]]:
    """The reader of one run; one that holds something has a ``close()``."""
    read = form.reading(listing)
    try:
        yield read
    finally:
        close = getattr(read, "close", None)
        if close is not None:
            close()


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
