"""From rows of the graph to its values."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.nearest import nearest
from encyclopedia_adapters.local.graph.values import Concept

if TYPE_CHECKING:
    import sqlite3

_COUNTED = """SELECT id, title, is_oracle,
(SELECT count(DISTINCT chapter) FROM section WHERE book = book.id), (SELECT count(*) FROM section WHERE book = book.id),
(SELECT count(*) FROM concept WHERE book = book.id), (SELECT count(*) FROM relation WHERE book = book.id)
FROM book ORDER BY is_oracle DESC, unit, rank"""


def concepts_of(con: sqlite3.Connection, book: str) -> tuple[Concept, ...]:
    """The concepts of a book in its order."""
    sql = "SELECT id, book, name, category, definition, aliases, chapter FROM concept WHERE book = ? ORDER BY rank"
    return tuple(
        Concept(name, home, called, category, definition, tuple(json.loads(aliases)), chapter)
        for name, home, called, category, definition, aliases, chapter in con.execute(sql, (book,))
    )


def known_books(con: sqlite3.Connection) -> dict[str, str]:
    """The digest of each book, in the order of their ids."""
    return dict(con.execute("SELECT id, digest FROM book ORDER BY id"))


def one_book(con: sqlite3.Connection, book: str) -> str:
    """The id of a book that there is. Raises ``ConfigurationError`` with the nearest one."""
    known = known_books(con)
    if book not in known:
        raise ConfigurationError(f"unknown book {book!r}", nearest(book, known), {"known": sorted(known)})
    return book


def counted_books(con: sqlite3.Connection) -> list[dict[str, Any]]:
    """Each book with the numbers of what it holds, oracles first."""
    names = ("id", "title", "is_oracle", "chapters", "sections", "concepts", "relations")
    return [dict(zip(names, row, strict=True)) | {"is_oracle": bool(row[2])} for row in con.execute(_COUNTED)]
