"""From a note to passages that also tell where they link to, how sensitive they are, and what becomes of a decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.label import Label, named
from encyclopedia_adapters.local.documents.links import links, mark
from encyclopedia_adapters.local.documents.records import OUTDATED, record
from encyclopedia_adapters.local.note_passages import note_passages
from encyclopedia_adapters.shared.secrets import secret_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from encyclopedia_adapters.local.chunks import Chunk
    from encyclopedia_adapters.local.documents.links import Link
    from encyclopedia_adapters.local.markdown import Note
    from encyclopedia_adapters.shared.text_index import Passage

_LABELS = ("label", "sensitivity", "classification")


def passages(path: str, note: Note) -> Iterator[Passage]:
    """The passages of the document ``path``.

    The first one carries the links of the front matter, and is found by the words of the pages that these lead to.
    """
    told, label = record(note), label_of(note)
    outdated = told.status if told.status in OUTDATED else ""
    data = {key: value for key, value in (("outdated", outdated), ("published", told.date)) if value}
    above = links_of_properties(note)
    spoiled = _secret(note)
    for number, (passage, chunk) in enumerate(zip(note_passages(path, note, **data), note.chunks, strict=True)):
        here = [*(above if number == 0 else ()), *links(chunk.text)]
        marks = dict.fromkeys(found for link in here if (found := mark(link, path)))
        also = " ".join((passage.also, *(link.target for link in above))).strip() if number == 0 else passage.also
        least = Label.SECRET if number in spoiled or secret_lines(passage.title) else label
        more = ({"label": str(least)} if least else {}) | ({"links": list(marks)} if marks else {})
        yield passage._replace(tags=(*passage.tags, *told.tags, *marks), data={**passage.data, **more}, also=also)


def label_of(note: Note) -> Label:
    """The highest label that the front matter gives; a word that is no label gives none."""
    given = (named(value) for name in _LABELS for value in note.properties.get(name, ()))
    return max((label for label in given if label is not None), default=Label.PUBLIC)


def links_of_properties(note: Note) -> list[Link]:
    """The links that stand in front matter."""
    return links("\n".join(value for values in note.properties.values() for value in values if "[[" in value))


def _secret(note: Note) -> set[int]:
    """The passages that hold part of a secret; one that begins in a passage may go on in the next."""
    found, text, starts = set[int](), "", list[int]()
    for chunk in note.chunks:
        starts.append(text.count("\n"))
        text += f"{chunk.text}\n"
    lines = secret_lines(text)
    for number, chunk in enumerate(note.chunks):
        if not lines.isdisjoint(range(starts[number], starts[number] + _height(chunk))):
            found.add(number)
    return found


def _height(chunk: Chunk) -> int:
    return chunk.text.count("\n") + 1
