"""One document of a collection as people ask after it: its parts, where it links to, and who links to it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.nearest import nearest
from encyclopedia_adapters.engines.opening import open_index
from encyclopedia_adapters.local import walk
from encyclopedia_adapters.local.documents.format import DocumentFormat
from encyclopedia_adapters.local.documents.links import Places, links, mark, marks_of
from encyclopedia_adapters.local.documents.passages import label_of, links_of_properties
from encyclopedia_adapters.local.documents.reader import Unreadable
from encyclopedia_adapters.local.documents.records import record
from encyclopedia_adapters.shared.sanitize import clean_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from encyclopedia.model.corpus import Corpus
    from encyclopedia_adapters.engines.opening import Index
    from encyclopedia_adapters.local.markdown import Note
    from encyclopedia_adapters.shared.text_index import Match

_UNREADABLE = "`encyclopedia corpus check` names all that cannot be read"


def document(corpus: Corpus, path: str) -> dict[str, Any]:
    """Title, tags, aliases, label, status, parts, links and backlinks of the document ``path``, as JSON has them.

    The file is read now; who links to it is told as of the last time the corpus was indexed. Raises ``ConfigurationError``.
    """
    name = _name(corpus, path)
    note = _note(corpus, name)
    index = open_index(corpus)
    places = Places(index.documents())
    told = record(note)
    return {
        "path": name,
        "title": clean_line(note.title),
        "tags": list(dict.fromkeys((*note.tags, *told.tags))),
        "aliases": [clean_line(alias) for alias in note.aliases],
        "label": str(max(corpus.label, label_of(note))),
        "status": told.status or None,
        "date": told.date or None,
        "parts": [_place(" > ".join(chunk.headings), [chunk.first, chunk.last], chunk.page) for chunk in note.chunks],
        "links": [
            {"target": clean_line(target), "path": places.meant(marked, name) or None} for target, marked in _out(note, name)
        ],
        "backlinks": list(_backlinks(index, places, name, note)),
    }


def _name(corpus: Corpus, path: str) -> str:
    """The path as the corpus lists it; an absolute one may be given too."""
    try:
        files = DocumentFormat.of(corpus).listing(corpus.path).files
    except FileNotFoundError:
        hint = f"bring it back, or `encyclopedia corpus remove {corpus.name}`"
        raise ConfigurationError(f"{corpus.path} of the corpus {corpus.name} is not there", hint) from None
    root = os.path.realpath(corpus.path)
    given = os.path.relpath(os.path.realpath(path), root) if os.path.isabs(path) else os.path.normpath(path)
    if given not in files:
        raise ConfigurationError(f"{path} is no document of the corpus {corpus.name}", nearest(path, files))
    return given


def _note(corpus: Corpus, name: str) -> Note:
    form = DocumentFormat.of(corpus)
    listing = form.listing(corpus.path)
    reader = form.reading(listing)
    try:
        return reader.note(name, walk.read(listing.root, name, listing.wanted.most(name)))[0]
    except (OSError, Unreadable) as problem:
        raise ConfigurationError(f"{name} cannot be read: {problem}", _UNREADABLE) from None
    finally:
        reader.close()


def _out(note: Note, name: str) -> Iterator[tuple[str, str]]:
    """Each link of the note once, as it is written, with its mark."""
    found = [*links_of_properties(note), *(link for chunk in note.chunks for link in links(chunk.text))]
    for link in dict.fromkeys(found):
        if marked := mark(link, name):
            yield link.target, marked


def _backlinks(index: Index, places: Places, name: str, note: Note) -> Iterator[dict[str, Any]]:
    """The passages of other documents that mean this one, by path and line."""
    marks = tuple(dict.fromkeys(marks_of(name, note.aliases)))
    aliases = set(marks) - set(marks_of(name, ()))
    for match in sorted(index.tagged(marks), key=_line):
        written = match.data.get("links")
        mine = [marked for marked in marks if isinstance(written, list) and marked in written]
        meant = [places.meant(marked, match.document) or (name if marked in aliases else "") for marked in mine]
        if name in meant and match.document != name:
            lines = match.data.get("lines")
            row = _place(str(match.data.get("section", "")), lines if isinstance(lines, list) else [0, 0], None)
            yield {"path": clean_line(match.document), **row}


def _line(match: Match) -> tuple[str, int]:
    lines = match.data.get("lines")
    return match.document, lines[0] if isinstance(lines, list) else 0


def _place(section: str, lines: list[int], page: int | None) -> dict[str, Any]:
    row: dict[str, Any] = {"section": clean_line(section) or None, "lines": lines if lines[0] else None}
    return row | ({"page": page} if page is not None else {})
