"""Who is at which document: a claim is written into its point, and ends by itself when its holder is gone."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import SourceTrouble
from encyclopedia_adapters.engines.qdrant_points import holding, is_

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from encyclopedia_adapters.engines.qdrant_wire import QdrantWire

LASTS = 120.0
"""Seconds for which a claim holds: that of a worker that was killed ends by itself."""

_NONE_THAT_IS_THERE = {"must": [is_("kind", "none")]}


class Claims:
    """The claims of one worker in one collection, by id. What was made for a claim alone goes with it."""

    def __init__(self, wire: QdrantWire, collection: str) -> None:
        self._wire, self._collection = wire, collection
        self._owner = os.urandom(12).hex()
        self.held: set[int] = set()

    def take(self, ids: Sequence[int]) -> list[int]:
        """Those of the ids that nobody else is at: they are this worker's now, or for longer.

        The server decides: it changes a point only where nobody's claim holds, one request after another.
        """
        wanted = list(dict.fromkeys(ids))
        if not wanted:
            return []
        self._wire.upsert(
            self._collection, ({"id": id, "vector": {}, "payload": {"kind": "claim"}} for id in wanted), _NONE_THAT_IS_THERE
        )
        now = time.time()
        free = [{"is_empty": {"key": "owner"}}, is_("owner", self._owner), {"key": "until", "range": {"lt": now}}]
        narrow = {"must": [{"has_id": wanted}], "should": free}
        self._set(narrow, {"owner": self._owner, "until": now + LASTS})
        mine = self.still(wanted)
        self.held |= mine
        return [id for id in wanted if id in mine]

    def still(self, ids: Sequence[int]) -> set[int]:
        """Which of these are this worker's."""
        told = self._wire.retrieve(self._collection, ids, ["owner"])
        return {id for id, payload in told.items() if payload.get("owner") == self._owner}

    def setting(self, payloads: Mapping[int, Mapping[str, Any]]) -> list[dict[str, Any]]:
        """How points change, if they still are this worker's, which they are for longer then."""
        until = time.time() + LASTS
        return [
            {"set_payload": {"payload": {**payload, "until": until}, "filter": self._mine([id])}}
            for id, payload in payloads.items()
        ]

    def ending(self, ids: Sequence[int], gone: Sequence[int] = ()) -> list[dict[str, Any]]:
        """How claims end, those of points that go among them; afterwards they are ``dropped``."""
        narrow = self._mine([*ids, *gone])
        ends: list[dict[str, Any]] = [
            {"delete": {"filter": {"must": [*narrow["must"], is_("kind", "claim")]}}},
            {"delete_payload": {"keys": ["owner", "until"], "filter": narrow}},
        ]
        return [{"delete": {"filter": self._mine(gone)}}, *ends] if gone else ends

    def release(self) -> None:
        """End all claims; where nobody can be told they end by themselves."""
        if self.held:
            with suppress(SourceTrouble, TimeoutError):
                self._wire.write(self._collection, self.ending(list(self.held)))
            self.held = set()

    def _set(self, narrow: Mapping[str, Any], payload: Mapping[str, Any]) -> None:
        self._wire.write(self._collection, [{"set_payload": {"payload": payload, "filter": narrow}}])

    def _mine(self, ids: Sequence[int]) -> dict[str, Any]:
        return {"must": [{"has_id": list(ids)}, *holding(owner=self._owner)]}
