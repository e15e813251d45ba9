"""What is read of a corpus in PostgreSQL to take it elsewhere: a lot at a time, which no search waits for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.engines import postgres_tables as sql
from encyclopedia_adapters.engines import words as counting
from encyclopedia_adapters.shared.text_index import questions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from encyclopedia_adapters.engines.postgres_wire import Connections
    from encyclopedia_adapters.shared.text_index import Passage

KEYS = 1 << 63
"""What keys of texts, from 0 to 2**64, are lessened by where numbers have a sign."""


class PostgresCopies:
    """Reads through ``connections``."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def missing(self) -> list[int]:
        """Keys of texts without a vector."""
        return [key + KEYS for (key,) in self._many(sql.MISSING if self._vectors() else sql.TEXTS)]

    def copies(self, documents: Sequence[str]) -> list[Passage]:
        """Passages as they were put, with their tags."""
        rows = self._many(sql.COPIES, ([counting.name(document) for document in documents],))
        return [questions.passage_of(questions.decode(stored), tags) for stored, tags in rows]

    def vectors_of(self, keys: Sequence[int]) -> dict[int, Any]:
        """Vectors by key."""
        import numpy as np

        rows = self._many(sql.VECTORS, ([key - KEYS for key in keys],))
        return {key + KEYS: np.array(json.loads(text), np.float32) for key, text in rows}

    def _many(self, query: str, values: Any = None) -> list[Any]:
        """Rows that nobody waits for who searches."""
        with self._connections.write() as connection:
            return connection.execute(query.encode(), values).fetchall()

    def _vectors(self) -> bool:
        return bool(self._many("SELECT 1 FROM about WHERE vectors <> '{}'"))
