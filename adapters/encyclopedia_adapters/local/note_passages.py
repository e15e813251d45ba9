"""From a parsed note to passages for the index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia_adapters.shared.text_index import Passage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from encyclopedia_adapters.local.chunks import Chunk
    from encyclopedia_adapters.local.markdown import Note


def note_passages(path: str, note: Note, **data: str) -> Iterator[Passage]:
    """One passage for each chunk, called by the note's title (else its file name) and the headings above the chunk.

    ``data`` is added to what each passage tells of itself.
    """
    stem = path.rpartition("/")[2].rpartition(".")[0]
    title = note.title or stem
    for number, chunk in enumerate(note.chunks):
        headings = chunk.headings[1:] if chunk.headings[:1] == (title,) else chunk.headings
        yield Passage(
            id=f"{path}#{number}",
            document=path,
            title=" > ".join((title, *headings)),
            body=chunk.text,
            tags=note.tags,
            data={"section": " > ".join(chunk.headings), **_place(chunk), **data},
            also=" ".join((stem, *note.aliases)) if number == 0 else "",
        )


def _place(chunk: Chunk) -> dict[str, object]:
    place: dict[str, object] = {"lines": [chunk.first, chunk.last]} if chunk.first else {}
    return place | ({"page_number": chunk.page} if chunk.page is not None else {})
