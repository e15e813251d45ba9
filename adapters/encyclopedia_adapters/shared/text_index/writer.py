"""What may be changed between the begin and the commit of an update."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia_adapters.shared.text_index import questions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tantivy import IndexWriter

    from encyclopedia_adapters.shared.text_index.passage import Passage


class Writer:
    """Changes of one update, by document."""

    def __init__(self, engine: IndexWriter, states: dict[str, str]) -> None:
        self._engine = engine
        self._states = states
        self._touched = False

    def put(self, document: str, passages: Iterable[Passage], state: str = "") -> None:
        """Replace all passages of the document; ``state`` is what ``TextIndex.documents`` tells of it from then on."""
        self._drop(document)
        for passage in passages:
            head = {"id": passage.id, "document": document, "title": passage.title, "data": dict(passage.data)}
            head |= {"also": passage.also} if passage.also else {}
            names = {"document": (document,), "tag": passage.tags}
            title = f"{passage.title} {passage.also}"
            stored = questions.encode(head, passage.body)
            self._engine.add_document(questions.passage_document(title, passage.body, names, stored))
        self._states[document] = state

    def mark(self, document: str, state: str) -> None:
        """Change what is told of the document; its passages stay."""
        self._states[document] = state
        self._touched = True

    def remove(self, document: str) -> None:
        """Remove the document with all its passages; one that is not there is no error."""
        self._drop(document)
        self._states.pop(document, None)

    def clear(self) -> None:
        """Remove everything."""
        self._engine.delete_all_documents()
        self._states.clear()
        self._touched = True

    def commit(self) -> None:
        """Make all changes visible and durable at once; without any nothing is written."""
        if not self._touched:
            return
        from tantivy import Document

        self._engine.delete_documents_by_term("role", "states")
        self._engine.add_document(Document(role="states", stored=questions.encode(self._states)))
        self._engine.commit()

    def _drop(self, document: str) -> None:
        if document in self._states:
            self._engine.delete_documents_by_term("document", questions.exact(document))
        self._touched = True
