"""A text index as it stood at one commit, opened for reading."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.shared.text_index import fields, manifest, questions, states

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tantivy import DocAddress, Query

    from encyclopedia_adapters.shared.text_index.states import Changes, Part


Entry = tuple[dict[str, Any], str]

_TAGS = 100
"""Different tags that there may be for each passage."""


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


@contextmanager
def _locked_by_engine(folder: str) -> Iterator[str]:
    """Where the engine can open the files of ``folder``: it locks a file beside them, which not every folder allows.

    Then their names stand in a folder of our own meanwhile; once they are open, they stay so.
    """
    if os.access(folder, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        yield folder
        return
    import tempfile

    with tempfile.TemporaryDirectory() as own:
        for name in os.listdir(folder):
            if not name.endswith(".lock"):
                os.symlink(os.path.abspath(os.path.join(folder, name)), os.path.join(own, name))
        yield own


class View:
    """The index of ``folder`` at its last commit. Raises ``Damaged`` at once or later, wherever bad bytes are met."""

    def __init__(self, folder: str) -> None:
        from tantivy import Index, Query

        with _met_by_engine(), _locked_by_engine(manifest.segments(folder)) as place:
            index = Index.open(place)
            index.config_reader("manual")
            fields.register(index)
            self.fields = index.schema
            self._searcher = index.searcher()
            self.parts = states.parts(self.keys(Query.term_query(self.fields, "role", "states", "basic")))
            self.size = self._searcher.num_docs - sum(len(part.entries) for part in self.parts)
        self._states: dict[str, str] | None = None

    @property
    def states(self) -> Mapping[str, str]:
        """The state of each document."""
        if self._states is None:
            whole = states.merged(map(self.read_part, self.parts), whole=True)
            self._states = {name: state for name, state in whole.items() if state is not None}
        return self._states

    def read_part(self, part: Part) -> Changes:
        """The states that a part holds."""
        found: Changes = {}
        with _met_by_engine():
            for address in part.entries:
                found.update(json.loads(self._stored(address)[1]))
        return found

    def beginning(self, prefix: str, most: int) -> list[str]:
        """The ``most`` frequent index terms that begin so."""
        with _met_by_engine():
            return [term for term, _ in self._searcher.terms_with_prefix("text", prefix, limit=most)]

    def tags(self) -> list[str]:
        """All tags of passages."""
        with _met_by_engine():
            return [
                tag for tag, _ in self._searcher.terms_with_prefix("tag", "", limit=max(self._searcher.num_docs, 1) * _TAGS)
            ]

    def holds(self, document: str) -> bool:
        """Whether the document has passages."""
        with _met_by_engine():
            return bool(self._searcher.doc_freq("document", questions.exact(document)))

    def keys(self, query: Query, limit: int = 0) -> list[tuple[int, DocAddress]]:
        """The keys of the entries that ``query`` finds, at most ``limit`` if it is not 0, without reading the entries."""
        with _met_by_engine():
            most = limit or max(self._searcher.num_docs, 1)
            return list(self._searcher.search(query, limit=most, count=False, order_by_field="key").hits)

    def frequency(self, term: str) -> int:
        """The number of entries that hold the index term."""
        with _met_by_engine():
            return int(self._searcher.doc_freq("text", term))

    def find(self, query: Query, limit: int) -> list[tuple[float, Entry]]:
        """Scores of the best ``limit`` entries, with what each stores."""
        return [(score, self.entry(address)) for score, address in self.hits(query, limit)]

    def hits(self, query: Query, limit: int) -> list[tuple[float, DocAddress]]:
        """Scores and addresses of the best ``limit`` entries, without reading them."""
        with _met_by_engine():
            return list(self._searcher.search(query, limit=limit, count=False).hits)

    def entry(self, address: DocAddress) -> Entry:
        """The object and the text that an entry stores."""
        with _met_by_engine():
            return self._stored(address)

    def _stored(self, address: DocAddress) -> Entry:
        return questions.decode(self._searcher.doc(address).get_first("stored") or b"")

    def keys_of(self, addresses: list[DocAddress]) -> list[int]:
        """The keys of entries."""
        with _met_by_engine():
            return [int(key or 0) for key in self._searcher.fast_field_values("key", addresses)]
