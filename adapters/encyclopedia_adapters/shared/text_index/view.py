"""A text index as it stood at one commit, opened for reading."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.shared.text_index import manifest, questions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tantivy import Query


class Damaged(Exception):
    """The files of an index do not hold what they should; the message says what the engine met."""


@contextmanager
def _met_by_engine() -> Iterator[None]:
    """Whatever the engine and the stored JSON can raise on bad files becomes ``Damaged``."""
    try:
        yield
    except (ValueError, OSError, RuntimeError, KeyError, TypeError) as error:
        raise Damaged(_short(error)) from error
    except BaseException as error:
        # A panic of the engine comes as a BaseException of a module that cannot be imported.
        if type(error).__name__ == "PanicException":
            raise Damaged(_short(error)) from error
        raise


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:160] or type(error).__name__


class View:
    """The index of ``folder`` at its last commit. Raises ``Damaged`` at once or later, wherever bad bytes are met."""

    def __init__(self, folder: str) -> None:
        from tantivy import Index, Query

        with _met_by_engine():
            index = Index.open(manifest.segments(folder))
            index.config_reader("manual")
            questions.register(index)
            self.fields = index.schema
            self._searcher = index.searcher()
            self.size = self._searcher.num_docs
            states = self.find(Query.term_query(self.fields, "role", "states", "basic"), 1)
        self.states: Mapping[str, str] = states[0][1][0] if states else {}
        self.size -= len(states)

    def frequency(self, term: str) -> int:
        """The number of entries that hold the index term."""
        with _met_by_engine():
            return int(self._searcher.doc_freq("text", term))

    def find(self, query: Query, limit: int) -> list[tuple[float, tuple[dict[str, Any], str]]]:
        """Scores of the best ``limit`` entries, with the object and the text that each stores."""
        with _met_by_engine():
            hits = self._searcher.search(query, limit=limit, count=False).hits
            return [(score, questions.decode(self._searcher.doc(address))) for score, address in hits]
