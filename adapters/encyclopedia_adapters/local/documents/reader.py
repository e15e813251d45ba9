"""Reads documents: bytes to a note, a note to what the index keeps of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.local import markdown, walk
from encyclopedia_adapters.local.corpus_format import Reading, digest
from encyclopedia_adapters.local.documents.files import EXTRA, LARGEST_CONVERTED, Converter, converter, lacks
from encyclopedia_adapters.local.documents.passages import passages
from encyclopedia_adapters.local.documents.records import record
from encyclopedia_adapters.shared.apart import Apart, Spoiled

if TYPE_CHECKING:
    from encyclopedia_adapters.local.markdown import Note
    from encyclopedia_adapters.local.walk import Listing


class Unreadable(Exception):
    """There is no text to be had; the message says why."""


class DocumentReader:
    """Reads the files of one listing; the process that converts starts with the first file that needs it."""

    def __init__(self, listing: Listing) -> None:
        self._root, self._most = listing.root, listing.wanted.most
        self._apart: Apart | None = None

    def __call__(self, path: str) -> Reading:
        """What the index keeps of a file. Raises ``OSError``."""
        raw = walk.read(self._root, path, self._most(path))
        try:
            note, reduced = self.note(path, raw)
        except Unreadable as problem:
            return Reading(digest(raw, str(problem)), problem=str(problem))
        tags = tuple(dict.fromkeys((*note.tags, *record(note).tags)))
        return Reading(digest(raw, reduced), passages(path, note), tags, problem=reduced)

    def close(self) -> None:
        """End the process, if there is one."""
        if self._apart is not None:
            self._apart.close()

    def note(self, path: str, raw: bytes) -> tuple[Note, str]:
        """The parsed file, and what is less about it than could be. Raises ``Unreadable``."""
        kind = converter(path)
        missing = f"{kind.library} is not installed: {EXTRA}" if kind.library and lacks(kind.library) else ""
        if kind.kind in ("pdf", "docx"):
            if missing:
                raise Unreadable(missing)
            return self._converted(kind, raw), ""
        if kind.kind == "html":
            from encyclopedia_adapters.local import html_page
            from encyclopedia_adapters.local.documents.converted import from_html

            return from_html(html_page.decode(raw)), ""
        text = walk.decode(raw)
        if text is None:
            raise Unreadable("not text")
        if kind.kind == "markdown":
            return markdown.parse(text), ""
        return self._structured(kind, text, missing) if kind.kind == "rst" else (markdown.parse_plain(text), "")

    def _structured(self, kind: Converter, text: str, missing: str) -> tuple[Note, str]:
        """The text with its headings; where these cannot be had, as plain text."""
        from encyclopedia_adapters.local.documents.converted import from_structure

        problem = missing
        try:
            found = {} if missing else self._do(kind, text.encode("utf-8", "replace"))
        except Unreadable as trouble:
            problem = str(trouble)
        if problem:
            return markdown.parse_plain(text), f"read without its headings: {problem}"
        return from_structure(text, found), ""

    def _converted(self, kind: Converter, raw: bytes) -> Note:
        from encyclopedia_adapters.local.documents.converted import from_html, from_pages

        found = self._do(kind, raw[:LARGEST_CONVERTED])
        return from_html(found["html"]) if kind.kind == "docx" else from_pages(found)

    def _do(self, kind: Converter, raw: bytes) -> dict[str, Any]:
        from encyclopedia_adapters.local.documents import worker

        if self._apart is None:
            self._apart = Apart(worker.MODULE, worker.SECONDS)
        try:
            found: dict[str, Any] = json.loads(self._apart.do(kind.kind, raw))
        except Spoiled as spoiled:
            raise Unreadable(f"it cannot be read as {kind.kind}: {spoiled}") from None
        if "problem" in found:
            raise Unreadable(str(found["problem"]))
        return found
