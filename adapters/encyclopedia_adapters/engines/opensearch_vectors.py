"""Vectors of a corpus in OpenSearch, each in the passages that have its text."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.engines.binary import numbers, unpacked
from encyclopedia_adapters.engines.http_wire import WRITTEN
from encyclopedia_adapters.engines.opensearch_bodies import any_of, vector_field, vectors, without
from encyclopedia_adapters.engines.opensearch_claims import Claims
from encyclopedia_adapters.engines.opensearch_wire import CONFLICT, PAGE, Action
from encyclopedia_adapters.shared.text_index import questions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from encyclopedia_adapters.engines.opensearch_wire import OpenSearchWire
    from encyclopedia_adapters.shared.text_index.view import Entry

ABOUT = "about"
"""The id of what is known of the whole."""

_ABOUT = "kind,made_by,vectors,born"
_LOT = 500
_PASSAGES = 1000


class OpenSearchVectors:
    """Asks ``wire``; ``name`` is that of the indices."""

    def __init__(self, wire: OpenSearchWire, name: str) -> None:
        self.wire, self.name = wire, name
        self.documents, self.passages = f"{name}-documents", f"{name}-passages"

    def about(self) -> Mapping[str, Any]:
        """What is known of the whole, as it is now."""
        found = self.wire.documents(self.documents, [ABOUT], _ABOUT)
        return found[ABOUT]["_source"] if found else {}

    def prepare_vectors(self, header: Mapping[str, object]) -> None:
        """A new field, unless the one that is there holds such vectors; those of another go as these come."""
        field = vector_field(header)
        while True:
            found = self.wire.documents(self.documents, [ABOUT], _ABOUT)[ABOUT]
            if found["_source"].get("vectors") == dict(header):
                return
            self.wire.ask("PUT", f"/{self.passages}/_mapping", vectors(field, int(str(header["dimension"]))), WRITTEN)
            at = found["_seq_no"], found["_primary_term"]
            told = self.wire.bulk(self.documents, [Action("index", ABOUT, at, {**found["_source"], "vectors": dict(header)})])
            self.wire.refresh(self.documents)
            if told[0]["status"] != CONFLICT:
                return

    def unencoded(self, most: int) -> Iterator[list[tuple[int, Entry]]]:
        """From some text on and around. Each is claimed, and looked at once more, as another may have been faster."""
        start = os.urandom(8).hex()
        claims = Claims(self.wire, self.documents)
        field = vector_field(self.about()["vectors"])
        try:
            for low, high in (({"gte": start}, {}), ({"gte": ""}, {"lt": start})):
                bounds: dict[str, str] = {**low, **high}
                while hits := self._without_vector(field, bounds, most):
                    taken = self._taken(claims, field, hits)
                    if taken:
                        yield taken
                        claims.drop(list(claims.held))
                    if len(hits) < most:
                        break
                    bounds = {"gt": hits[-1]["fields"]["key"][0], **high}
        finally:
            claims.drop(list(claims.held))
            self.wire.refresh(self.passages)

    def _without_vector(self, field: str, bounds: Mapping[str, str], most: int) -> list[Any]:
        """One passage of each text that has no vector, in the order of their keys."""
        query = {"bool": {"filter": [{"range": {"key": bounds}}], **without("encoded", [field])}}
        body = {"query": query, "collapse": {"field": "key"}, "sort": [{"key": "asc"}], "size": most}
        fields = {"_source": ["stored"], "docvalue_fields": ["key"], "track_total_hits": False}
        return list(self.wire.search(self.passages, body | fields)["hits"]["hits"])

    def _taken(self, claims: Claims, field: str, hits: Sequence[Any]) -> list[tuple[int, Entry]]:
        keys = {f"text-{hit['fields']['key'][0]}": hit for hit in hits}
        mine = claims.take(list(keys))
        now = self.wire.documents(self.passages, [keys[id]["_id"] for id in mine], "encoded")
        left = {hit["_id"]: hit for hit in map(keys.__getitem__, mine)}
        still = [hit for id, hit in left.items() if id in now and now[id]["_source"].get("encoded") != field]
        return [(int(hit["fields"]["key"][0], 16), entry(hit)) for hit in still]

    def add_vectors(self, keys: Sequence[int], rows: Sequence[NDArray[np.float32]]) -> None:
        """Write each into the passages that have its text and no vector yet; one that changed since is left for the next."""
        field = vector_field(self.about()["vectors"])
        wanted = {f"{key:016x}": row for key, row in zip(keys, rows, strict=True)}
        query = {"bool": {"filter": [any_of("key", wanted)], **without("encoded", [field])}}
        body = {"query": query, "sort": [{"ref": "asc"}], "seq_no_primary_term": True, "_source": False}
        for hits in self.wire.pages(self.passages, body | {"docvalue_fields": ["key", "encoded"]}, _PASSAGES):
            self.wire.bulk(self.passages, (_encoded(hit, field, wanted) for hit in hits))

    def settle(self) -> None:
        """Let searches see them: an index over vectors is made as they come."""
        self.wire.refresh(self.passages)

    def missing(self) -> list[int]:
        """Keys of texts without a vector."""
        field = vector_field(self.about().get("vectors", {}))
        query = {"bool": without("encoded", [field])} if field else {"match_all": {}}
        return [int(key, 16) for key, _ in self._keys(query, field)]

    def encoded_texts(self) -> tuple[int, int]:
        """Texts with a vector, and texts: each is counted, which takes a while where there are millions."""
        field = vector_field(self.about().get("vectors", {}))
        found = [done for _, done in self._keys({"match_all": {}}, field)]
        return sum(found), len(found)

    def _keys(self, query: Mapping[str, Any], field: str) -> Iterator[tuple[str, bool]]:
        """Each key once, and whether it has a vector."""
        texts: dict[str, Any] = {"size": PAGE, "sources": [{"key": {"terms": {"field": "key"}}}]}
        done = {"done": {"filter": {"term": {"encoded": field}}}}
        while True:
            aggs = {"texts": {"composite": texts, "aggs": done}}
            body = {"size": 0, "track_total_hits": False, "query": query, "aggs": aggs}
            found = self.wire.search(self.passages, body)["aggregations"]["texts"]
            yield from ((each["key"]["key"], each["done"]["doc_count"] > 0) for each in found["buckets"])
            if len(found["buckets"]) < PAGE:
                return
            texts = {**texts, "after": found["after_key"]}

    def vectors_of(self, keys: Sequence[int]) -> dict[int, Any]:
        """Vectors by key."""
        _, found = self.vectors_by([f"{key:016x}" for key in keys])
        return {int(key, 16): row for key, row in found.items()}

    def vectors_by(self, keys: Sequence[str]) -> tuple[str, dict[str, Any]]:
        """The field of vectors, and those of texts by key as it is stored."""
        import numpy as np

        field = vector_field(self.about().get("vectors", {}))
        found: dict[str, Any] = {}
        for at in range(0, len(keys) if field else 0, _LOT):
            query = {"bool": {"filter": [any_of("key", keys[at : at + _LOT]), {"term": {"encoded": field}}]}}
            body = {"query": query, "collapse": {"field": "key"}, "size": _LOT, "_source": ["key", field]}
            hits = self.wire.search(self.passages, body | {"track_total_hits": False})["hits"]["hits"]
            found |= {hit["_source"]["key"]: np.array(hit["_source"][field], np.float32) for hit in hits}
        return field, found


def entry(hit: Any) -> Entry:
    """What a passage stores."""
    return questions.decode(unpacked(hit["_source"]["stored"]))


def _encoded(hit: Any, field: str, rows: Mapping[str, Any]) -> Action:
    """How a passage gets its vector, and loses one of another kind."""
    before = hit["fields"].get("encoded", [])
    source = {**dict.fromkeys(before), "encoded": field, field: numbers(rows[hit["fields"]["key"][0]])}
    return Action("update", hit["_id"], (hit["_seq_no"], hit["_primary_term"]), source)
