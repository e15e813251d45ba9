"""A lexical index in a folder: what local sources search and keep up to date."""

from __future__ import annotations

from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia_adapters.shared import index_manifest, index_query
from encyclopedia_adapters.shared.coverage import Coverage
from encyclopedia_adapters.shared.index_manifest import IndexBusy
from encyclopedia_adapters.shared.index_view import Damaged, View
from encyclopedia_adapters.shared.private_files import private_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tantivy import IndexWriter, Query

    from encyclopedia.model.plan import StandsFor

__all__ = ["IndexBusy", "Match", "Passage", "TextIndex", "Writer"]

_HEAP = 32_000_000


class Passage(NamedTuple):
    """A piece of a document as it is indexed.

    ``data`` is JSON that comes back with a match. ``also`` are words that find the passage as those of the title do, without
    being shown (aliases, a file name).
    """

    id: str
    document: str
    title: str
    body: str
    tags: tuple[str, ...] = ()
    data: Mapping[str, object] = MappingProxyType({})
    also: str = ""


class Match(NamedTuple):
    """A passage that was found; ``score`` is BM25, comparable within one search only."""

    id: str
    document: str
    score: float
    title: str
    body: str
    data: Mapping[str, object]
    also: str = ""


class Writer:
    """What may be changed between the begin and the commit of an update."""

    def __init__(self, engine: IndexWriter, states: dict[str, str]) -> None:
        self._engine = engine
        self._states = states
        self._touched = False

    def put(self, document: str, passages: Iterable[Passage], state: str = "") -> None:
        """Replace all passages of the document; ``state`` is what ``TextIndex.documents`` tells of it from then on."""
        self._drop(document)
        for passage in passages:
            head = {"id": passage.id, "document": document, "title": passage.title, "data": dict(passage.data)}
            head |= {"also": passage.also} if passage.also else {}
            names = {"document": (document,), "tag": passage.tags}
            title = f"{passage.title} {passage.also}"
            stored = index_query.encode(head, passage.body)
            self._engine.add_document(index_query.passage_document(title, passage.body, names, stored))
        self._states[document] = state

    def mark(self, document: str, state: str) -> None:
        """Change what is told of the document; its passages stay."""
        self._states[document] = state
        self._touched = True

    def remove(self, document: str) -> None:
        """Remove the document with all its passages; one that is not there is no error."""
        self._drop(document)
        self._states.pop(document, None)

    def clear(self) -> None:
        """Remove everything."""
        self._engine.delete_all_documents()
        self._states.clear()
        self._touched = True

    def commit(self) -> None:
        """Make all changes visible and durable at once; without any nothing is written."""
        if not self._touched:
            return
        from tantivy import Document

        self._engine.delete_documents_by_term("role", "states")
        self._engine.add_document(Document(role="states", stored=index_query.encode(self._states)))
        self._engine.commit()

    def _drop(self, document: str) -> None:
        if document in self._states:
            self._engine.delete_documents_by_term("document", index_query.exact(document))
        self._touched = True


class TextIndex:
    """A lexical index in ``folder``. A missing folder is an empty index; reading creates nothing and never raises.

    Any number of processes may read while one writes; a reader sees each commit whole, at its next call.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        # One value, so that another thread never sees half of it.
        self._seen: tuple[tuple[int, ...] | None, View | None, str] = (None, None, "")

    @property
    def problem(self) -> str:
        """Why nothing can be found in an index that is there (another version, damage), else empty; an update heals it."""
        self._refresh()
        return self._seen[2]

    def count(self) -> int:
        """The number of passages."""
        view = self._refresh()
        return view.size if view else 0

    def documents(self) -> Mapping[str, str]:
        """The documents with the ``state`` that was put with each, as of the last commit."""
        view = self._refresh()
        return view.states if view else {}

    def stamp(self) -> tuple[int, ...] | None:
        """Changes with every commit; opens nothing."""
        return index_manifest.stamp(self.folder)

    def changed_at(self) -> float:
        """Wall-clock seconds of the last commit, 0 without any."""
        return index_manifest.changed_at(self.folder)

    def knows(self, word: str, *, least: int = 1, beside: tuple[str, ...] = ()) -> bool:
        """Whether the word, whole and in any case, finds something; as in a search its English ending does not matter.

        ``least`` documents must hold it; those ``beside`` do not count.
        """
        view = self._refresh()
        for _ in range(least):
            found = self._find(view, index_query.word_query(view.fields, word, beside), 1) if view else []
            if not found:
                return False
            beside = (*beside, found[0][1][0]["document"])
        return True

    def coverage(self, text: str, stands_for: StandsFor = ()) -> Coverage:
        """Tells of passages how much of ``text`` they hold, with the weights that its words have in this index."""
        view = self._refresh()
        return Coverage(text, view.size if view else 0, view.frequency if view else lambda _: 0, stands_for)

    def search(
        self,
        text: str,
        *,
        limit: int,
        tags: tuple[str, ...] = (),
        documents: tuple[str, ...] = (),
        title: float = index_query.TITLE,
    ) -> tuple[Match, ...]:
        """At most ``limit`` passages with any of the words, best first, equal scores in the order of their ids.

        ``tags`` (any of them) and ``documents`` narrow the search before anything is ranked. A ``"quoted phrase"`` counts more,
        a word in the title ``title`` times more beside what it counts anyway.
        """
        view = self._refresh()
        scope = {"tag": tags, "document": documents}
        query = index_query.passage_query(view.fields, text, scope, title) if view else None
        found = self._find(view, query, limit) if view and query and limit > 0 else []
        matches = [
            Match(head["id"], head["document"], score, head["title"], body, head["data"], head.get("also", ""))
            for score, (head, body) in found
        ]
        return tuple(sorted(matches, key=lambda match: (-match.score, match.id)))

    @contextmanager
    def update(self, wait: float = 2.0) -> Iterator[Writer]:
        """Change the index: one atomic commit at the end, nothing at all if the block raises.

        An index that cannot be used is put away first, so ``documents`` must be asked again inside the block. Raises
        ``IndexBusy`` if another writer does not finish within ``wait`` seconds, ``OSError`` or ``ValueError`` if the disk does
        not take it.
        """
        with index_manifest.writing(self.folder, wait):
            engine = self._begin()
            writer = Writer(engine, dict(self.documents()))
            try:
                yield writer
                writer.commit()
            except BaseException:
                engine.rollback()
                raise
            finally:
                engine.wait_merging_threads()
                index_manifest.tighten(index_manifest.segments(self.folder))

    def _begin(self) -> IndexWriter:
        from tantivy import Index

        path = index_manifest.segments(self.folder)
        if self._refresh() is None:
            index_manifest.put_away(path, keep=not index_manifest.mismatch(self.folder))
            private_folder(path)
            Index(index_query.schema(), path)
            index_manifest.sign(self.folder)
        index = Index.open(path)
        index_query.register(index)
        return index.writer(_HEAP, 1)

    def _refresh(self) -> View | None:
        """The index as it is now; ``None``, with or without a problem, if there is nothing to search."""
        stamp = index_manifest.stamp(self.folder)
        seen, view, _ = self._seen
        if stamp != seen:
            view, problem = _open(self.folder) if stamp else (None, "")
            self._seen = (stamp, view, problem)
        return view

    def _find(self, view: View, query: Query, limit: int) -> list[tuple[float, tuple[dict[str, Any], str]]]:
        try:
            return view.find(query, limit)
        except Damaged as damage:
            self._seen = (self._seen[0], None, f"the index is damaged: {damage}")
            return []


def _open(folder: str) -> tuple[View | None, str]:
    if problem := index_manifest.mismatch(folder):
        return None, problem
    try:
        return View(folder), ""
    except Damaged as damage:
        return None, f"the index is damaged: {damage}"
