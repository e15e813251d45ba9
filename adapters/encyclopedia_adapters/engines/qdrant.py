"""A corpus in Qdrant: scored by sparse vectors of BM25 over our terms, compared by its own graph of vectors."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import Refused
from encyclopedia_adapters.engines import qdrant_points as points
from encyclopedia_adapters.engines import words as counting
from encyclopedia_adapters.engines.binary import numbers, unpacked
from encyclopedia_adapters.engines.http_wire import KEPT, WRITTEN
from encyclopedia_adapters.engines.port import Scope, Standing
from encyclopedia_adapters.engines.qdrant_vectors import QdrantVectors, entry
from encyclopedia_adapters.engines.qdrant_wire import Missing
from encyclopedia_adapters.shared.text_index import questions

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    import numpy as np
    from numpy.typing import NDArray

    from encyclopedia_adapters.engines.port import Session, Words
    from encyclopedia_adapters.engines.qdrant_wire import QdrantWire
    from encyclopedia_adapters.shared.text_index import Passage
    from encyclopedia_adapters.shared.text_index.view import Entry

_ROUNDS = 8
_CHECKED = ["document", "generation"]
_LEARNT = 500_000


class Qdrant(QdrantVectors):
    """The index of one corpus: one collection, and another for its vectors."""

    def __init__(self, wire: QdrantWire, name: str) -> None:
        super().__init__(wire, name)
        # What is known here of one state of the index; one value each, so that another thread never sees half of it.
        self._counted: tuple[tuple[int, ...], dict[str, tuple[int, int]]] = ((), {})
        self._learnt: tuple[int, set[str]] = (0, set())

    def standing(self) -> Standing:
        """How the index stands; none if there is no such collection."""
        about = self.about()
        if "made_by" not in about:
            return Standing()
        vectors, averages = about["vectors"], (about.get("average", 0.0), about.get("heading", 0.0))
        alive = points.holding(**points.LIVE)
        family = points.family(vectors)
        encoded = self.wire.count(self.name, {"must": [*alive, points.is_("encoded", family)]}) if family else 0
        passages = self.wire.count(self.name, {"must": alive})
        stamp = (about["born"], about["revision"])
        if self._counted[0] != stamp:
            self._counted = stamp, {}
        return Standing(about["made_by"], vectors, stamp, passages, encoded, about.get("changed", 0.0), averages)

    def prepare(self, made_by: Mapping[str, object]) -> None:
        """Make the collection, unless it is there."""
        if not self._ours():
            self.make(self.name, points.COLLECTION, points.INDEXED)
        born = int.from_bytes(os.urandom(4), "big")
        about = {"kind": "about", "made_by": dict(made_by), "vectors": {}, "born": born, "revision": 0}
        first = {"must": [points.is_("kind", "none")]}
        self.wire.upsert(self.name, [{"id": points.ABOUT, "vector": {}, "payload": about}], first)

    def wipe(self) -> None:
        """Remove our own collections."""
        if not self._ours():
            return
        for each in self.wire.ask("GET", "/collections")["collections"]:
            head, _, family = each["name"].rpartition("-meaning-")
            if head == self.name and family.isalnum():
                self.wire.ask("DELETE", f"/collections/{each['name']}", limit=WRITTEN)
        self.wire.ask("DELETE", f"/collections/{self.name}", limit=WRITTEN)
        self._counted, self._learnt = ((), {}), (0, set())

    def _ours(self) -> bool:
        """Whether the collection is there. Raises ``Refused`` for one that somebody else has made."""
        try:
            found = self.wire.ask("GET", f"/collections/{self.name}")
        except Missing:
            return False
        shaped = points.WORDS in (found["config"]["params"].get("sparse_vectors") or {})
        if not shaped or (found["points_count"] and self.about().get("kind") != "about"):
            raise Refused(f"the collection {self.name} is somebody else's: name another in the address, …/NAME")
        return True

    def measured(self, terms: Sequence[counting.Terms]) -> tuple[float, float]:
        """The mean lengths that passages are measured by: those of the first that were put."""
        about = self.about()
        if "average" not in about:
            average, heading = counting.averages(terms)
            first = {"must": [{"has_id": [points.ABOUT]}, {"is_empty": {"key": "average"}}]}
            self.wire.write(
                self.name, [{"set_payload": {"payload": {"average": average, "heading": heading}, "filter": first}}]
            )
            about = self.about()
        return about["average"], about["heading"]

    def learn(self, terms: Collection[str]) -> None:
        """Put words into the vocabulary; those of which it is known that they are there are not sent again."""
        born = int(self.about().get("born", 0))
        known = self._learnt[1] if self._learnt[0] == born and len(self._learnt[1]) < _LEARNT else set()
        fresh = [term for term in terms if term not in known]
        self.wire.upsert(self.name, map(points.word, fresh))
        self._learnt = born, known | set(fresh)

    def states(self) -> dict[str, str]:
        """The states of all documents."""
        asked = {"filter": {"must": points.holding(kind="document")}, "with_payload": ["state"]}
        found = (point["payload"] for page in self.wire.pages(self.name, asked) for point in page)
        return dict(sorted(json.loads(unpacked(payload["state"])) for payload in found if "state" in payload))

    def counts(self, terms: Collection[str]) -> dict[str, tuple[int, int]]:
        """What the index knows of these: each is counted, some at a time, and remembered while nothing changes."""
        known = self._counted[1]
        wanted = [(term, field) for term in terms if term not in known for field in ("text", "title")]

        def one(asked: tuple[str, str]) -> int:
            term, field = asked
            must = [*points.holding(**points.LIVE), {"key": field, "match": {"text": term}}]
            return self.wire.count(self.name, {"must": must})

        if wanted:
            with ThreadPoolExecutor(KEPT) as pool:
                told = list(pool.map(one, wanted))
            for at in range(0, len(wanted), 2):
                known[wanted[at][0]] = told[at], told[at + 1]
        return {term: known[term] for term in terms}

    def beginning(self, prefix: str, most: int) -> list[str]:
        """Words that begin so, of too many the shortest."""
        begin = prefix[: points.BEGINS[-1]]
        asked = {"filter": {"must": points.holding(kind="word", begins=begin)}, "with_payload": ["word"]}
        found = (point["payload"]["word"] for page in self.wire.pages(self.name, asked) for point in page)
        return sorted((term for term in found if term.startswith(prefix)), key=lambda term: (len(term), term))[:most]

    def lexical(self, words: Words, scope: Scope, limit: int, among: Sequence[int] | None = None) -> dict[int, float]:
        """BM25: the product of the vector of a passage with that of the question, and what quoted phrases count besides."""
        asked = counting.asked(words)
        if not asked or not limit:
            return {}
        query = {"query": {"indices": list(asked), "values": list(asked.values())}, "using": points.WORDS}
        phrases = [{"key": "text", "match": {"phrase": " ".join(phrase)}} for phrase in words.phrases]
        narrow = [*points.holding(kind="passage"), *points.within(scope, among)]
        scores = self._best(
            self.name, [query | {"limit": limit}] * (1 + len(phrases)), [narrow, *([*narrow, p] for p in phrases)]
        )
        for phrase, condition in zip(words.phrases, phrases, strict=True):
            bonus = counting.phrase_weight(words, phrase)
            must = [*points.holding(kind="passage"), {"has_id": list(scores)}, condition]
            holding = self.wire.pages(self.name, {"filter": {"must": must}, "with_payload": False})
            for point in (point for page in holding for point in page):
                scores[point["id"]] += bonus
        return dict(sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:limit])

    def nearest(
        self, vector: NDArray[np.float32], scope: Scope, limit: int, among: Sequence[int] | None = None
    ) -> dict[int, float]:
        """Cosines, from a graph that is searched within the scope; of those ``among`` each is compared."""
        family = self.family()
        if not family or not limit:
            return {}
        params = {"params": {"exact": True}} if among is not None else {}
        query = {"query": numbers(vector), "limit": limit, **params}
        found = self._best(self.meanings(family), [query], [points.within(scope, among)])
        return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))

    def _best(self, collection: str, queries: Sequence[Mapping[str, Any]], narrow: Sequence[Sequence[Any]]) -> dict[int, float]:
        """Scores by ref of what the queries find and counts; asked again while some is found that does not."""
        dead: set[str] = set()
        scores: dict[int, float] = {}
        for _ in range(_ROUNDS):
            without = {"must_not": [points.any_of("generation", dead)]} if dead else {}
            asked = [
                {**query, "filter": {"must": list(must), **without}, "with_payload": _CHECKED}
                for query, must in zip(queries, narrow, strict=True)
            ]
            hits = [hit for found in self.wire.queries(collection, asked) for hit in found]
            alive = self._alive(hits)
            scores = {hit["id"]: hit["score"] for hit in alive}
            if len(alive) == len(hits):
                break
            dead |= {hit["payload"]["generation"] for hit in hits} - {hit["payload"]["generation"] for hit in alive}
        return scores

    def _alive(self, hits: Sequence[Any]) -> list[Any]:
        """Those whose generation is the one that their document names now."""
        ids = {name: points.number("document", name) for name in {hit["payload"]["document"] for hit in hits}}
        told = self.wire.retrieve(self.name, list(ids.values()), ["generation"])
        now = {name: told.get(id, {}).get("generation") for name, id in ids.items()}
        return [hit for hit in hits if now[hit["payload"]["document"]] == hit["payload"]["generation"]]

    def entries(self, refs: Sequence[int]) -> dict[int, Entry]:
        """What passages store, by ref."""
        return {ref: entry(payload) for ref, payload in self.wire.retrieve(self.name, refs, ["stored"]).items()}

    def all_of(self, scope: Scope) -> list[Entry]:
        """All passages of the scope."""
        return [entry(payload) for payload in self._all(scope, ["stored"])]

    def copies(self, documents: Sequence[str]) -> list[Passage]:
        """Passages as they were put, with their tags."""
        found = self._all(Scope((), tuple(documents)), ["stored", "tags"])
        return [questions.passage_of(entry(payload), payload["tags"]) for payload in found]

    def _all(self, scope: Scope, fields: list[str]) -> Iterator[Mapping[str, Any]]:
        narrow = {"must": [*points.holding(kind="passage"), *points.within(scope)]}
        for page in self.wire.pages(self.name, {"filter": narrow, "with_payload": [*fields, *_CHECKED]}):
            yield from (point["payload"] for point in self._alive(page))

    def writing(self, wait: float) -> AbstractContextManager[Session]:
        """Begin to claim."""
        from encyclopedia_adapters.engines.qdrant_session import session

        return session(self, wait)

    def close(self) -> None:
        """Close what is idle."""
        self.wire.close()
