"""The concepts as a question sees them: those of all books, or those of a project where one stands for several."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.nearest import nearest
from encyclopedia_adapters.local.graph.mentions import Names
from encyclopedia_adapters.local.graph.rows import concepts_of, known_books
from encyclopedia_adapters.local.graph.store import several

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping

    from encyclopedia.ports import Embedder

_MOST_NEAR = 20_000


class Layer(NamedTuple):
    """``books`` in scope; ``canonical`` maps a concept to what stands for it; empty where each stands for itself."""

    project: str
    books: tuple[str, ...]
    canonical: Mapping[str, str]
    members: Mapping[str, tuple[str, ...]]

    def head(self, concept: str) -> str:
        """What stands for a concept."""
        return self.canonical.get(concept, concept)

    def all_of(self, concepts: Iterable[str]) -> tuple[str, ...]:
        """The concepts with all that are the same."""
        heads = dict.fromkeys(map(self.head, concepts))
        return tuple(member for head in heads for member in self.members.get(head, (head,)))


class View(NamedTuple):
    """One state of the graph as a question sees it: the connection, the folder of the text indexes, what is in scope."""

    con: sqlite3.Connection
    folder: str
    layer: Layer
    embedder: Embedder | None = None


def layer_of(con: sqlite3.Connection, project: str = "", consultation: str = "") -> Layer:
    """The layer of a project, else of the project that a consultation belongs to, else all books each for itself.

    Raises ``ConfigurationError`` for a project that is not there or not built.
    """
    project = project or consultation.partition(".")[2]
    if not project:
        return Layer("", tuple(known_books(con)), {}, {})
    row = con.execute("SELECT built_of FROM project WHERE id = ?", (project,)).fetchone()
    if row is None:
        there = [name for (name,) in con.execute("SELECT id FROM project")]
        raise ConfigurationError(f"project {project!r} not found", nearest(project, there) if there else "")
    books = tuple(json.loads(row[0]))
    if not books:
        raise ConfigurationError(f"project {project!r} is not built", f"`encyclopedia graph project build {project}` builds it")
    canonical = dict(con.execute("SELECT concept, canonical FROM member WHERE project = ?", (project,)))
    members: dict[str, tuple[str, ...]] = {}
    for concept, head in canonical.items():
        members[head] = (*members.get(head, ()), concept)
    return Layer(project, books, canonical, members)


def described(con: sqlite3.Connection, concepts: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Name, category, book and definition of each concept that there is."""
    sql = "SELECT id, name, category, book, definition, chapter FROM concept WHERE id IN (…)"
    return {
        name: {"id": name, "name": called, "category": category, "book_id": book, "definition": definition, "chapter": chapter}
        for name, called, category, book, definition, chapter in several(con, sql, concepts)
    }


def resolved(con: sqlite3.Connection, names: Iterable[str], layer: Layer) -> list[str]:
    """The concepts of these ids; what is no id is taken as a name, of all books in scope.

    Raises ``ConfigurationError`` for one that is neither, with the nearest id.
    """
    wanted = list(dict.fromkeys(names))
    there = described(con, wanted)
    found: list[str] = []
    for name in wanted:
        called = [name] if name in there else _called(con, name, layer)
        if not called:
            sql = "SELECT name FROM concept UNION SELECT id FROM concept LIMIT ?"
            every = [row[0] for row in con.execute(sql, (_MOST_NEAR,))]
            raise ConfigurationError(f"unknown concept {name!r}", nearest(name, every))
        found += called
    return list(dict.fromkeys(found))


def _called(con: sqlite3.Connection, name: str, layer: Layer) -> list[str]:
    found = (Names(concepts_of(con, book)).concept(name) for book in layer.books)
    return [concept for concept in found if concept]
