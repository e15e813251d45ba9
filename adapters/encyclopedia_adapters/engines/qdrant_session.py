"""One writer of a corpus in Qdrant: new passages first, then what makes them count, then away with the old, the state last.

Qdrant has no transactions. So each passage has the generation of its document in it, and only those count whose generation the
document names. A generation is the digest of what is in it: work that is repeated writes the same points. Who is killed between
leaves the old state, and so the next run does the document again.
"""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia_adapters.engines import qdrant_points as points
from encyclopedia_adapters.engines import words as counting
from encyclopedia_adapters.engines.binary import packed, unpacked
from encyclopedia_adapters.engines.qdrant_claims import Claims
from encyclopedia_adapters.shared.text_index import IndexBusy, questions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from encyclopedia_adapters.engines.port import Changes
    from encyclopedia_adapters.engines.qdrant import Qdrant
    from encyclopedia_adapters.shared.text_index import Passage

MOST = 100
"""Documents that are claimed at a time: they should be done before their claims end."""

_PAUSE = 0.05


class _Wanted(NamedTuple):
    """What a document is to become: ``generation`` is ``None`` where its passages stay."""

    name: str
    state: str | None
    generation: str | None
    passages: list[Passage]


class QdrantSession:
    """What is changed between begin and commit."""

    def __init__(self, engine: Qdrant, wait: float) -> None:
        self._engine, self._wait = engine, wait
        self._claims = Claims(engine.wire, engine.name)

    def claim(self, names: Sequence[str], most: int) -> list[str]:
        """Documents that nobody else is at, in the order given."""
        found: list[str] = []
        at, most = 0, min(most, MOST)
        while at < len(names) and len(found) < most:
            wanted = {points.document_id(name): name for name in names[at : at + most - len(found)]}
            at += len(wanted)
            found += [wanted[id] for id in self._claims.take(list(wanted))]
        return found

    def states_of(self, names: Sequence[str]) -> dict[str, str]:
        """What is stored of these documents now."""
        found = self._engine.wire.retrieve(self._engine.name, list(map(points.document_id, names)), ["state"])
        return dict(json.loads(unpacked(payload["state"])) for payload in found.values() if "state" in payload)

    def commit(self, changes: Changes) -> None:
        """Change all documents, some at a time; those that another has taken meanwhile are begun again."""
        passages: dict[str, list[Passage]] = {name: [] for name in changes.dropped}
        for passage in changes.passages:
            passages.setdefault(passage.document, []).append(passage)
        wanted = [_wanted(name, state, passages.get(name)) for name, state in changes.states.items()]
        for at in range(0, len(wanted), MOST):
            left, until = (
                {points.document_id(each.name): each for each in wanted[at : at + MOST]},
                time.monotonic() + self._wait,
            )
            while left:
                self._hold(list(left), until)
                self._put(left)
                done = self._made(left)
                left = {id: each for id, each in left.items() if id not in done}

    def release(self) -> None:
        """End all claims."""
        self._claims.release()

    def _hold(self, ids: Sequence[int], until: float) -> None:
        """Claim what is not claimed yet; raises ``IndexBusy`` if that takes too long."""
        while left := [id for id in ids if id not in self._claims.held]:
            if not self._claims.take(left):
                if time.monotonic() > until:
                    raise IndexBusy(f"{len(left)} documents are being written by other processes")
                time.sleep(_PAUSE)

    def _put(self, wanted: Mapping[int, _Wanted]) -> None:
        """The new passages, which do not count yet, and their words; a text that has a vector keeps it."""
        there = self._engine.wire.retrieve(self._engine.name, list(wanted), ["generation"])
        now = {id: payload.get("generation") for id, payload in there.items()}
        found = [each for id, each in wanted.items() if each.passages and now.get(id) != each.generation]
        if not found:
            return
        held = {id(passage): counting.Terms(passage) for each in found for passage in each.passages}
        averages = self._engine.measured(list(held.values()))
        self._engine.learn({term for terms in held.values() for term in terms.text})
        made = []
        for each in found:
            # The generation is a part of the name: what is put anew never writes over what counts still.
            named = [passage._replace(document=f"{passage.document}\0{each.generation}") for passage in each.passages]
            for ref, passage in zip(counting.refs(named), each.passages, strict=True):
                made.append(points.point(ref, passage, str(each.generation), held[id(passage)], averages))
        family, vectors = self._engine.vectors_by(sorted({point["payload"]["key"] for point in made}))
        kept = [point for point in made if point["payload"]["key"] in vectors]
        rows = ((point["id"], point["payload"], vectors[point["payload"]["key"]]) for point in kept)
        if kept:
            self._engine.wire.upsert(self._engine.meanings(family), (points.meaning(*each) for each in rows))
        for point in kept:
            point["payload"]["encoded"] = family
        self._engine.wire.upsert(self._engine.name, made)

    def _made(self, wanted: Mapping[int, _Wanted]) -> set[int]:
        """Let the new passages count, remove the others, and tell the states; the ids of the documents that were still ours."""
        wire, name = self._engine.wire, self._engine.name
        anew = {id: each for id, each in wanted.items() if each.generation is not None}
        naming = {id: {"kind": "document", "generation": each.generation} if id in anew else {} for id, each in wanted.items()}
        wire.write(name, self._claims.setting(naming))
        mine = self._claims.still(list(wanted))  # who has lost a document in the meantime has changed nothing of it
        self._sweep([each for id, each in anew.items() if id in mine])
        told = {id: each for id, each in wanted.items() if id in mine}
        states = {id: _document(each) for id, each in told.items() if each.state is not None}
        gone = [id for id, each in told.items() if each.state is None]
        ends = self._claims.ending(list(states), gone)
        wire.write(name, [*self._claims.setting(states), *ends, self._engine.noted(changed=time.time())])
        self._claims.held -= set(wanted)
        return mine

    def _sweep(self, anew: Sequence[_Wanted]) -> None:
        """New passages count, all others of their documents go, those of workers that were killed too."""
        counted, swept = [], []
        for each in anew:
            document, now = points.is_("document", counting.name(each.name)), points.is_("generation", each.generation)
            new = {"must": [points.is_("kind", "passage"), document, now]}
            old = {"must": [document], "must_not": [now, points.is_("kind", "document"), points.is_("kind", "claim")]}
            counted.append({"set_payload": {"payload": points.LIVE, "filter": new}})
            swept.append({"delete": {"filter": old}})
        wire, name = self._engine.wire, self._engine.name
        wire.write(name, [*swept, *counted, self._engine.noted()] if anew else [])
        if anew and (family := self._engine.family()):
            wire.write(self._engine.meanings(family), swept)


def _wanted(name: str, state: str | None, passages: list[Passage] | None) -> _Wanted:
    if passages is None:
        return _Wanted(name, state, None, [])
    seal = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16)
    for passage in passages:
        seal.update(questions.stored(passage) + b"\0" + json.dumps(passage.tags).encode())
    return _Wanted(name, state, seal.hexdigest(), passages)


def _document(each: _Wanted) -> dict[str, Any]:
    return {"kind": "document", "state": packed(json.dumps([each.name, each.state]).encode())}


@contextmanager
def session(engine: Qdrant, wait: float) -> Iterator[QdrantSession]:
    """Claims that end with the block."""
    made = QdrantSession(engine, wait)
    try:
        yield made
    finally:
        made.release()
