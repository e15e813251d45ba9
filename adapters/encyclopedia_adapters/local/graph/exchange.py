"""A graph as a bundle of JSON Lines: written out, and taken in beside the corpus' own books."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.nearest import nearest
from encyclopedia_adapters.local.graph.shelf import IMPORTED, shelf
from encyclopedia_adapters.shared.private_files import private_folder

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping

    from encyclopedia.model.corpus import Corpus


def export(con: sqlite3.Connection, folder: str) -> dict[str, Any]:
    """Write the bundle, each file in one step. Raises ``ConfigurationError`` if the folder cannot be written."""
    try:
        os.makedirs(folder, exist_ok=True)
        books = [{"id": name, "title": title, "is_oracle": bool(oracle)} for name, title, oracle in con.execute(_BOOKS)]
        counts = {"books": len(books)}
        _write(f"{folder}/books.json", [json.dumps(books, ensure_ascii=False, indent=1)])
        for name, rows in (("concepts", _concepts(con)), ("sections", _sections(con)), ("relationships", _relations(con))):
            counts[name] = _write(f"{folder}/{name}.jsonl", (json.dumps(row, ensure_ascii=False) for row in rows))
    except OSError as error:
        told = f"{folder} cannot be written: {error.strerror or error}"
        raise ConfigurationError(told, "give another folder") from error
    return {"folder": os.path.abspath(folder), **counts}


_BOOKS = "SELECT id, title, is_oracle FROM book ORDER BY unit, rank"
_CONCEPTS = """SELECT concept.id, book, name, category, definition, aliases, chapter
FROM concept JOIN book ON book.id = book ORDER BY book.unit, book.rank, concept.rank"""
_SECTIONS = """SELECT section.id, book, chapter, section.title, content, pages, path, first, last
FROM section JOIN book ON book.id = book ORDER BY book.unit, book.rank, section.rank"""
_RELATIONS = """SELECT start, "end", type, confidence, sentence, section, path, first, last
FROM relation JOIN book ON book.id = book ORDER BY book.unit, book.rank, relation.rank"""


def _concepts(con: sqlite3.Connection) -> Iterator[dict[str, Any]]:
    for name, book, called, category, definition, aliases, chapter in con.execute(_CONCEPTS):
        row = {"id": name, "book_id": book, "name": called, "category": category, "definition": definition}
        yield row | {"aliases": json.loads(aliases)} | ({"chapter_number": chapter} if chapter else {})


def _sections(con: sqlite3.Connection) -> Iterator[dict[str, Any]]:
    for name, book, chapter, title, content, pages, *place in con.execute(_SECTIONS):
        about = con.execute("SELECT concept FROM about WHERE section = ? ORDER BY rank", (name,))
        row = {"id": name, "book_id": book, "chapter_number": chapter, "title": title, "content": content}
        yield row | {"concept_ids": [concept for (concept,) in about]} | ({"pages": pages} if pages else {}) | _place(*place)


def _relations(con: sqlite3.Connection) -> Iterator[dict[str, Any]]:
    for start, end, kind, confidence, sentence, section, *place in con.execute(_RELATIONS):
        row = {"from": start, "to": end, "type": kind, "confidence": confidence, "description": sentence}
        yield row | ({"section_id": section} if section else {}) | _place(*place)


def _place(path: str, first: int, last: int) -> dict[str, Any]:
    return {"path": path, "lines": [first, last]} if path and first else {}


def _write(path: str, lines: Iterable[str]) -> int:
    draft, count = f"{path}.{os.getpid()}.tmp", 0
    try:
        with open(draft, "w", encoding="utf-8") as file:
            for line in lines:
                file.write(line + "\n")
                count += 1
        os.replace(draft, path)
    finally:
        if os.path.exists(draft):
            os.remove(draft)
    return count


def take_in(corpus: Corpus, path: str, name: str) -> str:
    """Copy what lies at ``path`` to the imported books under ``name`` (else its own name), replacing what was there."""
    from encyclopedia_adapters.local.graph.values import slug

    full = os.path.abspath(os.path.expanduser(path))
    called = slug(name or os.path.basename(full).partition(".")[0])
    try:
        found = shelf(corpus._replace(path=full, folder=os.devnull))
        if not found.units:
            raise ConfigurationError(f"{path} holds neither books of markdown nor concepts.jsonl", "give another path")
        draft = private_folder(os.path.join(corpus.folder, f"{IMPORTED}.{os.getpid()}"))
        try:
            _copy(found.units, draft)
            target = os.path.join(private_folder(os.path.join(corpus.folder, IMPORTED)), called)
            shutil.rmtree(target, ignore_errors=True)
            os.replace(draft, target)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be imported: {error.strerror or error}", "give another path") from error
    return called


def _copy(units: Mapping[str, Any], folder: str) -> None:
    from encyclopedia_adapters.local.walk import read

    for unit in units.values():
        for path, (size, _) in unit.files.items():
            target = os.path.join(folder, *path.split("/"))
            os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
            with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(read(unit.root, path, size))


def drop(corpus: Corpus, name: str) -> None:
    """Remove what was imported under that name. Raises ``ConfigurationError`` if nothing was."""
    folder = os.path.join(corpus.folder, IMPORTED)
    there = os.listdir(folder) if os.path.isdir(folder) else []
    if name not in there:
        raise ConfigurationError(f"nothing was imported as {name!r}", nearest(name, there) if there else "")
    shutil.rmtree(os.path.join(folder, name))
