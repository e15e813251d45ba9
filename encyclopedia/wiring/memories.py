"""Topics that are asked often, exported as memories for another program: a line of JSON each, once."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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

    def remember(self, body: Mapping[str, Any]) -> None:
        """Export the topic of a search that is in the history, if it is asked often and is no memory yet.

        Only what everybody may see of its results goes out. A file that cannot be written costs nothing else.
        """
        with suppress(OSError):
            times = self._history.times(body["query"]) if body["results"] else 0
            if times >= OFTEN and not any(memory.get("topic") == body["query"] for memory in self._ledger.read()[0]):
                self._ledger.rewrite(lambda kept: _with(kept, _memory(body, times)))

    def clear(self) -> None:
        """Forget all memories."""
        if self._ledger.read()[0]:
            self._ledger.rewrite(lambda _: [])


def _with(kept: Sequence[Mapping[str, Any]], memory: Mapping[str, object]) -> Sequence[Mapping[str, object]]:
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
