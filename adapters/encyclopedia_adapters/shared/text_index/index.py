"""An index of texts in a folder, by words and by meaning: what local sources search and keep up to date."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.shared.private_files import private_folder
from encyclopedia_adapters.shared.text_index import fields, manifest, questions, vector_files
from encyclopedia_adapters.shared.text_index.coverage import Coverage
from encyclopedia_adapters.shared.text_index.passage import Filled, Match, best_first, match
from encyclopedia_adapters.shared.text_index.vectors import OpenVectors
from encyclopedia_adapters.shared.text_index.view import Damaged, View
from encyclopedia_adapters.shared.text_index.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tantivy import IndexWriter, Query

    from encyclopedia.model.plan import StandsFor
    from encyclopedia.ports import Embedder, Progress
    from encyclopedia_adapters.shared.text_index.hybrid import Found

_HEAP = 32_000_000


class TextIndex:
    """The index in ``folder``. A missing folder is an empty index; reading creates nothing and never raises.

    Any number of processes may read while one writes; a reader sees each commit whole, at its next call. Vectors are found by
    the text that they stand for, so a passage that has changed has none until the next ``fill``.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        # One value, so that another thread never sees half of it.
        self._seen: tuple[tuple[int, ...] | None, View | None, str] = (None, None, "")
        self._vectors = OpenVectors(folder)

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
        try:
            return view.states if view else {}
        except Damaged as damage:
            self._mark(damage)
            return {}

    def stamp(self) -> tuple[int, ...] | None:
        """Changes with every commit and with every vector; opens nothing."""
        stamp = manifest.stamp(self.folder)
        return stamp and (*stamp, *(vector_files.stamp(self.folder) or ()))

    def changed_at(self) -> float:
        """Wall-clock seconds of the last commit, 0 without any."""
        return manifest.changed_at(self.folder)

    def encoded(self) -> int | None:
        """How many vectors are stored; ``None`` if there never were any. Opens nothing."""
        return vector_files.stored(self.folder) if vector_files.stamp(self.folder) else None

    def knows(self, word: str, *, least: int = 1, beside: tuple[str, ...] = ()) -> bool:
        """Whether the word, whole and in any case, finds something; as in a search its English ending does not matter.

        ``least`` documents must hold it; those ``beside`` do not count.
        """
        view = self._refresh()
        for _ in range(least):
            found = self._find(view, questions.word_query(view.fields, word, beside), 1) if view else []
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
        title: float = questions.TITLE,
        embedder: Embedder | None = None,
    ) -> tuple[Match, ...]:
        """At most ``limit`` passages with any of the words, best first, equal scores in the order of their ids.

        ``tags`` (any of them) and ``documents`` narrow the search before anything is ranked. A ``"quoted phrase"`` counts more,
        a word in the title ``title`` times more beside what it counts anyway.

        With an ``embedder`` the meaning of the text counts too; scores are then from 0 to 1, else BM25. A passage that has no
        vector yet is judged by its words; with vectors of another embedder all are, and ``vectors`` says so.
        """
        view, scope = self._refresh(), {"tag": tags, "document": documents}
        if not view or limit <= 0:
            return ()
        try:
            found = self._both(view, (text, scope, title), limit, embedder) if embedder else None
            if found is None:
                query = questions.passage_query(view, text, title)
                scored = view.find(questions.scoped(view.fields, query, scope), limit) if query else []
                return best_first(match(entry, score) for score, entry in scored)
        except Damaged as damage:
            self._mark(damage)
            return ()
        return best_first(match(each.entry, each.score, each.near) for each in found)

    def _both(
        self, view: View, asked: tuple[str, Mapping[str, tuple[str, ...]], float], limit: int, embedder: Embedder
    ) -> list[Found] | None:
        """What is found by words and meaning together; ``None`` if there are no vectors to compare with."""
        from encyclopedia_adapters.shared.text_index import hybrid

        vectors = self._vectors.of(embedder)
        if not vectors:
            return None
        text, scope, title = asked
        vector = embedder.embed([text])[0]
        if not vector.any():
            return None
        return hybrid.search(view, vectors, hybrid.Asked(text, self.coverage(text), vector, scope, title), limit)

    def vectors(self, embedder: Embedder) -> Filled:
        """How many passages have a vector of ``embedder``, and why they have none if others are there."""
        view, vectors = self._refresh(), self._vectors.of(embedder)
        try:
            keys = [key for key, _ in view.keys(questions.scoped(view.fields, None, {}))] if view else []
        except Damaged as damage:
            self._mark(damage)
            keys = []
        return Filled(vectors.known(keys) if vectors else 0, len(set(keys)), self._vectors.problem(embedder))

    def passages(self, document: str) -> tuple[Match, ...]:
        """All passages of a document in the order of their ids, each with a score of 0."""
        return self._all("document", (document,))

    def tagged(self, tags: tuple[str, ...]) -> tuple[Match, ...]:
        """All passages with any of the tags in the order of their ids, each with a score of 0."""
        return self._all("tag", tags)

    def _all(self, field: str, values: tuple[str, ...]) -> tuple[Match, ...]:
        view = self._refresh()
        query = questions.any_of(view.fields, field, values) if view else None
        found = self._find(view, query, view.size) if view and query and view.size else []
        matches = [match(entry, 0.0) for _, entry in found]
        return tuple(sorted(matches, key=lambda found: found.id))

    def fill(
        self, embedder: Embedder, progress: Progress, *, stop: Callable[[], bool] = lambda: False, wait: float = 2.0
    ) -> int:
        """Encode the passages that have no vector yet, some at a time until ``stop()``; the number encoded.

        What is done stays done, however this ends, and may be searched at once. Vectors of another embedder are put away. The
        index may be searched and updated meanwhile. Raises ``IndexBusy`` if another process is at it, ``OSError`` or
        ``ValueError`` if the disk does not take it or ``embedder`` gives no vectors.
        """
        from encyclopedia_adapters.shared.text_index import filling

        view = self._refresh()
        if not view or not view.size:
            return 0
        try:
            return filling.fill((self.folder, wait), view, embedder, progress, stop)
        except Damaged as damage:
            self._mark(damage)
            return 0

    def remove(self) -> None:
        """Remove the index with all that it holds; what else is in the folder stays."""
        manifest.remove(self.folder)

    @contextmanager
    def update(self, wait: float = 2.0) -> Iterator[Writer]:
        """Change the index: one atomic commit at the end, nothing at all if the block raises.

        An index that cannot be used is put away first, so ``documents`` must be asked again inside the block. Raises
        ``IndexBusy`` if another writer does not finish within ``wait`` seconds, ``OSError`` or ``ValueError`` if the disk does
        not take it.
        """
        with manifest.writing(self.folder, wait):
            engine = self._begin()
            writer = Writer(engine, self._refresh())
            try:
                yield writer
                writer.commit()
            except BaseException:
                engine.rollback()
                raise
            finally:
                engine.wait_merging_threads()
                manifest.tighten(manifest.segments(self.folder))

    def _begin(self) -> IndexWriter:
        from tantivy import Index

        path = manifest.segments(self.folder)
        if self._refresh() is None:
            manifest.put_away(path, keep=not manifest.mismatch(self.folder))
            private_folder(path)
            Index(fields.schema(), path)
            manifest.sign(self.folder)
        index = Index.open(path)
        fields.register(index)
        return index.writer(_HEAP, 1)

    def _refresh(self) -> View | None:
        """The index as it is now; ``None``, with or without a problem, if there is nothing to search."""
        stamp = manifest.stamp(self.folder)
        seen, view, _ = self._seen
        if stamp != seen:
            view, problem = _open(self.folder) if stamp else (None, "")
            self._seen = (stamp, view, problem)
        return view

    def _find(self, view: View, query: Query, limit: int) -> list[tuple[float, tuple[dict[str, Any], str]]]:
        try:
            return view.find(query, limit)
        except Damaged as damage:
            self._mark(damage)
            return []

    def _mark(self, damage: Damaged) -> None:
        """The index is of no use any more; the next update makes it anew."""
        self._seen = (self._seen[0], None, f"the index is damaged: {damage}")


def _open(folder: str) -> tuple[View | None, str]:
    if problem := manifest.mismatch(folder):
        return None, problem
    try:
        return View(folder), ""
    except Damaged as damage:
        return None, f"the index is damaged: {damage}"
