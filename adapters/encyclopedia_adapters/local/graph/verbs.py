"""What a graph of books is asked: books, concepts, what lies around them, passages, projects, export and import."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import ConfigurationError, UsageError
from encyclopedia.ports import no_embedder
from encyclopedia_adapters.local.graph.demands import asked, between, ids, share
from encyclopedia_adapters.local.graph.store import Store

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Sequence

    from encyclopedia.model.corpus import Corpus
    from encyclopedia.ports import Embedder
    from encyclopedia_adapters.local.graph.kind import GraphKind
    from encyclopedia_adapters.local.graph.layer import Layer, View

DEFAULT_FLOOR = 0.5


class Graph:
    """The verbs of one corpus. Each gives a plain dict; ``notes`` tell what is older than its files.

    All raise ``ConfigurationError`` for what is not there or cannot be read, ``UsageError`` for what cannot be asked.
    """

    def __init__(self, corpus: Corpus, kind: GraphKind) -> None:
        self._corpus, self._kind = corpus, kind
        self._store = Store(corpus.folder)

    def list_books(self) -> dict[str, Any]:
        """``books``: id, title, and the numbers of chapters, sections, concepts and relations of each."""
        from encyclopedia_adapters.local.graph.rows import counted_books

        with self._reading() as con:
            books = counted_books(con)
        return self._noted({"books": books})

    def match_concepts(
        self,
        project_description: str,
        *,
        project_id: str = "",
        limit: int = 15,
        embedder: Callable[[], Embedder | None] = no_embedder,
    ) -> dict[str, Any]:
        """``matched_concepts`` best first: id, name, category, score from 0 to 1, book; in a project the books and members.

        ``consultation_id`` names question and project; later verbs that are given it use the project.
        """
        from encyclopedia_adapters.local.graph.layer import layer_of
        from encyclopedia_adapters.local.graph.match import match

        description = asked(project_description, "project_description")
        limit = between("limit", limit, 1, 50)
        with self._reading() as con:
            found = match(self._view(con, layer_of(con, project_id), embedder), description, limit)
        return self._noted(found)

    def get_subgraph(  # noqa: PLR0913 - what may be asked of it
        self,
        concept_ids: Sequence[str],
        *,
        max_hops: int = 2,
        max_edges: int = 50,
        confidence_threshold: float = DEFAULT_FLOOR,
        include_descriptions: bool = False,
        project_id: str = "",
        consultation_id: str = "",
    ) -> dict[str, Any]:
        """``nodes`` and ``edges`` around the concepts (ids, or names), edges best first; ``cut`` says what is left out."""
        from encyclopedia_adapters.local.graph import subgraph
        from encyclopedia_adapters.local.graph.layer import layer_of, resolved

        wanted = ids(concept_ids, "concept_ids")
        if not wanted:
            raise UsageError("no concept was given", "give the ids that `match` found")
        want = subgraph.Want(
            between("max_hops", max_hops, 1, subgraph.MOST_HOPS),
            share("confidence_threshold", confidence_threshold),
            between("max_edges", max_edges, 1, subgraph.MOST_EDGES),
            include_descriptions,
        )
        with self._reading() as con:
            layer = layer_of(con, project_id, consultation_id)
            wanted = resolved(con, wanted, layer)
            found = subgraph.subgraph(con, wanted, layer, want)
        return self._noted(_consulted(found, consultation_id))

    def ask_book(  # noqa: PLR0913 - what may be asked of it
        self,
        question: str,
        *,
        concept_ids: Sequence[str] = (),
        book_id: str = "",
        project_id: str = "",
        max_passages: int = 3,
        consultation_id: str = "",
        embedder: Callable[[], Embedder | None] = no_embedder,
    ) -> dict[str, Any]:
        """``passages`` best first, each verbatim with book, chapter, pages or lines and section; ``suggested_questions``."""
        from encyclopedia_adapters.local.graph import ask
        from encyclopedia_adapters.local.graph.layer import layer_of, resolved
        from encyclopedia_adapters.local.graph.rows import one_book

        text, wanted = asked(question, "question"), ids(concept_ids, "concept_ids")
        limit = between("max_passages", max_passages, 1, ask.MOST_PASSAGES)
        with self._reading() as con:
            layer = layer_of(con, project_id, consultation_id)
            wanted = resolved(con, wanted, layer)
            if book_id:
                layer = layer._replace(books=(one_book(con, book_id),))
            view = self._view(con, layer, embedder)
            found = ask.passages(view, text, wanted, limit)
            about = wanted or list(dict.fromkeys(name for row in found for name in row["concept_ids"]))
            questions = ask.suggested(view, text, about)
        body = {"question": text, "scoped_to_concepts": wanted or None, "passage_count": len(found)}
        return self._noted(_consulted(body | {"passages": found, "suggested_questions": questions}, consultation_id))

    def start_project(
        self, name: str, *, project_description: str = "", project_id: str = "", triaged_book_ids: Sequence[str] = ()
    ) -> dict[str, Any]:
        """Make a project, or begin it anew: it must be built then. Without book ids it holds all books."""
        from encyclopedia_adapters.local.graph import projects
        from encyclopedia_adapters.local.graph.values import slug
        from encyclopedia_adapters.shared.sanitize import clean_line

        called, project = clean_line(asked(name, "name")), clean_line(project_id)
        with self._writing() as con:
            books = ids(triaged_book_ids, "triaged_book_ids")
            return projects.start(con, project or slug(called), called, clean_line(project_description, 4000), books)

    def build_project_kg(self, project_id: str, *, force: bool = False, embedder: Embedder | None = None) -> dict[str, Any]:
        """Build the layer of a project; ``skipped`` if it is built already and its books are the same.

        ``pairs`` are those adjudicated now and those whose verdicts were kept; ``merged`` concepts stand for several.
        """
        from encyclopedia_adapters.local.graph import projects

        with self._writing() as con:
            return projects.build(con, project_id, embedder, force=force)

    def list_projects(self) -> dict[str, Any]:
        """``projects``: id, name, description, books, and how the layer of each stands."""
        from encyclopedia_adapters.local.graph import projects

        with self._reading() as con:
            rows = con.execute("SELECT id, name, description, books, built_at FROM project ORDER BY id").fetchall()
            found = [
                {"project_id": project, "name": name, "description": description, "triaged_book_ids": json.loads(books)}
                | {"built": built_at is not None, "built_at": built_at, **projects.standing(con, project)}
                for project, name, description, books, built_at in rows
            ]
        return {"projects": found}

    def merges(self, project_id: str) -> dict[str, Any]:
        """``merged``: the concepts of a project that stand for several, with these; ``declined``: what was not joined."""
        from encyclopedia_adapters.local.graph.layer import described, layer_of

        with self._reading() as con:
            layer = layer_of(con, project_id)
            groups = {head: members for head, members in layer.members.items() if len(members) > 1}
            known = described(con, (name for members in groups.values() for name in members))
            sql = "SELECT one, other, reason FROM declined WHERE project = ? ORDER BY one, other"
            declined = [{"one": one, "other": other, "reason": why} for one, other, why in con.execute(sql, (project_id,))]
        merged = [
            {"id": head, "name": known[head]["name"], "members": [known[name] for name in members]}
            for head, members in groups.items()
        ]
        return {"project_id": project_id, "merged": merged, "declined": declined}

    def export(self, folder: str) -> dict[str, Any]:
        """Write all books as a bundle into ``folder``, which is made; numbers of what was written."""
        from encyclopedia_adapters.local.graph.exchange import export

        with self._reading() as con:
            return export(con, folder)

    def take_in(self, path: str, *, name: str = "", embedder: Embedder | None = None) -> dict[str, Any]:
        """Import the bundle or books at ``path``: they are copied beside the index; the same name replaces, the others stay."""
        from encyclopedia_adapters.local.graph.exchange import take_in

        imported = take_in(self._corpus, path, name)
        return {"imported": imported, **self._index(embedder)}

    def drop(self, name: str) -> dict[str, Any]:
        """Forget what was imported under that name."""
        from encyclopedia_adapters.local.graph.exchange import drop

        drop(self._corpus, name)
        return {"dropped": name, **self._index(None)}

    def _index(self, embedder: Embedder | None) -> dict[str, Any]:
        done = self._kind.index(self._corpus, lambda *_: None, embedder=embedder)
        told = {"added": done.added, "changed": done.changed, "removed": done.removed, "unchanged": done.unchanged}
        return told | {"skipped": [{"path": path, "reason": reason} for path, reason in done.skipped]}

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        from encyclopedia_adapters.local.graph.kind import refusals

        with refusals(self._corpus), self._store.reader() as con:
            if con is None:
                told = self._store.problem or "it is not indexed yet"
                raise ConfigurationError(f"{self._corpus.name}: {told}", f"`encyclopedia corpus index {self._corpus.name}`")
            yield con

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        from encyclopedia_adapters.local.graph.kind import refusals

        with self._reading():  # which says what is missing
            pass
        with refusals(self._corpus), self._store.writer() as con:
            yield con

    def _view(self, con: sqlite3.Connection, layer: Layer, embedder: Callable[[], Embedder | None]) -> View:
        """What a question sees; the embedder is opened only where there are vectors to compare with."""
        from encyclopedia_adapters.local.corpus_meaning import Meaning
        from encyclopedia_adapters.local.graph.layer import View
        from encyclopedia_adapters.local.graph.texts import sections_of

        meaning = Meaning(sections_of(self._corpus.folder), embedder)
        return View(con, self._corpus.folder, layer, meaning.embedder())

    def _noted(self, body: dict[str, Any]) -> dict[str, Any]:
        """The body, with a note where files have changed since they were read."""
        from encyclopedia_adapters.local.graph.update import changes, known_units

        made = changes(known_units(self._store), self._kind.shelf(self._corpus))
        if not made:
            return body
        told = f"{len(made)} books have changed since they were read: run `encyclopedia corpus index {self._corpus.name}`"
        return body | {"notes": [told]}


def _consulted(body: dict[str, Any], consultation_id: str) -> dict[str, Any]:
    return body | ({"consultation_id": consultation_id} if consultation_id else {})
