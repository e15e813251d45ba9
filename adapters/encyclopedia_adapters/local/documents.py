"""Local collections of markdown and text files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia_adapters.local.corpus_kind import LocalKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from encyclopedia_adapters.local.corpus_format import Reading
    from encyclopedia_adapters.local.walk import Bounds, Listing


class DocumentFormat:
    """The corpus kind ``documents``: markdown and plain text, cut at headings."""

    noun = "documents"
    reader = 3

    def listing(self, path: str, bounds: Bounds | None = None) -> Listing:
        """The markdown and text files of the folder, or the one file."""
        from encyclopedia_adapters.local.walk import walk

        return walk(path, bounds)

    def reading(self, listing: Listing) -> Callable[[str], Reading]:
        """Reads one file after the other."""
        return lambda path: _read(listing, path)


def _read(listing: Listing, path: str) -> Reading:
    from encyclopedia_adapters.local import markdown, walk
    from encyclopedia_adapters.local.corpus_format import Reading, digest
    from encyclopedia_adapters.local.note_passages import note_passages

    raw = walk.read(listing.root, path)
    text = walk.decode(raw)
    if text is None:
        return Reading(digest(raw), problem="not text")
    note = markdown.parse(text) if path.lower().endswith((".md", ".markdown")) else markdown.parse_plain(text)
    return Reading(digest(raw), note_passages(path, note), note.tags)


KIND = LocalKind(DocumentFormat())
