"""From rows of the graph to its values."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from encyclopedia_adapters.local.graph.values import Concept

if TYPE_CHECKING:
    import sqlite3


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
