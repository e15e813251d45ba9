"""What may be changed between the begin and the commit of an update on an engine, where several write at once."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from encyclopedia_adapters.engines.port import Changes
from encyclopedia_adapters.shared.text_index import IndexBusy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from encyclopedia_adapters.engines.port import Session
    from encyclopedia_adapters.shared.text_index import Passage

_PAUSE = 0.05


class EngineWriter:
    """As the writer of an embedded index; ``before`` are the states as this one knew them when it began."""

    def __init__(self, session: Session, before: Mapping[str, str], wait: float, clear: Callable[[], None]) -> None:
        self._session, self._before, self._wait, self._clear = session, before, wait, clear
        self._states: dict[str, str | None] = {}
        self._passages: dict[str, list[Passage]] = {}
        self._dropped: set[str] = set()

    def claim(self, documents: Sequence[str], most: int) -> list[str]:
        """At most ``most`` of the documents, which nobody else is at or has written since this one began.

        Waits as long as others get on with theirs; raises ``IndexBusy`` if none has for the seconds that this one may wait.
        """
        until, left = time.monotonic() + self._wait, len(documents)
        while documents:
            mine = self._session.claim(documents, most)
            now = self._session.states_of(mine)
            found = [name for name in mine if now.get(name) == self._before.get(name)]
            if found or mine:
                return found
            if self._behind(documents) < left:
                return []
            if time.monotonic() > until:
                raise IndexBusy(f"{len(documents)} documents are being written by other processes")
            time.sleep(_PAUSE)
        return []

    def _behind(self, documents: Sequence[str]) -> int:
        """How many documents still are as they were when this one began."""
        now = self._session.states_of(documents)
        return sum(now.get(name) == self._before.get(name) for name in documents)

    def put(self, document: str, passages: Iterable[Passage], state: str = "") -> None:
        """Replace all passages of the document."""
        self._dropped.add(document)
        self._passages[document] = [passage._replace(document=document) for passage in passages]
        self._states[document] = state

    def mark(self, document: str, state: str) -> None:
        """Change what is told of the document; its passages stay."""
        self._states[document] = state

    def remove(self, document: str) -> None:
        """Remove the document with all its passages; one that is not there is no error."""
        self._dropped.add(document)
        self._passages.pop(document, None)
        self._states[document] = None

    def clear(self) -> None:
        """Remove everything, at once."""
        self._clear()
        self._states, self._passages, self._dropped, self._before = {}, {}, set(), {}

    def commit(self) -> None:
        """Make the changes; without any nothing is written."""
        if self._states:
            passages = [passage for found in self._passages.values() for passage in found]
            self._session.commit(Changes(self._states, self._dropped, passages))
