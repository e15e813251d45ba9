"""An index in a folder as one end of a move: its passages with their tags, and its vectors, are given out and taken in."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia_adapters.shared.text_index import questions, vector_files
from encyclopedia_adapters.shared.text_index.index import TextIndex
from encyclopedia_adapters.shared.text_index.view import Damaged, View

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tantivy import DocAddress

    from encyclopedia_adapters.shared.text_index.passage import Passage

    Add = Callable[[Mapping[int, Any]], None]

WAIT = 10.0
"""Seconds to wait for somebody else who adds vectors."""


class Made(NamedTuple):
    """What is known of the embedder that has made vectors which are only carried elsewhere."""

    fingerprint: str
    dimension: int

    def embed(self, _texts: Sequence[str]) -> Any:
        """Nothing is ever encoded by this one."""
        raise ValueError("these vectors are only carried elsewhere")


def made_by(header: Mapping[str, object]) -> Made:
    """The embedder that a header tells of. Raises ``ValueError`` if its vectors were made by another version of ours."""
    made = Made(str(header.get("embedder", "")), int(str(header.get("dimension", 0))))
    if dict(header) != vector_files.wanted(made):
        raise ValueError("the vectors were made by another version: `encyclopedia corpus index NAME` makes them anew")
    return made


class FolderEnd:
    """The index in a folder. Raises ``ValueError`` where it is damaged."""

    def __init__(self, folder: str) -> None:
        self.index = TextIndex(folder)
        self._folder = folder
        self._vectors: dict[int, int] = {}
        self._rows: vector_files.Rows | None = None

    def copies(self, documents: Sequence[str]) -> list[Passage]:
        """The passages of documents as they were put."""
        found: list[Passage] = self._read(lambda view: _copies(view, documents))
        return found

    def header(self) -> Mapping[str, object]:
        """What its vectors say of themselves; empty without any."""
        found = vector_files.header(self._folder)
        return {name: value for name, value in found.items() if name != "born"}

    def missing(self) -> list[int]:
        """The keys of the texts that have no vector."""
        keys = self._read(lambda view: view.keys(questions.scoped(view.fields, None, {}))) if self.index.count() else []
        self._open()
        return list(dict.fromkeys(key for key, _ in keys if key not in self._vectors))

    def vectors_of(self, keys: Sequence[int]) -> dict[int, Any]:
        """The sound vectors of texts by key."""
        self._open()
        rows, places = self._rows, {key: self._vectors[key] for key in keys if key in self._vectors}
        return {key: rows.rows[at] for key, at in places.items() if rows.sound(at)} if rows else {}

    @contextmanager
    def taking(self, header: Mapping[str, object]) -> Iterator[Add]:
        """Take in vectors that ``header`` describes, by key; others that are there are put away."""
        import numpy as np

        from encyclopedia_adapters.shared.text_index import vectors

        with vector_files.appending(self._folder, made_by(header), WAIT) as file:
            known = set(file.rows.keys.tolist())

            def add(found: Mapping[int, Any]) -> None:
                new = {key: row for key, row in found.items() if key not in known}
                known.update(new)
                file.add(np.fromiter(new, np.uint64, len(new)), np.array(list(new.values()), np.float32))

            yield add
            vectors.list_rows(self._folder, file.rows)

    def _open(self) -> None:
        """The vectors as they are now."""
        header = self.header()
        self._rows = vector_files.load(self._folder, made_by(header)) if header else None
        self._vectors = {key: at for at, key in enumerate(self._rows.keys.tolist())} if self._rows else {}

    def _read(self, ask: Callable[[View], Any]) -> Any:
        try:
            return ask(View(self._folder))
        except Damaged as damage:
            raise ValueError(f"the index is damaged: {damage}") from damage


def _copies(view: View, documents: Sequence[str]) -> list[Passage]:
    chosen = questions.any_of(view.fields, "document", tuple(documents))
    tags: dict[tuple[int, int], list[str]] = {_place(address): [] for _, address in view.keys(chosen)}
    addresses = {_place(address): address for _, address in view.keys(chosen)}
    for tag in view.tags():
        held = questions.scoped(view.fields, chosen, {"tag": (tag,)})
        for _, address in view.keys(held):
            tags[_place(address)].append(tag)
    # In the order in which they were put.
    return [questions.passage_of(view.entry(addresses[place]), tags[place]) for place in sorted(tags)]


def _place(address: DocAddress) -> tuple[int, int]:
    return address.segment_ord, address.doc
