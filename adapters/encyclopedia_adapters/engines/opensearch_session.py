"""One writer of a corpus in OpenSearch: new passages first, then what makes them count, then away with the old ones.

OpenSearch has no transactions. So each passage has the generation of its document in it, and only those count whose generation
the document names: one small write, which fails if anybody else has been at the document, makes all of them count at once. Who
has made that write removes all passages of the document that were written before it, those of workers that were killed too.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import contextmanager
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia_adapters.engines import words as counting
from encyclopedia_adapters.engines.binary import numbers, packed, unpacked
from encyclopedia_adapters.engines.opensearch_bodies import FOUND, any_of, identity, without
from encyclopedia_adapters.engines.opensearch_claims import Claims
from encyclopedia_adapters.engines.opensearch_wire import CONFLICT, Action
from encyclopedia_adapters.shared.text_index import IndexBusy, questions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from encyclopedia_adapters.engines.opensearch_vectors import OpenSearchVectors
    from encyclopedia_adapters.engines.port import Changes
    from encyclopedia_adapters.shared.text_index import Passage

MOST = 100
"""Documents that one session claims at a time: they should be done before their claims end."""

_PAUSE = 0.05
_ROUNDS = 5


class _Wanted(NamedTuple):
    """What a document is to become: ``generation`` is ``None`` where its passages stay."""

    name: str
    state: str | None
    generation: str | None
    passages: list[Passage]


class OpenSearchSession:
    """What is changed between begin and commit."""

    def __init__(self, engine: OpenSearchVectors, wait: float) -> None:
        self._engine, self._wait = engine, wait
        self._claims = Claims(engine.wire, engine.documents)

    def claim(self, names: Sequence[str], most: int) -> list[str]:
        """Documents that nobody else is at, in the order given."""
        found: list[str] = []
        at, most = 0, min(most, MOST)
        while at < len(names) and len(found) < most:
            wanted = {identity(name): name for name in names[at : at + most - len(found)]}
            at += len(wanted)
            found += [wanted[id] for id in self._claims.take(list(wanted))]
        return found

    def states_of(self, names: Sequence[str]) -> dict[str, str]:
        """What is stored of these documents now."""
        found = self._engine.wire.documents(self._engine.documents, list(map(identity, names)), "stored")
        return dict(json.loads(unpacked(each["_source"]["stored"])) for each in found.values() if each["_source"])

    def commit(self, changes: Changes) -> None:
        """Change all documents, some hundred at a time; those that another has changed meanwhile are begun again."""
        passages: dict[str, list[Passage]] = {name: [] for name in changes.dropped}
        for passage in changes.passages:
            passages.setdefault(passage.document, []).append(passage)
        wanted = [self._wanted(name, state, passages.get(name)) for name, state in changes.states.items()]
        for at in range(0, len(wanted), MOST):
            left, until = {identity(each.name): each for each in wanted[at : at + MOST]}, time.monotonic() + self._wait
            while left:
                self._hold(list(left), until)
                self._put(left)
                left = self._made(left)

    def release(self) -> None:
        """End all claims."""
        self._claims.release()

    def _wanted(self, name: str, state: str | None, passages: list[Passage] | None) -> _Wanted:
        if passages is None:
            return _Wanted(name, state, None, [])
        seal = blake2b(json.dumps([name, state]).encode(), digest_size=16)
        for passage in passages:
            seal.update(questions.stored(passage) + b"\0" + json.dumps(passage.tags).encode())
        return _Wanted(name, state, seal.hexdigest(), passages)

    def _hold(self, ids: Sequence[str], until: float) -> None:
        """Claim what is not claimed yet; raises ``IndexBusy`` if that takes too long."""
        while left := [id for id in ids if id not in self._claims.held]:
            if not self._claims.take(left):
                if time.monotonic() > until:
                    raise IndexBusy(f"{len(left)} documents are being written by other processes")
                time.sleep(_PAUSE)

    def _put(self, wanted: Mapping[str, _Wanted]) -> None:
        """The new passages, which do not count yet; a text that has a vector keeps it."""
        found = [each for each in wanted.values() if each.passages]
        if not found:
            return
        keys = {_key(passage) for each in found for passage in each.passages}
        field, vectors = self._engine.vectors_by(sorted(keys))

        def actions() -> Iterator[Action]:
            for each in found:
                # The generation is a part of the name: what is put anew never writes over what counts still.
                named = [passage._replace(document=f"{passage.document}\0{each.generation}") for passage in each.passages]
                for ref, passage in zip(counting.refs(named), each.passages, strict=True):
                    source = _source(ref, passage, str(each.generation))
                    row = vectors.get(source["key"])
                    more = {} if row is None else {"encoded": field, field: numbers(row)}
                    yield Action("index", str(ref), source=source | more)

        self._engine.wire.bulk(self._engine.passages, actions())

    def _made(self, wanted: Mapping[str, _Wanted]) -> dict[str, _Wanted]:
        """Let the new passages count and remove the others; what has to be begun again, as another was at it."""
        sources = {id: self._document(id, each) for id, each in wanted.items()}
        staying = {each.name: each.generation for each in wanted.values() if each.generation is not None}
        if staying:
            self._engine.wire.refresh(self._engine.passages)
        old = self._others(staying)
        done = changed = self._claims.write(sources)
        for _ in range(_ROUNDS):
            # A vector has come between: what it was given to is looked up again, unless another is at the document by now.
            if not (left := self._remove(old, done)):
                break
            self._engine.wire.refresh(self._engine.passages)
            mine = {id: self._claims.held[id].source for id in self._claims.take(list(left))}
            old = self._others({wanted[id].name: source.get("generation", "") for id, source in mine.items()})
            done = self._claims.write(mine)
        if staying:
            self._engine.wire.refresh(self._engine.passages)
        self._engine.wire.refresh(self._engine.documents)
        return {id: each for id, each in wanted.items() if id not in changed}

    def _document(self, id: str, each: _Wanted) -> dict[str, Any]:
        """What is kept of the document from now on; of one that is removed, that it was."""
        number = {"nonce": int.from_bytes(os.urandom(4), "big"), "changed": time.time()}
        if each.state is None:
            return {"kind": "gone", **number}
        before = self._claims.held[id].source
        name, stored = counting.name(each.name), packed(json.dumps([each.name, each.state]).encode())
        kept = {"generation": before.get("generation", ""), "passages": before.get("passages", 0)}
        if each.generation is not None:
            kept = {"generation": each.generation, "passages": len(each.passages)}
        return {"kind": "document", "name": name, "stored": stored, **kept, **number}

    def _others(self, staying: Mapping[str, str]) -> dict[str, list[Action]]:
        """How to remove all passages of documents but those of the generation that stays; by id of the document."""
        old: dict[str, list[Action]] = {identity(name): [] for name in staying}
        if not staying:
            return old
        chosen = [any_of("document", list(map(counting.name, staying)))]
        query = {"bool": {"filter": chosen, **without("generation", staying.values())}}
        body = {**FOUND, "query": query, "sort": [{"ref": "asc"}], "seq_no_primary_term": True}
        for hits in self._engine.wire.pages(self._engine.passages, body):
            for hit in hits:
                at = hit["_seq_no"], hit["_primary_term"]
                old[identity(hit["fields"]["document"][0])].append(Action("delete", hit["_id"], at))
        return old

    def _remove(self, old: Mapping[str, list[Action]], done: set[str]) -> set[str]:
        """Remove passages of the documents that were still ours; those of which some have changed since."""
        pairs = [(id, action) for id in done for action in old.get(id, ())]
        told = self._engine.wire.bulk(self._engine.passages, [action for _, action in pairs])
        return {id for (id, _), item in zip(pairs, told, strict=True) if item["status"] == CONFLICT}


def _key(passage: Passage) -> str:
    return f"{questions.key(passage.title, passage.body):016x}"


def _source(ref: int, passage: Passage, generation: str) -> dict[str, Any]:
    terms = counting.Terms(passage)
    return {
        "ref": ref,
        "document": counting.name(passage.document),
        "generation": generation,
        "tags": sorted(set(map(counting.name, passage.tags))),
        "key": _key(passage),
        "text": terms.text,
        "title": terms.heading,
        "stored": packed(questions.stored(passage)),
    }


@contextmanager
def session(engine: OpenSearchVectors, wait: float) -> Iterator[OpenSearchSession]:
    """Claims that end with the block."""
    made = OpenSearchSession(engine, wait)
    try:
        yield made
    finally:
        made.release()
