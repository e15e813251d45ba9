"""Who is at which document: a claim is written into what is kept of it, and ends by itself when its holder is gone."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.model.errors import SourceTrouble
from encyclopedia_adapters.engines.opensearch_wire import Action

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from encyclopedia_adapters.engines.opensearch_wire import OpenSearchWire

LASTS = 120.0
"""Seconds for which a claim holds: that of a worker that was killed ends by itself."""

_FIELDS = "kind,name,stored,generation,passages,nonce,changed,owner,until"
_DONE = 300


class Held(NamedTuple):
    """What is kept of a document without the claim, and the number of the write that claimed it.

    Who writes after us changes that number, and then we can no more.
    """

    source: Mapping[str, Any]
    at: tuple[int, int]


class Claims:
    """The claims of one worker in one index, by id."""

    def __init__(self, wire: OpenSearchWire, index: str) -> None:
        self._wire, self._index = wire, index
        self._owner = os.urandom(12).hex()
        self.held: dict[str, Held] = {}

    def take(self, ids: Sequence[str]) -> list[str]:
        """Those of the ids that nobody else is at: they are this worker's now."""
        there = self._wire.documents(self._index, ids, _FIELDS)
        now = time.time()
        free = {id: there.get(id) for id in dict.fromkeys(ids) if self._free(there.get(id), now)}
        mine = {"owner": self._owner, "until": now + LASTS}
        kept = {id: _kept(found["_source"]) if found else {"kind": "gone"} for id, found in free.items()}
        actions = [
            Action(
                "index" if found else "create",
                id,
                (found["_seq_no"], found["_primary_term"]) if found else None,
                kept[id] | mine,
            )
            for id, found in free.items()
        ]
        for id, item in zip(free, self._wire.bulk(self._index, actions), strict=True):
            if item["status"] < _DONE:
                self.held[id] = Held(kept[id], (item["_seq_no"], item["_primary_term"]))
        return [id for id in free if id in self.held]

    def write(self, sources: Mapping[str, Mapping[str, Any]]) -> set[str]:
        """Change what is kept of claimed documents, and end the claims; the ids of those that were still ours."""
        actions = [Action("index", id, self.held.pop(id).at, source) for id, source in sources.items()]
        told = self._wire.bulk(self._index, actions)
        return {action.id for action, item in zip(actions, told, strict=True) if item["status"] < _DONE}

    def drop(self, ids: Sequence[str]) -> None:
        """End these claims and remove what was kept for their sake only."""
        actions = [Action("delete", id, self.held.pop(id).at) for id in ids if id in self.held]
        self._wire.bulk(self._index, actions)

    def release(self) -> None:
        """End all claims; where nobody can be told they end by themselves."""
        with suppress(SourceTrouble, TimeoutError):
            self.write({id: held.source for id, held in self.held.items()})

    def _free(self, found: Any, now: float) -> bool:
        source = found["_source"] if found else {}
        return source.get("owner") in (None, self._owner) or source.get("until", 0.0) < now


def _kept(source: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in source.items() if name not in {"owner", "until"}}
