"""The index of one folder of documents: what has changed on disk since it was made, and bringing it up to date."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.model.corpus import Indexed
from encyclopedia_adapters.local import markdown, walk
from encyclopedia_adapters.shared.text_index import Passage, TextIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from encyclopedia.model.corpus import Corpus
    from encyclopedia_adapters.local.walk import Listing
    from encyclopedia_adapters.shared.text_index import Writer

READER = 1
"""Raised when passages are cut in another way, so that every file is read again."""

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
        reader, size, changed, digest, passages, tags, problem = json.loads(state)
        return State(int(reader), int(size), int(changed), str(digest), int(passages), tuple(tags), str(problem))
    except (ValueError, TypeError):
        return State(0, 0, 0)


class DocumentIndex:
    """The passages of one corpus; reads and writes only ``corpus.folder``."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.text = TextIndex(corpus.folder)

    def states(self) -> dict[str, State]:
        """What is indexed, by path."""
        return {path: decode(state) for path, state in self.text.documents().items()}

    def changes(self, listing: Listing) -> Changes:
        """What an update would do; of a listing that is not complete nothing can be said about removed files."""
        return _compare(listing, self.text.documents())

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
        while True:
            with self.text.update(wait) as writer:
                if rebuild:
                    writer.clear()
                known = {} if rebuild else self.text.documents()
                changes = _compare(listing, known)
                self._remove(writer, changes.removed, known, tally)
                pending = [*changes.added, *changes.changed]
                tally.unchanged = tally.unchanged if tally.done else len(listing.files) - len(pending)
                total = tally.done + len(pending)
                for path in takewhile(lambda _: not stop(), pending[:BATCH]):
                    progress(path, tally.done, total)
                    self._read(writer, listing, path, known, tally)
            rebuild = False
            if len(pending) <= BATCH or stop():
                return self._result(listing, tally)

    def _remove(self, writer: Writer, paths: list[str], known: Mapping[str, str], tally: _Tally) -> None:
        for path in paths:
            writer.remove(path)
            tally.gone.append(decode(known[path]).digest)
            tally.removed += 1

    def _read(self, writer: Writer, listing: Listing, path: str, known: Mapping[str, str], tally: _Tally) -> None:
        size, changed = listing.files[path]
        old = decode(known[path]) if path in known else None
        tally.done += 1
        try:
            raw = walk.read(listing.root, path)
        except OSError as error:
            state = State(READER, size, changed, problem=f"cannot be read: {error.strerror or error}")
            writer.put(path, (), json.dumps(state))
            return
        state = State(READER, size, changed, _digest(raw))
        if old and old.reader == READER and old.digest == state.digest:
            writer.mark(path, json.dumps(old._replace(size=size, changed=changed)))
            tally.unchanged += 1
            return
        text = walk.decode(raw)
        passages = list(self._passages(path, text)) if text is not None else []
        tags = passages[0].tags if passages else ()
        problem = "not text" if text is None else ""
        writer.put(path, passages, json.dumps(state._replace(passages=len(passages), tags=tags, problem=problem)))
        _count(tally, state.digest, new=old is None)

    def _passages(self, path: str, text: str) -> Iterator[Passage]:
        plain = not path.lower().endswith((".md", ".markdown"))
        note = markdown.parse_plain(text) if plain else markdown.parse(text)
        stem = path.rpartition("/")[2].rpartition(".")[0]
        title = note.title or stem
        for number, chunk in enumerate(note.chunks):
            headings = chunk.headings[1:] if chunk.headings[:1] == (title,) else chunk.headings
            yield Passage(
                id=f"{path}#{number}",
                document=path,
                title=" > ".join((title, *headings)),
                body=chunk.text,
                tags=note.tags,
                data={"section": " > ".join(chunk.headings), "lines": [chunk.first, chunk.last]},
                also=" ".join((stem, *note.aliases)) if number == 0 else "",
            )

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


def _compare(listing: Listing, known: Mapping[str, str]) -> Changes:
    changes = Changes()
    for path, (size, changed) in listing.files.items():
        state = known.get(path)
        if state is None:
            changes.added.append(path)
        elif not state.startswith(f"[{READER}, {size}, {changed}, "):
            changes.changed.append(path)
    if listing.complete:
        changes.removed = [path for path in known if path not in listing.files]
    return changes


def _count(tally: _Tally, digest: str, *, new: bool) -> None:
    if new and digest in tally.gone:
        tally.gone.remove(digest)
        tally.moved += 1
        tally.removed -= 1
    elif new:
        tally.added += 1
    else:
        tally.changed += 1


def _digest(raw: bytes) -> str:
    import hashlib

    return hashlib.sha256(raw).hexdigest()
