"""What may be changed between the begin and the commit of an update."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia_adapters.shared.text_index import questions, states

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tantivy import IndexWriter

    from encyclopedia_adapters.shared.text_index.passage import Passage
    from encyclopedia_adapters.shared.text_index.states import Changes
    from encyclopedia_adapters.shared.text_index.view import View


class Writer:
    """Changes of one update, by document; ``before`` is the index as it was."""

    def __init__(self, engine: IndexWriter, before: View | None) -> None:
        self._engine = engine
        self._before = before
        self._changes: Changes = {}
        self._touched = False

    def claim(self, documents: Sequence[str], most: int) -> list[str]:
        """Those of the documents, at most ``most``, that this one may write: it is alone."""
        return list(documents[:most])

    def put(self, document: str, passages: Iterable[Passage], state: str = "") -> None:
        """Replace all passages of the document; ``state`` is what ``TextIndex.documents`` tells of it from then on."""
        self._drop(document)
        for passage in passages:
            own = passage if passage.document == document else passage._replace(document=document)
            self._engine.add_document(questions.passage_document(own))
        self._changes[document] = state

    def mark(self, document: str, state: str) -> None:
        """Change what is told of the document; its passages stay."""
        self._changes[document] = state
        self._touched = True

    def remove(self, document: str) -> None:
        """Remove the document with all its passages; one that is not there is no error."""
        self._drop(document)
        self._changes[document] = None

    def clear(self) -> None:
        """Remove everything."""
        self._engine.delete_all_documents()
        self._before = None
        self._changes.clear()
        self._touched = True

    def commit(self) -> None:
        """Make all changes visible and durable at once; without any nothing is written."""
        if self._touched:
            self._remember()
            self._engine.commit()

    def _remember(self) -> None:
        old = self._before.parts if self._before else ()
        again = old[len(old) - states.absorbed(old, len(self._changes)) :]
        read = [self._before.read_part(part) for part in again] if self._before else []
        for part in again:
            self._engine.delete_documents_by_term("role", states.role(part.number))
        number = old[-1].number + 1 if old else 1
        for entry in states.entries(number, states.merged([*read, self._changes], whole=len(again) == len(old))):
            self._engine.add_document(entry)

    def _drop(self, document: str) -> None:
        if document in self._changes or (self._before and self._before.holds(document)):
            self._engine.delete_documents_by_term("document", questions.exact(document))
        self._touched = True
