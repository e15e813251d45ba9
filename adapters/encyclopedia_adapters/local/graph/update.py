"""Brings the graph of a corpus up to date with its files: unit by unit, and only those that have changed."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.model.corpus import Indexed
from encyclopedia_adapters.local.graph import texts
from encyclopedia_adapters.local.graph.bundle import Bundle
from encyclopedia_adapters.local.graph.stage import Merged, Stage, forget
from encyclopedia_adapters.local.graph.store import FILE, PATIENCE, Store, damaged

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator

    from encyclopedia.model.corpus import Corpus
    from encyclopedia.ports import Embedder, Progress
    from encyclopedia_adapters.local.graph.shelf import Shelf, Unit
    from encyclopedia_adapters.local.graph.values import Record

READER = 1
"""Raised when records are made in another way: everything that another version has read is read again."""


@dataclass(slots=True)
class Changes:
    """Units that separate the disk from the graph; those that are ``doubtful`` only may."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    doubtful: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.added) + len(self.changed) + len(self.removed)


class Known(NamedTuple):
    """What is remembered of a unit that was read; ``doubtful`` if it may have been written again with the same signature."""

    signature: str
    reader: int
    doubtful: bool


def changes(known: dict[str, Known], found: Shelf) -> Changes:
    """What an update would do; of a walk that is not complete nothing can be said about removed units."""
    made = Changes()
    for name, unit in found.units.items():
        if name not in known:
            made.added.append(name)
        elif known[name][:2] != (unit.signature, READER):
            made.changed.append(name)
        elif known[name].doubtful:
            made.doubtful.append(name)
    if found.complete:
        made.removed = [name for name in known if name not in found.units]
    return made


def known_units(store: Store) -> dict[str, Known]:
    """What is remembered of each unit."""
    return _known(store.rows("SELECT name, signature, reader, doubtful FROM unit"))


def _known(rows: Iterable[tuple[Any, ...]]) -> dict[str, Known]:
    return {name: Known(signature, reader, bool(doubtful)) for name, signature, reader, doubtful in rows}


class Run(NamedTuple):
    """How a run goes on: who is told, how long it waits for another writer, and when it ends between two units."""

    progress: Progress = lambda *_: None
    wait: float = PATIENCE
    stop: Callable[[], bool] = lambda: False
    embedder: Embedder | None = None


def bring(corpus: Corpus, found: Shelf, run: Run, *, rebuild: bool = False) -> Indexed:
    """Read what is new or changed, forget what is gone, then bring the text index to the same state.

    Raises ``BlockingIOError`` or ``IndexBusy`` while another process writes, ``sqlite3.Error``, ``OSError`` or ``ValueError``
    if the graph cannot be written.
    """
    store = Store(corpus.folder)
    lost = store.problem
    try:
        done = _bring(corpus, store, found, run, rebuild=rebuild)
    except Exception as error:
        if not damaged(error):
            raise
        lost = f"the graph is damaged: {error}"
        store.renew(run.wait)
        done = _bring(corpus, store, found, run, rebuild=False)
    return done._replace(skipped=(*done.skipped, (FILE, f"{lost}; it was made anew, without its projects"))) if lost else done


def _bring(corpus: Corpus, store: Store, found: Shelf, run: Run, *, rebuild: bool) -> Indexed:
    merged: list[Merged] = []
    todo = changes(known_units(store), found)
    if rebuild or todo or todo.doubtful or store.problem:
        with store.writer(run.wait) as con:
            merged = list(_merge(con, found, run, rebuild=rebuild))
            _settle(con, {book for one in merged for book in (*one.changed, *one.removed)})
    passages = texts.bring(corpus.folder, store, run.progress, wait=run.wait)
    vectors = texts.fill(corpus.folder, run.embedder, run.progress, run.stop) if run.embedder else 0
    return _told(store, found, merged, passages)._replace(vectors=vectors)


def _merge(con: sqlite3.Connection, found: Shelf, run: Run, *, rebuild: bool) -> Iterator[Merged]:
    if rebuild:
        con.execute("DELETE FROM unit")
        con.execute("UPDATE book SET digest = ''")
    todo = changes(_known(con.execute("SELECT name, signature, reader, doubtful FROM unit")), found)
    if rebuild and found.complete:
        todo.removed += [row[0] for row in con.execute("SELECT DISTINCT unit FROM book") if row[0] not in found.units]
    for name in todo.removed:
        yield _drop(con, name)
    pending = [*todo.added, *todo.changed, *todo.doubtful]
    for done, name in enumerate(pending):
        if run.stop():
            return
        run.progress(name, done, len(pending))
        stage = Stage(con, name)
        stage.take(_records(found.units[name]))
        yield stage.merge()
        unit = found.units[name]
        con.execute("INSERT OR REPLACE INTO unit VALUES(?, ?, ?, ?)", (name, unit.signature, READER, unit.fresh))


def _records(unit: Unit) -> Iterator[Record]:
    if unit.bundle:
        yield from Bundle(unit).records()
    else:
        from encyclopedia_adapters.local.graph.markdown_book import read

        yield from read(unit)


def _drop(con: sqlite3.Connection, unit: str) -> Merged:
    books = tuple(row[0] for row in con.execute("SELECT id FROM book WHERE unit = ?", (unit,)))
    for book in books:
        forget(con, book)
    con.execute("DELETE FROM problem WHERE unit = ?", (unit,))
    con.execute("DELETE FROM unit WHERE name = ?", (unit,))
    return Merged(removed=books)


def _settle(con: sqlite3.Connection, touched: set[str]) -> None:
    """Leave nothing behind of what is gone: verdicts, vectors, places in projects; layers that had it are made again."""
    from encyclopedia_adapters.local.graph import projects

    con.execute("DELETE FROM vector WHERE digest NOT IN (SELECT digest FROM concept)")
    for side in ("one", "other"):
        con.execute(f"DELETE FROM verdict WHERE {side} NOT IN (SELECT digest FROM concept)")  # noqa: S608 - names of ours
    there = {row[0] for row in con.execute("SELECT id FROM book")}
    for project, listed, built_of in con.execute("SELECT id, books, built_of FROM project").fetchall():
        books, had = json.loads(listed), list(json.loads(built_of))
        kept = [book for book in books if book in there]
        if kept != books:
            con.execute("UPDATE project SET books = ? WHERE id = ?", (json.dumps(kept), project))
        if touched.intersection(had):
            projects.layer(con, project, [book for book in had if book in there], None)


def _told(store: Store, found: Shelf, merged: list[Merged], passages: int) -> Indexed:
    problems = store.rows("SELECT path, line, reason FROM problem ORDER BY path, line")
    books = store.rows("SELECT count(*) FROM book")
    added, changed = sum(len(one.added) for one in merged), sum(len(one.changed) for one in merged)
    return Indexed(
        added=added,
        changed=changed,
        removed=sum(len(one.removed) for one in merged),
        unchanged=(books[0][0] if books else 0) - added - changed,
        passages=passages,
        skipped=(*found.skipped, *((f"{path}:{line}" if line else path, reason) for path, line, reason in problems)),
    )
