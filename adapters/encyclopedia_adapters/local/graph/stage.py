"""Takes the records of one unit into the graph: what is new or changed is written, what is the same stays untouched."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia_adapters.local.graph.store import several
from encyclopedia_adapters.local.graph.values import Book, Concept, Problem, Record, Relation, Section
from encyclopedia_adapters.shared.sanitize import clean_line

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

_KINDS = ("book", "section", "concept", "about", "relation", "problem")
_BOOKISH = ("section", "concept", "about", "relation")
"""Tables whose rows belong to a book."""

_LINKS = ("about", "relation")
_MOST_NAMED = 5


class Merged(NamedTuple):
    """What became of the books of a unit, by id."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class Stage:
    """Rows of one unit beside the graph, in tables of the same form; they may be more than fit into memory."""

    def __init__(self, con: sqlite3.Connection, unit: str) -> None:
        self._con, self._unit = con, unit
        self._digests: dict[str, Any] = {}
        self._rank = 0
        for kind in _KINDS:
            con.execute(f"DROP TABLE IF EXISTS temp.new_{kind}")
            con.execute(f"CREATE TEMP TABLE new_{kind} AS SELECT * FROM main.{kind} LIMIT 0")  # noqa: S608 - names of ours

    def take(self, records: Iterable[Record]) -> None:
        """Write the records down, and learn what each book holds from them."""
        from encyclopedia_adapters.local.corpus_format import digest

        for record in records:
            self._rank += 1
            match record:
                case Book(name, title, is_oracle):
                    self._put("book", name, self._unit, title, is_oracle, "", self._rank)
                case Section():
                    self._section(record)
                case Concept(name, book, called, category, definition, aliases, chapter):
                    mark = digest(repr(record))
                    listed = json.dumps(aliases, ensure_ascii=False)
                    self._put("concept", name, book, called, category, definition, listed, chapter, mark, self._rank)
                case Relation(book, start, end, kind, confidence, sentence, section, place):
                    self._put("relation", None, book, start, end, kind, confidence, sentence, section, *place)
                case Problem(path, line, reason):
                    self._put("problem", self._unit, clean_line(path), line, clean_line(reason))
                    continue
            self._learn(record)

    def merge(self) -> Merged:
        """Replace what the graph holds of this unit by what was written down."""
        self._set_digests()
        self._refuse_taken()
        con = self._con
        before = dict(con.execute("SELECT id, digest FROM main.book WHERE unit = ?", (self._unit,)))
        now = dict(con.execute("SELECT id, digest FROM temp.new_book ORDER BY rank"))
        added = tuple(book for book in now if book not in before)
        changed = tuple(book for book in now if book in before and before[book] != now[book])
        removed = tuple(book for book in before if book not in now)
        for book in (*changed, *removed):
            forget(con, book)
        self._refuse_clashes()
        for book in (*added, *changed):
            self._write(book, ("book", *_BOOKISH))
        same = tuple(book for book in now if before.get(book) == now[book])
        for book in same if changed or removed else ():  # what they say of the concepts of changed books went with those
            for kind in _LINKS:
                con.execute(f"DELETE FROM main.{kind} WHERE book = ?", (book,))  # noqa: S608 - names of ours
            self._write(book, _LINKS)
        con.execute("DELETE FROM main.problem WHERE unit = ?", (self._unit,))
        con.execute("INSERT INTO main.problem SELECT * FROM temp.new_problem")
        return Merged(added, changed, same, removed)

    def _section(self, section: Section) -> None:
        name, book, chapter, title, content, concepts, pages, place = section
        self._put("section", name, book, chapter, title, content, pages, *place, self._rank)
        for rank, concept in enumerate(concepts):
            self._put("about", name, concept, book, rank)

    def _put(self, kind: str, *values: object) -> None:
        marks = ",".join("?" * len(values))
        self._con.execute(f"INSERT INTO temp.new_{kind} VALUES({marks})", values)

    def _learn(self, record: Book | Section | Concept | Relation) -> None:
        import hashlib

        book = record.id if isinstance(record, Book) else record.book
        found = self._digests.setdefault(book, hashlib.sha256())
        found.update(repr(record).encode("utf-8", "backslashreplace"))

    def _set_digests(self) -> None:
        rows = [(found.hexdigest(), book) for book, found in self._digests.items()]
        self._con.executemany("UPDATE temp.new_book SET digest = ? WHERE id = ?", rows)

    def _refuse_taken(self) -> None:
        """Leave out books whose id another unit has already."""
        taken = self._con.execute(
            "SELECT id, book.unit FROM temp.new_book JOIN main.book USING(id) WHERE book.unit <> ?", (self._unit,)
        ).fetchall()
        for book, unit in taken:
            for kind in _BOOKISH:
                self._con.execute(f"DELETE FROM temp.new_{kind} WHERE book = ?", (book,))  # noqa: S608 - names of ours
            self._con.execute("DELETE FROM temp.new_book WHERE id = ?", (book,))
            self._put("problem", self._unit, self._unit, 0, f"the book {book} is left out: {unit} holds one of that id")

    def _refuse_clashes(self) -> None:
        """Leave out concepts and sections whose id a book of another unit has already."""
        for kind in ("concept", "section"):
            joined = f"temp.new_{kind} JOIN main.{kind} old USING(id) JOIN main.book ON book.id = old.book"
            sql = f"SELECT old.id FROM {joined} WHERE book.unit <> ?"  # noqa: S608 - names of ours
            clashes = [row[0] for row in self._con.execute(sql, (self._unit,))]
            for name in clashes:
                self._con.execute(f"DELETE FROM temp.new_{kind} WHERE id = ?", (name,))  # noqa: S608 - names of ours
                self._con.execute(f"DELETE FROM temp.new_about WHERE {kind} = ?", (name,))  # noqa: S608 - names of ours
                if kind == "concept":
                    self._con.execute('DELETE FROM temp.new_relation WHERE start = ?1 OR "end" = ?1', (name,))
            if clashes:
                told = f"{len(clashes)} {kind}s are left out, others have their ids: {', '.join(clashes[:_MOST_NAMED])}"
                self._put("problem", self._unit, self._unit, 0, told)

    def _write(self, book: str, kinds: tuple[str, ...]) -> None:
        for kind in kinds:
            key = "id" if kind == "book" else "book"
            sql = f"INSERT INTO main.{kind} SELECT * FROM temp.new_{kind} WHERE {key} = ?"  # noqa: S608 - names of ours
            self._con.execute(sql, (book,))


def forget(con: sqlite3.Connection, book: str) -> None:
    """Remove a book with its sections, concepts and relations, and the relations of others to its concepts."""
    names = [row[0] for row in con.execute("SELECT id FROM main.concept WHERE book = ?", (book,))]
    for column in ("start", '"end"'):
        list(several(con, f"DELETE FROM main.relation WHERE {column} IN (…)", names))  # noqa: S608 - names of ours
    list(several(con, "DELETE FROM main.about WHERE concept IN (…)", names))
    for kind in _BOOKISH:
        con.execute(f"DELETE FROM main.{kind} WHERE book = ?", (book,))  # noqa: S608 - names of ours
    con.execute("DELETE FROM main.book WHERE id = ?", (book,))
