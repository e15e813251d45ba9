"""The words of a graph in text indexes: one of its sections, one of its concepts, both as the graph stands."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.shared.text_index import Passage, TextIndex

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator

    from encyclopedia.ports import Embedder, Progress
    from encyclopedia_adapters.local.graph.store import Store

FEW = 20_000
"""Passages up to which an index is written anew when a book is removed; in a larger one its bytes go with later merges."""


def sections_of(folder: str) -> TextIndex:
    """The index of sections; each book is a document, tagged with its id, each section with its concepts."""
    return TextIndex(folder)


def concepts_of(folder: str) -> TextIndex:
    """The index of concepts by names, aliases and definitions."""
    return TextIndex(os.path.join(folder, "concepts"))


def behind(folder: str, books: dict[str, str]) -> bool:
    """Whether the text indexes hold something else than these books (id → digest): a run was broken off between the two."""
    return any(dict(index.documents()) != books for index in (sections_of(folder), concepts_of(folder)))


def bring(folder: str, store: Store, progress: Progress, *, wait: float) -> int:
    """Bring both indexes to the state of the graph; the number of sections. Raises as ``TextIndex.update``."""
    with store.reader() as con:
        books = dict(con.execute("SELECT id, digest FROM book")) if con else {}
        for index, passages in ((sections_of(folder), _sections), (concepts_of(folder), _concepts)):
            if con is None or (dict(index.documents()) == books and not index.problem):
                continue
            with index.update(wait) as writer:
                known = dict(index.documents())
                gone = known.keys() - books.keys()
                for book in gone:
                    writer.remove(book)
                if gone and index.count() <= FEW:  # written anew, so that no byte of what is gone stays in a shared segment
                    writer.clear()
                    known = {}
                pending = [book for book, digest in books.items() if known.get(book) != digest]
                for done, book in enumerate(pending):
                    progress(book, done, len(pending))
                    writer.put(book, passages(con, book), books[book])
    return sections_of(folder).count()


def fill(folder: str, embedder: Embedder, progress: Progress, stop: Callable[[], bool]) -> int:
    """Encode what has no vector yet, the concepts first; the number encoded."""
    indexes = (concepts_of(folder), sections_of(folder))
    return sum(index.fill(embedder, lambda name, *at: progress(f"vectors of {name}", *at), stop=stop) for index in indexes)


def tag_of(name: str) -> str:
    """The tag of sections about a concept; no tag that a person types begins like this."""
    return f"\x00{name}"


def _sections(con: sqlite3.Connection, book: str) -> Iterator[Passage]:
    about: dict[str, list[str]] = {}
    for section, concept in con.execute("SELECT section, concept FROM about WHERE book = ? ORDER BY section, rank", (book,)):
        about.setdefault(section, []).append(concept)
    names = dict(con.execute("SELECT id, name FROM concept WHERE id IN (SELECT concept FROM about WHERE book = ?)", (book,)))
    sql = "SELECT id, title, content FROM section WHERE book = ? ORDER BY rank"
    for section, title, content in con.execute(sql, (book,)):
        concepts = about.get(section, [])
        called = " ".join(names.get(concept, "") for concept in concepts)
        tags = (book.lower(), *map(tag_of, concepts))
        yield Passage(section, book, title, content, tags, also="" if called in title else called)


def _concepts(con: sqlite3.Connection, book: str) -> Iterator[Passage]:
    sql = "SELECT id, name, definition, aliases FROM concept WHERE book = ? ORDER BY rank"
    for concept, name, definition, aliases in con.execute(sql, (book,)):
        listed: Any = json.loads(aliases)
        yield Passage(concept, book, name, definition, (book.lower(),), also=" ".join(listed))
