"""One writer of a corpus in PostgreSQL: documents claimed by locks that end with the transaction, changes all at once."""

from __future__ import annotations

import json
from collections import defaultdict
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.engines import postgres_tables as sql
from encyclopedia_adapters.engines import words as counting
from encyclopedia_adapters.engines.postgres_copies import KEYS
from encyclopedia_adapters.engines.postgres_text import number, sparse, tsvector
from encyclopedia_adapters.shared.text_index import questions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import psycopg

    from encyclopedia_adapters.engines.port import Changes
    from encyclopedia_adapters.engines.postgres_wire import Connections
    from encyclopedia_adapters.shared.text_index import Passage

MOST = 200
"""Documents that one transaction claims: the locks of a server are numbered."""


class PostgresSession:
    """What is changed within one transaction."""

    def __init__(self, connection: psycopg.Connection[Any], schema: str) -> None:
        self._connection = connection
        self._lock = number(schema)
        self._mine: set[str] = set()

    def claim(self, names: Sequence[str], most: int) -> list[str]:
        """Documents that no other transaction has claimed, in the order given."""
        found: list[str] = []
        at, most = 0, min(most, MOST)
        while at < len(names) and len(found) < most:
            wanted = names[at : at + most - len(found)]
            at += len(wanted)
            keys = {counting.name(name): name for name in wanted}
            rows = self._connection.execute(sql.CLAIMED, (list(keys), [*map(number, keys)], self._lock)).fetchall()
            found += [keys[key] for (key,) in rows]
        self._mine.update(found)
        return found

    def states_of(self, names: Sequence[str]) -> dict[str, str]:
        """What is stored of these documents now."""
        keys = list(map(counting.name, names))
        rows = self._connection.execute("SELECT stored FROM document WHERE name = ANY(%s)", (keys,)).fetchall()
        return dict(json.loads(stored) for (stored,) in rows)

    def commit(self, changes: Changes) -> None:
        """Change passages first, then what all writers share, so that they wait for each other shortly."""
        self._hold(sorted({*changes.states, *changes.dropped} - self._mine))
        counts, removed, orphans = self._drop(changes)
        averages = self._put(changes, counts)
        self._remember(changes)
        terms = sorted(term for term, numbers in counts.items() if any(numbers))
        passages, titles = ([counts[term][at] for term in terms] for at in (0, 1))
        self._connection.execute(sql.COUNTED, (terms, passages, titles))
        self._connection.execute("DELETE FROM term WHERE term = ANY(%s) AND passages <= 0", (terms,))
        self._connection.execute(
            """UPDATE about SET revision = revision + 1, passages = passages + %s, encoded = encoded - %s, changed = now(),
            average = coalesce(nullif(average, 0), %s), heading = coalesce(nullif(heading, 0), %s)""",
            (len(changes.passages) - removed, orphans, *averages),
        )

    def _hold(self, names: Sequence[str]) -> None:
        """Keep others from the documents; of more than there are locks for, from all documents."""
        if len(names) > MOST:
            self._connection.execute("LOCK TABLE document IN SHARE ROW EXCLUSIVE MODE")
            return
        for name in names:
            self._connection.execute("SELECT pg_advisory_xact_lock(%s, %s)", (self._lock, number(counting.name(name))))

    def _drop(self, changes: Changes) -> tuple[dict[str, list[int]], int, int]:
        """What the terms lose, how many passages have gone, and how many vectors with them."""
        counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        names = list(map(counting.name, changes.dropped))
        if not names:
            return counts, 0, 0
        keys = [key for (key,) in self._connection.execute("SELECT key FROM passage WHERE document = ANY(%s)", (names,))]
        removed = len(keys)
        for term, passages, titles, _ in self._connection.execute(sql.DROPPED, (names,)):
            counts[term] = [-passages, -titles]
        staying = {questions.key(passage.title, passage.body) - KEYS for passage in changes.passages}
        gone = list(set(keys) - staying)
        there = self._connection.execute("SELECT to_regclass('vector')").fetchone()
        orphans = self._connection.execute(sql.ORPHANED, (gone,)).rowcount if gone and there and there[0] else 0
        return counts, removed, orphans

    def _put(self, changes: Changes, counts: dict[str, list[int]]) -> tuple[float, float]:
        if not changes.passages:
            return 0.0, 0.0
        row = self._connection.execute("SELECT average, heading FROM about").fetchone() or (0.0, 0.0)
        held = [counting.Terms(passage) for passage in changes.passages]
        averages = (row[0], row[1]) if row[0] else counting.averages(held)
        with self._connection.cursor().copy(sql.PUT) as copy:
            for ref, passage, terms in zip(counting.refs(changes.passages), changes.passages, held, strict=True):
                copy.write_row(_row(ref, passage, terms, averages))
        for terms in held:
            for at, found in enumerate((terms.text, terms.heading)):
                for term in set(found):
                    counts[term][at] += 1
        return averages

    def _remember(self, changes: Changes) -> None:
        gone = [counting.name(name) for name, state in changes.states.items() if state is None]
        told = changes.states.items()
        kept = [(counting.name(name), json.dumps([name, state])) for name, state in told if state is not None]
        self._connection.execute("DELETE FROM document WHERE name = ANY(%s)", (gone,))
        self._connection.execute(
            """INSERT INTO document SELECT * FROM unnest(%s::text[], %s::text[]) AS told(name, stored)
            ON CONFLICT (name) DO UPDATE SET stored = excluded.stored""",
            ([name for name, _ in kept], [stored for _, stored in kept]),
        )


def _row(ref: int, passage: Passage, terms: counting.Terms, averages: tuple[float, float]) -> tuple[object, ...]:
    tags = sorted(set(map(counting.name, passage.tags)))
    key = questions.key(passage.title, passage.body) - KEYS
    weights = sparse(counting.values(terms, averages))
    return ref, counting.name(passage.document), key, tags, tsvector(terms), weights, questions.stored(passage)


@contextmanager
def session(connections: Connections, schema: str, _wait: float) -> Iterator[PostgresSession]:
    """A transaction that is committed at the end, and rolled back if the block raises."""
    with connections.write() as connection:
        yield PostgresSession(connection, schema)
