"""A corpus in OpenSearch: found and scored by its own BM25 over our terms, compared by its own graph of vectors."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import Refused
from encyclopedia_adapters.engines import opensearch_bodies as bodies
from encyclopedia_adapters.engines import words as counting
from encyclopedia_adapters.engines.binary import numbers, unpacked
from encyclopedia_adapters.engines.http_wire import WRITTEN
from encyclopedia_adapters.engines.opensearch_troubles import Missing
from encyclopedia_adapters.engines.opensearch_vectors import ABOUT, OpenSearchVectors, entry
from encyclopedia_adapters.engines.opensearch_wire import PAGE, Action
from encyclopedia_adapters.engines.port import Scope, Standing
from encyclopedia_adapters.shared.text_index import questions

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    import numpy as np
    from numpy.typing import NDArray

    from encyclopedia_adapters.engines.opensearch_wire import OpenSearchWire
    from encyclopedia_adapters.engines.port import Session, Words
    from encyclopedia_adapters.shared.text_index import Passage
    from encyclopedia_adapters.shared.text_index.view import Entry

_FACTORED = 3
"""The version from which on BM25 is told without its constant factor."""

_FIELDS = ("text", "title")
_ASKED = 500
_DIGITS = 6  # what is left of a cosine in 32 bits that count from 1
_PAGE = 1000
_ROUNDS = 8


class OpenSearch(OpenSearchVectors):
    """The index of one corpus: two indices, each behind an alias, so that none is made by writing to it."""

    def __init__(self, wire: OpenSearchWire, name: str) -> None:
        super().__init__(wire, name)
        # Of what kind vectors were when the standing was last told, by which the question got its own.
        self._vectors: Mapping[str, object] = {}

    def standing(self) -> Standing:
        """How the index stands, as searches see it; none if there is no such index."""
        numbers = {"passages": {"sum": {"field": "passages"}}, "nonce": {"sum": {"field": "nonce"}}}
        counted = {"filter": {"term": {"kind": "document"}}, "aggs": numbers}
        aggs = {"counted": counted, "changed": {"max": {"field": "changed"}}}
        about = {"query": {"match_all": {}}, "post_filter": {"term": {"kind": "about"}}, "size": 1, "aggs": aggs}
        kinds = {"size": 0, "track_total_hits": False, "aggs": {"kinds": {"terms": {"field": "encoded", "size": _PAGE}}}}
        try:
            told, held = self.wire.searches([(self.documents, about), (self.passages, kinds)])
        except Missing:
            return Standing()
        if not told["hits"]["hits"]:
            return Standing()
        known, found = told["hits"]["hits"][0]["_source"], told["aggregations"]["counted"]
        self._vectors = known["vectors"]
        field = bodies.vector_field(known["vectors"])
        encoded = {each["key"]: each["doc_count"] for each in held["aggregations"]["kinds"]["buckets"]}.get(field, 0)
        kind = int(field.rpartition("_")[2] or "0", 16)
        stamp = (known["born"], found["doc_count"], int(found["nonce"]["value"]), kind, encoded)
        passages, changed = int(found["passages"]["value"]), told["aggregations"]["changed"]["value"] or 0.0
        return Standing(known["made_by"], known["vectors"], stamp, passages, encoded, changed)

    def prepare(self, made_by: Mapping[str, object]) -> None:
        """Make both indices, unless they are there."""
        for alias, body in ((self.passages, bodies.PASSAGES), (self.documents, bodies.DOCUMENTS)):
            if not self._ours(alias):
                self._make(alias, body)
        about = {"kind": "about", "made_by": dict(made_by), "vectors": {}, "born": int.from_bytes(os.urandom(4), "big")}
        self.wire.bulk(self.documents, [Action("create", ABOUT, source=about)])
        self.wire.refresh(self.documents)

    def wipe(self) -> None:
        """Remove our own indices."""
        for alias in (self.documents, self.passages):
            if self._ours(alias):
                self.wire.ask("DELETE", f"/{alias}-1?ignore_unavailable=true", limit=WRITTEN)

    def _make(self, alias: str, body: Mapping[str, Any]) -> None:
        try:
            self.wire.ask("PUT", f"/{alias}-1", {**body, "aliases": {alias: {}}}, WRITTEN)
        except Refused:
            if not self._ours(alias):  # otherwise another worker was faster
                raise

    def _ours(self, alias: str) -> bool:
        """Whether the index is there. Raises ``Refused`` for one that somebody else has made."""
        try:
            found = self.wire.ask("GET", f"/{alias}-1/_mapping")
        except Missing:
            return False
        if found[f"{alias}-1"]["mappings"].get("_meta") != bodies.META:
            raise Refused(f"the index {alias}-1 is somebody else's: name another in the address, …/NAME")
        return True

    def states(self) -> dict[str, str]:
        """The states of all documents."""
        body = {"query": {"term": {"kind": "document"}}, "sort": [{"name": "asc"}], "_source": ["stored"]}
        found = (hit["_source"]["stored"] for hits in self.wire.pages(self.documents, body) for hit in hits)
        return dict(json.loads(unpacked(stored)) for stored in found)

    def counts(self, terms: Collection[str]) -> dict[str, tuple[int, int]]:
        """What the index knows of these."""
        found: dict[str, tuple[int, int]] = {}
        for at in range(0, len(terms), _ASKED):
            lot = list(terms)[at : at + _ASKED]
            each = [
                {"size": 0, "track_total_hits": True, "query": {"term": {field: term}}} for term in lot for field in _FIELDS
            ]
            told = [found["hits"]["total"]["value"] for found in self.wire.searches([(self.passages, body) for body in each])]
            found |= {term: (told[2 * at], told[2 * at + 1]) for at, term in enumerate(lot)}
        return found

    def beginning(self, prefix: str, most: int) -> list[str]:
        """The frequent terms that begin so."""
        found = self.wire.search(self.passages, bodies.beginning(prefix, most))["aggregations"]["terms"]["buckets"]
        return [each["key"] for each in found]

    def lexical(self, words: Words, scope: Scope, limit: int, among: Sequence[int] | None = None) -> dict[int, float]:
        """BM25 as OpenSearch has it, which weighs words by all passages, whatever the scope."""
        clauses = bodies.asked(words)
        if not clauses or not limit:
            return {}
        factor = counting.K1 + 1 if self.wire.version[0] >= _FACTORED else 1.0

        def asked(dead: set[str]) -> dict[str, Any]:
            narrow = {"filter": bodies.within(scope, among), **bodies.without("generation", dead)}
            return bodies.best({"bool": {"should": clauses, "minimum_should_match": 1, **narrow}}, limit)

        return {ref: factor * score for ref, score in self._best(asked, alike=True, chosen=among is not None)}

    def nearest(
        self, vector: NDArray[np.float32], scope: Scope, limit: int, among: Sequence[int] | None = None
    ) -> dict[int, float]:
        """Cosines, from a graph that is searched within the scope; where little is left of it each is compared."""
        field, row, most = bodies.vector_field(self._vectors), numbers(vector), min(limit, PAGE)
        if not field or not most:
            return {}

        def asked(dead: set[str]) -> dict[str, Any]:
            there = [{"term": {"encoded": field}}, *bodies.within(scope, among)]
            narrow = {"bool": {"filter": there, **bodies.without("generation", dead)}}
            return bodies.best({"knn": {field: {"vector": row, "k": most, "filter": narrow}}}, most)

        return {
            ref: round(score - 1 if score >= 1 else 1 - 1 / score, _DIGITS)
            for ref, score in self._best(asked, chosen=among is not None)
        }

    def _best(
        self, asked: Callable[[set[str]], dict[str, Any]], *, alike: bool = False, chosen: bool
    ) -> list[tuple[int, float]]:
        """Refs and scores of passages that count; asked again while some do not, unless ``chosen`` of those that do."""
        dead: set[str] = set()
        for _ in range(_ROUNDS):
            hits = self.wire.search(self.passages, asked(dead), alike=alike)["hits"]["hits"]
            alive = hits if chosen else self._alive(hits)
            if len(alive) == len(hits):
                break
            dead |= {_of(hit, "generation") for hit in hits} - {_of(hit, "generation") for hit in alive}
        return [(int(hit["_id"]), hit["_score"]) for hit in alive]

    def _alive(self, hits: Sequence[Any]) -> list[Any]:
        """Those whose generation is the one that their document names now."""
        ids = {name: bodies.identity(name) for name in {_of(hit, "document") for hit in hits}}
        found = self.wire.documents(self.documents, list(ids.values()), "generation")
        now = {name: found[id]["_source"].get("generation") for name, id in ids.items() if id in found}
        return [hit for hit in hits if now.get(_of(hit, "document")) == _of(hit, "generation")]

    def entries(self, refs: Sequence[int]) -> dict[int, Entry]:
        """What passages store, by ref."""
        found = self.wire.documents(self.passages, list(map(str, refs)), "stored")
        return {int(id): entry(each) for id, each in found.items()}

    def all_of(self, scope: Scope) -> list[Entry]:
        """All passages of the scope."""
        return [entry(hit) for hit in self._all(scope, ["stored"])]

    def copies(self, documents: Sequence[str]) -> list[Passage]:
        """Passages as they were put, with their tags."""
        return [
            questions.passage_of(entry(hit), hit["_source"]["tags"])
            for hit in self._all(Scope((), tuple(documents)), ["stored", "tags"])
        ]

    def _all(self, scope: Scope, fields: list[str]) -> Iterator[Any]:
        body = bodies.FOUND | {"query": {"bool": {"filter": bodies.within(scope)}}, "sort": [{"ref": "asc"}], "_source": fields}
        for hits in self.wire.pages(self.passages, body, _PAGE):
            yield from self._alive(hits)

    def writing(self, wait: float) -> AbstractContextManager[Session]:
        """Begin to claim."""
        from encyclopedia_adapters.engines.opensearch_session import session

        return session(self, wait)

    def close(self) -> None:
        """Close what is idle."""
        self.wire.close()


def _of(hit: Any, field: str) -> str:
    return str(hit["fields"][field][0])
