"""Vectors of a corpus in Qdrant, each beside the passages that have its text."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import Refused
from encyclopedia_adapters.engines import qdrant_points as points
from encyclopedia_adapters.engines.binary import unpacked
from encyclopedia_adapters.engines.http_wire import WRITTEN
from encyclopedia_adapters.engines.qdrant_claims import Claims
from encyclopedia_adapters.engines.qdrant_wire import Missing
from encyclopedia_adapters.shared.text_index import questions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from encyclopedia_adapters.engines.qdrant_wire import QdrantWire
    from encyclopedia_adapters.shared.text_index.view import Entry

_ABOUT = ["kind", "made_by", "vectors", "born", "revision", "changed", "average", "heading"]
_SIDE = 1 << 63
_LOT = 500


class QdrantVectors:
    """Asks ``wire``; ``name`` is that of the collection."""

    def __init__(self, wire: QdrantWire, name: str) -> None:
        self.wire, self.name = wire, name

    def about(self) -> Mapping[str, Any]:
        """What is known of the whole; nothing of it where nothing is there."""
        try:
            found = self.wire.retrieve(self.name, [points.ABOUT], _ABOUT)
        except Missing:
            return {}
        payload: Mapping[str, Any] = found.get(points.ABOUT, {})
        return payload

    def family(self) -> str:
        """What names the vectors that are there; empty without any."""
        return points.family(self.about().get("vectors", {}))

    def meanings(self, family: str) -> str:
        """The collection of such vectors."""
        return f"{self.name}-meaning-{family}"

    def make(self, collection: str, body: Mapping[str, Any], indexed: Iterable[str]) -> None:
        """Make a collection with the indices that filters need, unless it is there."""
        try:
            self.wire.ask("PUT", f"/collections/{collection}", body, WRITTEN)
        except Refused:
            self.wire.ask("GET", f"/collections/{collection}")  # another worker was faster, or it says why not
        for field in indexed:
            schema = {"field_name": field, "field_schema": points.INDEXED[field]}
            self.wire.ask("PUT", f"/collections/{collection}/index?wait=true", schema, WRITTEN)

    def noted(self, **more: Any) -> dict[str, Any]:
        """The operation that makes it known that something has changed."""
        payload = {"revision": int.from_bytes(os.urandom(4), "big"), **more}
        return {"set_payload": {"payload": payload, "points": [points.ABOUT]}}

    def prepare_vectors(self, header: Mapping[str, object]) -> None:
        """A new collection, unless the one that is there holds such vectors; that of others goes."""
        before = self.about().get("vectors", {})
        if before == dict(header):
            return
        self.make(self.meanings(points.family(header)), points.meanings(int(str(header["dimension"]))), points.SCOPED)
        self.wire.write(self.name, [self.noted(vectors=dict(header))])
        if before:
            self.wire.ask("DELETE", f"/collections/{self.meanings(points.family(before))}", limit=WRITTEN)

    def unencoded(self, most: int) -> Iterator[list[tuple[int, Entry]]]:
        """From some passage on and around. Each text is claimed, and looked at once more, as another may have been faster."""
        start = int.from_bytes(os.urandom(8), "big") >> 1
        claims, family = Claims(self.wire, self.name), self.family()
        narrow = {"must": points.holding(**points.LIVE), "must_not": [points.is_("encoded", family)]}
        asked = {"filter": narrow, "with_payload": ["key"], "limit": most}
        try:
            for first, end in ((start, _SIDE), (0, start)):
                for page in self.wire.pages(self.name, asked, first):
                    found = [point for point in page if point["id"] < end]
                    if taken := self._taken(claims, family, found):
                        yield taken
                    claims.release()
                    if len(found) < len(page):
                        break
        finally:
            claims.release()

    def _taken(self, claims: Claims, family: str, found: Sequence[Any]) -> list[tuple[int, Entry]]:
        texts = {points.number("text", point["payload"]["key"]): point["id"] for point in found}
        mine = [texts[id] for id in claims.take(list(texts))]
        now = self.wire.retrieve(self.name, mine, ["key", "encoded", "stored"])
        left = [payload for payload in now.values() if payload.get("encoded") != family]
        return [(int(payload["key"], 16), entry(payload)) for payload in left]

    def add_vectors(self, keys: Sequence[int], rows: Sequence[NDArray[np.float32]]) -> None:
        """Put each beside the passages that have its text, which say so afterwards."""
        family = self.family()
        wanted = {f"{key:016x}": row for key, row in zip(keys, rows, strict=True)}
        narrow = {
            "must": [*points.holding(kind="passage"), points.any_of("key", wanted)],
            "must_not": [points.is_("encoded", family)],
        }
        asked = {"filter": narrow, "with_payload": list(points.SCOPED)}
        found = [point for page in self.wire.pages(self.name, asked) for point in page]
        rows_of = ((point["id"], point["payload"], wanted[point["payload"]["key"]]) for point in found)
        self.wire.upsert(self.meanings(family), (points.meaning(*each) for each in rows_of))
        refs = [point["id"] for point in found]
        self.wire.write(
            self.name, [{"set_payload": {"payload": {"encoded": family}, "points": refs}}, self.noted()] if refs else []
        )

    def settle(self) -> None:
        """Nothing: the server makes its indices itself, as points come."""

    def missing(self) -> list[int]:
        """Keys of texts without a vector."""
        return [int(key, 16) for key, done in self._texts().items() if not done]

    def encoded_texts(self) -> tuple[int, int]:
        """Texts with a vector, and texts: each is looked at, which takes a while where there are millions."""
        found = self._texts()
        return sum(found.values()), len(found)

    def _texts(self) -> dict[str, bool]:
        """Each key, and whether it has a vector."""
        family, found = self.family(), dict[str, bool]()
        asked = {"filter": {"must": points.holding(**points.LIVE)}, "with_payload": ["key", "encoded"]}
        for page in self.wire.pages(self.name, asked):
            for point in page:
                payload = point["payload"]
                done = bool(family) and payload.get("encoded") == family
                found[payload["key"]] = found.get(payload["key"], False) or done
        return found

    def vectors_of(self, keys: Sequence[int]) -> dict[int, Any]:
        """Vectors by key."""
        _, found = self.vectors_by([f"{key:016x}" for key in keys])
        return {int(key, 16): row for key, row in found.items()}

    def vectors_by(self, keys: Sequence[str]) -> tuple[str, dict[str, Any]]:
        """What names the vectors, and those of texts by key as it is stored."""
        import numpy as np

        family = self.family()
        found: dict[str, Any] = {}
        for at in range(0, len(keys) if family else 0, _LOT):
            narrow = {"must": [points.any_of("key", keys[at : at + _LOT])]}
            asked = {"filter": narrow, "with_payload": ["key"], "with_vector": True}
            for page in self.wire.pages(self.meanings(family), asked):
                found |= {point["payload"]["key"]: np.array(point["vector"], np.float32) for point in page}
        return family, found


def entry(payload: Mapping[str, Any]) -> Entry:
    """What a passage stores."""
    return questions.decode(unpacked(payload["stored"]))
