"""The corpus kind ``graph``: how books become a source, how they are indexed, how they stand, and their own verbs."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from encyclopedia.model.corpus import CorpusReport
from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.query import Form
from encyclopedia.ports import Card, Package

if TYPE_CHECKING:
    from collections.abc import Iterator

    from encyclopedia.model.corpus import Corpus, Indexed
    from encyclopedia.ports import Context, Embedder, Progress, Source
    from encyclopedia_adapters.local.graph.shelf import Shelf
    from encyclopedia_adapters.local.graph.update import Known
    from encyclopedia_adapters.local.graph.verbs import Graph

_MOST_PROBLEMS = 200
_COUNTED = ("book", "section", "concept", "relation", "project")


class GraphKind:
    """Books of markdown, and bundles of JSON Lines, as concepts and relations."""

    options: tuple[str, ...] = ()

    def card(self, corpus: Corpus) -> Card:
        """The card of the source that answers from this corpus; nothing is opened yet."""

        def make(context: Context) -> Source:
            from encyclopedia_adapters.local.graph.source import GraphSource

            return GraphSource(corpus, context.embedder)

        return Card(
            name=corpus.name,
            serves=corpus.serves,
            make=make,
            description=f"books under {corpus.path}",
            requires=(Package("tantivy"), Package("Stemmer")),
            form=Form.KEYWORD,
            corpus=True,
            tags=True,
            alternatives=True,
            index=lambda _context, progress: self.index(corpus, progress),
            state=lambda _context: self._state(corpus),
            revision=lambda _context: self.revision(corpus),
            knows=lambda _context, word: self.knows(corpus, word),
        )

    def graph(self, corpus: Corpus) -> Graph:
        """The verbs that a graph has besides search."""
        from encyclopedia_adapters.local.graph.verbs import Graph

        return Graph(corpus, self)

    def index(self, corpus: Corpus, progress: Progress, *, rebuild: bool = False, embedder: Embedder | None = None) -> Indexed:
        """Read the books that are new or changed, forget those that are gone; ``progress`` is told each.

        Documents are books. Raises ``ConfigurationError`` if there are none, if the graph cannot be written, or if somebody
        else is writing it.
        """
        from encyclopedia_adapters.local.graph.store import Store
        from encyclopedia_adapters.local.graph.update import Run, bring

        found = self.shelf(corpus)
        if not found.units and not Store(corpus.folder).rows("SELECT 1 FROM unit LIMIT 1"):
            told = f"{corpus.path} is no corpus of kind {corpus.kind}: it holds neither books of markdown nor concepts.jsonl"
            raise ConfigurationError(told, "give another path, or another kind with --kind")
        with refusals(corpus):
            return bring(corpus, found, Run(progress, embedder=embedder), rebuild=rebuild)

    def report(self, corpus: Corpus) -> CorpusReport:
        """How the corpus stands; reads only. Documents are books, passages are sections, tags are the ids of books."""
        from encyclopedia_adapters.local.graph.store import Store
        from encyclopedia_adapters.local.graph.texts import sections_of
        from encyclopedia_adapters.local.graph.update import known_units

        store = Store(corpus.folder)
        problems = [f"{store.problem}; it will be made anew"] if store.problem else []
        with refusals(corpus):
            rows = store.rows("SELECT path, line, reason FROM problem ORDER BY path, line LIMIT ?", (_MOST_PROBLEMS,))
            books = store.rows("SELECT id, (SELECT count(*) FROM section WHERE book = book.id) FROM book ORDER BY id")
            known = known_units(store)
            counts = [(f"{kind}s", store.rows(f"SELECT count(*) FROM {kind}")) for kind in _COUNTED]  # noqa: S608 - names of ours
        problems += [f"{path}:{line}: {reason}" if line else f"{path}: {reason}" for path, line, reason in rows]
        found = CorpusReport(
            documents=len(books),
            passages=sum(count for _, count in books),
            indexed_at=sections_of(corpus.folder).changed_at(),
            problems=tuple(problems),
            tags=tuple((book.lower(), count) for book, count in books),
            counts=tuple((name, rows[0][0]) for name, rows in counts if rows),
        )
        return self._compared(corpus, found, known)

    def _compared(self, corpus: Corpus, report: CorpusReport, known: dict[str, Known]) -> CorpusReport:
        """The report with what lies under the path now."""
        from encyclopedia_adapters.local.graph.update import changes

        try:
            found = self.shelf(corpus)
        except ConfigurationError as error:
            return report._replace(problems=(error.message, *report.problems))
        made = changes(known, found)
        return report._replace(
            bytes=sum(stamp[0] for unit in found.units.values() for stamp in unit.files.values()),
            added=len(made.added),
            changed=len(made.changed),
            removed=len(made.removed),
            skipped=found.skipped,
        )

    def knows(self, corpus: Corpus, word: str) -> bool:
        """Whether the word occurs in the books as they are indexed now."""
        from encyclopedia_adapters.local.graph.texts import sections_of

        return sections_of(corpus.folder).knows(word)

    def names(self, corpus: Corpus, document: str = "") -> tuple[str, ...]:
        """The path of each file; with ``document`` the ids and ``path#title`` of its sections, ``path#line`` of relations."""
        from encyclopedia_adapters.local.graph.store import Store

        with refusals(corpus):
            store = Store(corpus.folder)
            if not document:
                sql = "SELECT path FROM section UNION SELECT path FROM relation ORDER BY path"
                return tuple(path for (path,) in store.rows(sql) if path)
            rows = store.rows("SELECT id, path || '#' || title FROM section WHERE path = ? ORDER BY rank", (document,))
            rows += store.rows("SELECT DISTINCT path || '#' || first FROM relation WHERE path = ?", (document,))
        return tuple(dict.fromkeys(name for row in rows for name in row))

    def revision(self, corpus: Corpus) -> str:
        """A digest of the names, sizes and times of the files; empty if the path is gone."""
        from encyclopedia_adapters.local.corpus_format import digest

        try:
            found = self.shelf(corpus)
        except ConfigurationError:
            return ""
        return digest(*sorted(f"{name} {unit.signature}" for name, unit in found.units.items()))[:16]

    def shelf(self, corpus: Corpus) -> Shelf:
        """What lies under the path now. Raises ``ConfigurationError`` if it is gone."""
        from encyclopedia_adapters.local.graph.shelf import shelf

        try:
            return shelf(corpus)
        except FileNotFoundError:
            hint = f"bring it back, or `encyclopedia corpus remove {corpus.name}`"
            raise ConfigurationError(f"{corpus.path} of the corpus {corpus.name} is not there", hint) from None

    def _state(self, corpus: Corpus) -> str:
        from encyclopedia_adapters.local.graph.store import Store

        if not os.path.exists(corpus.path):
            return f"{corpus.path} is not there"
        store = Store(corpus.folder)
        with refusals(corpus):
            counts = [store.rows(f"SELECT count(*) FROM {kind}") for kind in ("book", "concept", "relation", "section")]  # noqa: S608 - names of ours
        if store.problem or not counts[0]:
            return store.problem or "not indexed yet"
        books, concepts, relations, sections = (rows[0][0] for rows in counts)
        return f"{books} books, {concepts} concepts, {relations} relations, {sections} sections"


@contextmanager
def refusals(corpus: Corpus) -> Iterator[None]:
    """What the graph's files refuse becomes an error for a person."""
    import sqlite3

    from encyclopedia_adapters.shared.text_index import IndexBusy

    try:
        yield
    except (IndexBusy, BlockingIOError) as busy:
        raise ConfigurationError(f"{corpus.name} is being indexed by another process", "wait until it is done") from busy
    except sqlite3.DatabaseError as error:
        hint = f"`encyclopedia corpus index {corpus.name} --rebuild` makes it anew"
        raise ConfigurationError(f"the graph of {corpus.name} cannot be used: {error}", hint) from error
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"the graph of {corpus.name} cannot be written: {error}", f"look at {corpus.folder}"
        ) from error
