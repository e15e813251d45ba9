"""A lexical index in a folder: what local sources search and keep up to date."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.shared.private_files import private_folder
from encyclopedia_adapters.shared.text_index import manifest, questions
from encyclopedia_adapters.shared.text_index.coverage import Coverage
from encyclopedia_adapters.shared.text_index.passage import Match
from encyclopedia_adapters.shared.text_index.view import Damaged, View
from encyclopedia_adapters.shared.text_index.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tantivy import IndexWriter, Query

    from encyclopedia.model.plan import StandsFor
    from encyclopedia.ports import Embedder, Progress

_HEAP = 32_000_000


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
        try:
            return view.states if view else {}
        except Damaged as damage:
            self._mark(damage)
            return {}

    def stamp(self) -> tuple[int, ...] | None:
        """Changes with every commit; opens nothing."""
        return manifest.stamp(self.folder)

    def changed_at(self) -> float:
        """Wall-clock seconds of the last commit, 0 without any."""
        return manifest.changed_at(self.folder)

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
        a word in the title ``title`` times more beside what it counts anyway. With an ``embedder`` the meaning of the text
        counts too, for the passages that have a vector.
        """
        del embedder
        view = self._refresh()
        scope = {"tag": tags, "document": documents}
        query = questions.passage_query(view.fields, text, scope, title) if view else None
        found = self._find(view, query, limit) if view and query and limit > 0 else []
        matches = [_match(head, body, score) for score, (head, body) in found]
        return tuple(sorted(matches, key=lambda match: (-match.score, match.id)))

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
        matches = [_match(head, body, 0.0) for _, (head, body) in found]
        return tuple(sorted(matches, key=lambda match: match.id))

    def fill(self, embedder: Embedder, progress: Progress, *, stop: Callable[[], bool] = lambda: False) -> int:
        """Encode the passages that have no vector yet, some at a time until ``stop()``; the number encoded."""
        del embedder, progress, stop
        return 0

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
            Index(questions.schema(), path)
            manifest.sign(self.folder)
        index = Index.open(path)
        questions.register(index)
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


def _match(head: Mapping[str, Any], body: str, score: float) -> Match:
    return Match(head["id"], head["document"], score, head["title"], body, head["data"], head.get("also", ""))


def _open(folder: str) -> tuple[View | None, str]:
    if problem := manifest.mismatch(folder):
        return None, problem
    try:
        return View(folder), ""
    except Damaged as damage:
        return None, f"the index is damaged: {damage}"
