"""A corpus in PostgreSQL with pgvector: found by an inverted index, scored by BM25, compared by an HNSW index."""

from __future__ import annotations

import json
import os
from functools import partial
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.engines import postgres_tables as sql
from encyclopedia_adapters.engines import words as counting
from encyclopedia_adapters.engines.candidates import BUDGET, candidates, every
from encyclopedia_adapters.engines.port import Scope, Standing
from encyclopedia_adapters.engines.postgres_copies import KEYS, PostgresCopies
from encyclopedia_adapters.engines.postgres_text import quoted, sparse
from encyclopedia_adapters.engines.postgres_text import vector as as_text
from encyclopedia_adapters.shared.text_index import questions

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    import numpy as np
    import psycopg
    from numpy.typing import NDArray

    from encyclopedia_adapters.engines.port import Session, Words
    from encyclopedia_adapters.engines.postgres_wire import Connections
    from encyclopedia_adapters.shared.text_index.view import Entry

    Connection = psycopg.Connection[Any]

FLAT = 20_000
"""Vectors up to which comparing with every one of them is as fast as anything else."""

_SEARCHED = 200
_ITERATIVE = (0, 8)


class Postgres(PostgresCopies):
    """The index of one corpus in ``schema``."""

    def __init__(self, connections: Connections, schema: str) -> None:
        super().__init__(connections)
        self._schema = schema
        self._iterative: bool | None = None

    def standing(self) -> Standing:
        """How the index stands; none if there is no such schema."""
        row = self._connections.read(self._about)
        if row is None:
            return Standing()
        made_by, vectors, born, revision, filled, passages, encoded, changed, *averages = row
        return Standing(made_by, vectors, (born, revision, filled), passages, encoded, changed, (averages[0], averages[1]))

    def _about(self, connection: Connection) -> Any:
        there = connection.execute("SELECT to_regclass(quote_ident(%s) || '.about')", (self._schema,)).fetchone()
        return connection.execute(sql.STANDING).fetchone() if there and there[0] else None

    def prepare(self, made_by: Mapping[str, object]) -> None:
        """Make schema and tables, unless they are there."""
        from psycopg.sql import SQL, Identifier

        with self._connections.write() as connection:
            self._alone(connection)
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
            connection.execute(SQL("CREATE SCHEMA IF NOT EXISTS {}").format(Identifier(self._schema)))
            for table in sql.TABLES:
                connection.execute(table)
            born = int.from_bytes(os.urandom(4), "big")
            row = "INSERT INTO about (made_by, born) VALUES (%s, %s) ON CONFLICT DO NOTHING"
            connection.execute(row, (json.dumps(dict(made_by)), born))

    def wipe(self) -> None:
        """Drop our own tables, and the schema if nothing else is in it."""
        from psycopg.sql import SQL, Identifier

        with self._connections.write() as connection:
            self._alone(connection)
            for name in sql.NAMES:
                connection.execute(SQL("DROP TABLE IF EXISTS {}").format(Identifier(self._schema, name)))
            empty = """SELECT 1 FROM pg_namespace WHERE nspname = %s
                AND NOT EXISTS (SELECT 1 FROM pg_class WHERE relnamespace = pg_namespace.oid)"""
            if connection.execute(empty, (self._schema,)).fetchone():
                connection.execute(SQL("DROP SCHEMA {}").format(Identifier(self._schema)))

    def _alone(self, connection: Connection) -> None:
        connection.execute("SELECT pg_advisory_xact_lock(hashtext(%s), 0)", (self._schema,))

    def states(self) -> dict[str, str]:
        """The states of all documents."""
        return dict(json.loads(stored) for (stored,) in self._rows("SELECT stored FROM document ORDER BY name"))

    def counts(self, terms: Collection[str]) -> dict[str, tuple[int, int]]:
        """What the table of terms says of these."""
        rows = self._rows("SELECT term, passages, titles FROM term WHERE term = ANY(%s)", (list(terms),))
        return {term: (passages, titles) for term, passages, titles in rows}

    def beginning(self, prefix: str, most: int) -> list[str]:
        """The frequent terms that begin so."""
        end = prefix[:-1] + chr(ord(prefix[-1]) + 1)
        query = "SELECT term FROM term WHERE term >= %s AND term < %s ORDER BY passages DESC, term LIMIT %s"
        return [term for (term,) in self._rows(query, (prefix, end, most))]

    def lexical(self, words: Words, scope: Scope, limit: int, among: Sequence[int] | None = None) -> dict[int, float]:
        """BM25 of those that hold the telling words; where few come into question, of all that hold any."""
        phrases = [" <-> ".join(map(quoted, phrase)) for phrase in words.phrases]
        bonuses = [counting.phrase_weight(words, phrase) for phrase in words.phrases]
        asked = {"asked": sparse(counting.asked(words)), "phrases": phrases, "bonuses": bonuses, "limit": limit}
        query = sql.lexical(phrases=bool(phrases), among=among is not None)
        if among is not None:
            return dict(self._rows(query, asked | {"among": list(among)}))
        narrow = words.size <= BUDGET or self._narrow(scope)
        found = every(words) if narrow else candidates(words)
        return dict(self._rows(query, asked | _scope(scope) | {"found": found})) if found else {}

    def nearest(
        self, vector: NDArray[np.float32], scope: Scope, limit: int, among: Sequence[int] | None = None
    ) -> dict[int, float]:
        """Cosines, from the index where nothing narrows the search, exact where little is left."""
        asked: dict[str, Any] = {"vector": as_text(vector), "limit": limit}
        if among is not None:
            found = dict(self._rows(sql.NEAREST_AMONG, asked | {"among": list(among)}))
            return dict(sorted(found.items(), key=lambda pair: -pair[1]))
        if not any(scope):
            return self._indexed(sql.NEAREST, asked)
        if self._narrow(scope):
            return dict(self._rows(sql.NEAREST_NARROW, asked | _scope(scope)))
        return self._indexed(sql.NEAREST_WIDE, asked | _scope(scope))

    def _indexed(self, query: str, asked: dict[str, Any]) -> dict[int, float]:
        def work(connection: Connection) -> dict[int, float]:
            connection.execute(f"SET LOCAL hnsw.ef_search = {_SEARCHED}")
            if self._iterates(connection):
                connection.execute("SET LOCAL hnsw.iterative_scan = strict_order")
            return dict(connection.execute(query.encode(), asked).fetchall())

        return self._connections.read(work)

    def _iterates(self, connection: Connection) -> bool:
        """Whether pgvector goes on looking when a filter has thrown away what it found."""
        if self._iterative is None:
            row = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
            self._iterative = bool(row) and tuple(map(int, str(row and row[0]).split(".")[:2])) >= _ITERATIVE
        return self._iterative

    def _narrow(self, scope: Scope) -> bool:
        """Whether so few passages are in the scope that each may be looked at."""
        if not any(scope):
            return False
        (row,) = self._rows(sql.SIZE, _scope(scope) | {"most": BUDGET + 1})
        return int(row[0]) <= BUDGET

    def entries(self, refs: Sequence[int]) -> dict[int, Entry]:
        """What passages store, by ref."""
        rows = self._rows("SELECT ref, stored FROM passage WHERE ref = ANY(%s)", (list(refs),))
        return {ref: questions.decode(stored) for ref, stored in rows}

    def all_of(self, scope: Scope) -> list[Entry]:
        """All passages of the scope."""
        query = f"SELECT stored FROM passage WHERE {sql.SCOPE}"  # noqa: S608 - a constant
        return [questions.decode(stored) for (stored,) in self._rows(query, _scope(scope))]

    def writing(self, wait: float) -> AbstractContextManager[Session]:
        """Begin a transaction."""
        from encyclopedia_adapters.engines.postgres_session import session

        return session(self._connections, self._schema, wait)

    def prepare_vectors(self, header: Mapping[str, object]) -> None:
        """A new table, unless the one that is there holds such vectors."""
        with self._connections.write() as connection:
            self._alone(connection)
            row = connection.execute("SELECT vectors FROM about").fetchone()
            if row and row[0] == dict(header):
                return
            connection.execute("DROP TABLE IF EXISTS vector")
            meaning = f"meaning vector({int(str(header['dimension']))}) NOT NULL"
            connection.execute(f"CREATE TABLE vector (key bigint PRIMARY KEY, {meaning})".encode())
            connection.execute("UPDATE about SET vectors = %s, filled = filled + 1, encoded = 0", (json.dumps(dict(header)),))

    def unencoded(self, most: int) -> Iterator[list[tuple[int, Entry]]]:
        """From some text on and around, so that two workers seldom meet; where they do, one takes what the other left."""
        start = int.from_bytes(os.urandom(8), "big") - KEYS
        for after in (start, -KEYS):
            key = after
            while True:
                with self._connections.write() as connection:
                    rows = connection.execute(sql.UNENCODED, (key, most)).fetchall()
                    if rows:
                        yield [(found + KEYS, questions.decode(stored)) for found, stored in rows]
                if not rows or rows[-1][0] == KEYS - 1:
                    break
                key = rows[-1][0] + 1

    def add_vectors(self, keys: Sequence[int], rows: Sequence[NDArray[np.float32]]) -> None:
        """Store them, and count them."""
        with self._connections.write() as connection:
            wanted = dict(zip((key - KEYS for key in keys), rows, strict=True))
            query = "INSERT INTO vector VALUES (%s, %s) ON CONFLICT DO NOTHING"
            with connection.cursor() as cursor:
                cursor.executemany(query, [(key, as_text(wanted[key])) for key in sorted(wanted)])
                added = cursor.rowcount
            connection.execute("UPDATE about SET filled = filled + 1, encoded = encoded + %s", (added,))

    def settle(self) -> None:
        """An index over many vectors, which may take many minutes; what the planner goes by."""
        with self._connections.write(limit=None) as connection:
            self._alone(connection)
            row = connection.execute("SELECT encoded FROM about").fetchone()
            if row and row[0] > FLAT:
                connection.execute("CREATE INDEX IF NOT EXISTS vector_meaning ON vector USING hnsw (meaning vector_ip_ops)")
            connection.execute("ANALYZE passage")
            if row and row[0]:
                connection.execute("ANALYZE vector")

    def encoded_texts(self) -> tuple[int, int]:
        """Texts with a vector, and texts."""
        ((total, done),) = self._rows("SELECT (SELECT count(DISTINCT key) FROM passage), (SELECT encoded FROM about)")
        return done, total

    def close(self) -> None:
        """Close what is idle."""
        self._connections.close()

    def _rows(self, query: str, values: Any = None) -> list[Any]:
        return self._connections.read(partial(_fetched, query, values))


def _fetched(query: str, values: Any, connection: Connection) -> list[Any]:
    return connection.execute(query.encode(), values).fetchall()


def _scope(scope: Scope) -> dict[str, Any]:
    tags, documents = (list(map(counting.name, names)) or None for names in scope)
    return {"tags": tags, "documents": documents}
