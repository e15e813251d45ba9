"""Topics that are asked often, exported as memories for another program: a line of JSON each, once."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from encyclopedia.keeping import History, Ledger

OFTEN = 3
"""Times that a topic is asked before it is a memory."""
RESULTS = 3
KEPT = 500
"""Memories that are kept, the newest."""


class Memories:
    """The memories over a ledger; how often a topic was asked is counted in the history."""

    def __init__(self, ledger: Ledger, history: History) -> None:
        self._ledger, self._history = ledger, history
        self._mark: object = None
        self._topics: set[object] = set()

    def remember(self, *bodies: Mapping[str, Any]) -> None:
        """Export the topics of searches that are in the history, if they are asked often and are no memories yet.

        Only what everybody may see of their results goes out. A file that cannot be written costs nothing else.
        """
        with suppress(OSError):
            asked = {body["query"]: body for body in bodies if body["results"]}
            often = [(query, times) for query, times in zip(asked, self._history.times(*asked), strict=True) if times >= OFTEN]
            known = self._known() if often else ()
            for query, times in often:
                if query not in known:
                    self._ledger.rewrite(partial(_with, _memory(asked[query], times)))

    def _known(self) -> Collection[object]:
        """The topics that are memories; only what is new is read."""
        records, self._mark, anew = self._ledger.read(self._mark)
        self._topics = {record.get("topic") for record in records} | (set() if anew else self._topics)
        return self._topics

    def clear(self) -> None:
        """Forget all memories."""
        if self._ledger.read()[0]:
            self._ledger.rewrite(lambda _: [])


def _with(memory: Mapping[str, object], kept: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, object]]:
    """The memories with one more, unless another process has just exported its topic."""
    return kept if any(old.get("topic") == memory["topic"] for old in kept) else [*kept, memory][-KEPT:]


def _memory(body: Mapping[str, Any], times: int) -> dict[str, object]:
    from datetime import UTC, datetime

    public = [row for row in body["results"] if "label" not in row][:RESULTS]
    return {
        "topic": body["query"],
        "query_type": body["query_type"],
        "asked": times,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "results": [{name: row[name] for name in ("title", "url", "source", "version")} for row in public],
    }
