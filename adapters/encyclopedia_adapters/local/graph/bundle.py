"""Books from a bundle of JSON Lines, each line checked: a bad one is named and costs only itself."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.local.graph.fields import (
    LONGEST_LINE,
    Unfit,
    a_confidence,
    a_line,
    a_number,
    a_place,
    a_text,
    a_type,
    an_id,
    an_object,
    clean,
    pages,
    parsed,
    texts,
)
from encyclopedia_adapters.local.graph.values import (
    Book,
    Concept,
    Place,
    Problem,
    Record,
    Relation,
    Section,
    slug,
)
from encyclopedia_adapters.shared.containment import within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from encyclopedia_adapters.local.graph.shelf import Unit

MOST_PROBLEMS = 1000
"""Problems named for each file; the others are only counted."""

_SENTENCE = 2000
_ALIASES = 50


class Bundle:
    """Reads one unit; knows which books, concepts and sections it has met."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._books: dict[str, Book] = {}
        self._closed = False
        self._concepts: dict[str, str] = {}
        self._sections: dict[str, str] = {}
        self._said: set[int] = set()

    def records(self) -> Iterator[Record]:
        """Books, concepts, sections and relations, in this order, and what is wrong with the rest."""
        yield from self._read_books()
        for name, take in (("concepts", self._concept), ("sections", self._section), ("relationships", self._relation)):
            path = self._unit.file(f"{name}.jsonl")
            yield from self._rows(path, take) if path else ()

    def _read_books(self) -> Iterator[Record]:
        path = self._unit.file("books.json")
        if not path:
            return
        try:
            with open(_contained(self._unit.root, path), encoding="utf-8-sig", errors="replace") as file:
                rows = json.loads(file.read(LONGEST_LINE))
            if not isinstance(rows, list):
                raise Unfit("it holds no list of books")
        except (OSError, ValueError, RecursionError) as error:
            yield Problem(path, 0, f"{error or 'it is nested too deeply'}; books are taken as the other files name them")
            return
        self._closed = True
        for number, row in enumerate(rows, 1):
            try:
                yield self._book(row)
            except Unfit as unfit:
                yield Problem(path, 0, f"book {number}: {unfit}")

    def _book(self, row: Any) -> Book:
        row = an_object(row)
        book = Book(an_id(row, "id"), a_line(row, "title") or an_id(row, "id"), row.get("is_oracle") is True)
        if book.id in self._books:
            raise Unfit(f"the id {book.id!r} is there twice")
        self._books[book.id] = book
        return book

    def _rows(self, path: str, take: Any) -> Iterator[Record]:
        """The records of a file; what is wrong with its lines is told up to ``MOST_PROBLEMS`` times."""
        bad = 0
        try:
            for number, line in _lines(_contained(self._unit.root, path)):
                try:
                    yield from take(an_object(parsed(line)), Place(path, number, number))
                except Unfit as unfit:
                    bad += 1
                    if bad <= MOST_PROBLEMS:
                        yield Problem(path, number, str(unfit))
        except OSError as error:
            yield Problem(path, 0, f"cannot be read: {error.strerror or error}")
        if bad > MOST_PROBLEMS:
            yield Problem(path, 0, f"{bad - MOST_PROBLEMS} more lines could not be taken")

    def _home(self, row: dict[str, Any]) -> Iterator[Book]:
        """The book that a row names, if it is met for the first time; ``row["book_id"]`` is there afterwards."""
        if "book_id" not in row:
            default = (
                next(iter(self._books)) if len(self._books) == 1 else slug(os.path.basename(self._unit.name.rpartition(":")[2]))
            )
            row["book_id"] = default
        name = an_id(row, "book_id")
        if name in self._books:
            return
        if self._closed:
            raise Unfit(f"unknown book {name!r}")
        self._books[name] = Book(name, name)
        yield self._books[name]

    def _concept(self, row: dict[str, Any], _place: Place) -> Iterator[Record]:
        concept_id, name = an_id(row, "id"), a_line(row, "name")
        if not name:
            raise Unfit("a concept has no name")
        if concept_id in self._concepts:
            raise Unfit(f"the id {concept_id!r} is there twice")
        aliases = tuple(dict.fromkeys(clean(alias) for alias in texts(row, "aliases")[:_ALIASES]))
        chapter = a_number(row, "chapter_number", "chapter")
        category, definition = a_line(row, "category"), a_text(row, "definition")
        yield from self._home(row)
        self._concepts[concept_id] = row["book_id"]
        yield Concept(concept_id, row["book_id"], name, category, definition, tuple(filter(None, aliases)), chapter)

    def _section(self, row: dict[str, Any], place: Place) -> Iterator[Record]:
        section_id, content = an_id(row, "id"), a_text(row, "content")
        if section_id in self._sections:
            raise Unfit(f"the id {section_id!r} is there twice")
        named = tuple(dict.fromkeys(texts(row, "concept_ids")))
        unknown = [name for name in named if name not in self._concepts]
        concepts = tuple(name for name in named if name in self._concepts)
        chapter, title = a_number(row, "chapter_number", "chapter"), a_line(row, "title")
        printed, place = pages(row), a_place(row, place)
        yield from self._home(row)
        self._sections[section_id] = row["book_id"]
        yield Section(section_id, row["book_id"], chapter, title, content, concepts, printed, place)
        if unknown:
            yield Problem(place.path, place.first, f"unknown concepts: {', '.join(unknown[:5])}")

    def _relation(self, row: dict[str, Any], place: Place) -> Iterator[Record]:
        start, end = an_id(row, "from"), an_id(row, "to")
        for name in (start, end):
            if name not in self._concepts:
                raise Unfit(f"a relation with the unknown concept {name!r}")
        if start == end:
            raise Unfit(f"{start!r} is related to itself")
        kind, confidence, said = a_type(row), a_confidence(row), a_text(row, "description")[:_SENTENCE]
        section = a_line(row, "section_id") if "section_id" in row else ""
        if section and section not in self._sections:
            raise Unfit(f"a relation in the unknown section {section!r}")
        mark = hash((start, end, kind, said, section))
        if mark in self._said:
            raise Unfit(f"{start!r} {kind} {end!r} is said twice in the same words")
        self._said.add(mark)
        yield Relation(self._concepts[start], start, end, kind, confidence, said, section, a_place(row, place))


def _contained(root: str, path: str) -> str:
    """The file, which must not lead out of the folder."""
    full = os.path.join(root, *path.split("/"))
    if not within(root, os.path.realpath(full)):
        raise PermissionError(1, "it leads out of the collection")
    return full


def _lines(path: str) -> Iterator[tuple[int, bytes]]:
    """The lines that are not empty, with their numbers; of one that is too long only its beginning, which does not parse."""
    with open(path, "rb") as file:
        number, whole = 0, True
        while line := file.readline(LONGEST_LINE):
            number, starts = number + whole, whole
            whole = line.endswith(b"\n")
            if starts and line.strip():
                yield number, line
