"""What people said of two questions, in a database of its own: it outlives the answers."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from encyclopedia_adapters.storage.sqlite_records import SqliteRecords

if TYPE_CHECKING:
    from collections.abc import Callable

    from encyclopedia.keeping import RecordStore


def open_votes(folder: str, around: Callable[[RecordStore], RecordStore] | None = None) -> VoteRecords:
    """The votes in ``folder``; nothing is made before the first. ``around`` puts them in the place of those that are shared."""
    records = SqliteRecords(os.path.join(folder, "votes.db"))
    return VoteRecords(around(records) if around else records)


class VoteRecords:
    """Votes on pairs of questions, whichever of the two was stored and whichever asked."""

    def __init__(self, records: RecordStore) -> None:
        self._records = records

    def of(self, a: str, b: str) -> int:
        """1 for the same, -1 for never, 0 if nobody said anything."""
        record = self._records.peek(_name(a, b)) or {}
        vote = record.get("vote")
        return vote if vote in (1, -1) and isinstance(vote, int) else 0

    def cast(self, a: str, b: str, vote: int) -> None:
        """Remember a vote, with the words that it is about; 0 takes it back. Raises as the records do."""
        self._records.step(_name(a, b), lambda record: record.update({"vote": vote, "questions": sorted((a, b))}))

    def close(self) -> None:
        """Give the connections back."""
        close = getattr(self._records, "close", None)
        if close is not None:
            close()


def _name(a: str, b: str) -> str:
    """The name of a pair: the case of letters and the white space of its questions do not matter."""
    folded = sorted(" ".join(text.casefold().split()) for text in (a, b))
    import hashlib  # only where there is a vote to look for

    return hashlib.sha256("\n".join(folded).encode("utf-8", "surrogatepass")).hexdigest()
