"""Words and meaning together: one score from BM25 and the nearness of vectors, weighted by the kind of question."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from encyclopedia_adapters.shared.text_index import analyser, questions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy as np
    from numpy.typing import NDArray
    from tantivy import DocAddress

    from encyclopedia_adapters.shared.text_index.coverage import Coverage
    from encyclopedia_adapters.shared.text_index.vectors import Vectors
    from encyclopedia_adapters.shared.text_index.view import Entry, View

DEPTH = 100
"""Passages that either side brings in; ten lose .01 to .02."""

PROSE, CODE, EXACT = 0.5, 0.25, 0.6
"""What words weigh beside meaning (the rest of 1): for prose, for code that is asked for in plain words, and for words that
mean only themselves.

nDCG@10 of functions by their descriptions is .59 by words, .69 by meaning, .72 with .2 to .3 and .69 with .5; on scifact and
cranfield it is within .004 from .4 to .6. A name finds its function better than by either side from .3 to .8.
"""

SIGNS = 0.02
"""Signs of code for each character from which on a text is code: functions have .05, prose has .00, pages of examples .01."""

NEAR = 0.3
"""The cosine from which on a passage without any of the words is an answer. It belongs to all-MiniLM-L6-v2: ten questions that
have nothing to do with five collections are at most this near to any passage (one .35); nDCG@10 is the same from 0 to .35."""

SAMPLE = 10
"""Passages of either side by which it is told whether code is asked for."""

_BEGIN = 2000
_COPIES = 8


class Found(NamedTuple):
    """A passage with its score from 0 to 1, and the cosine of its vector to that of the question, if it has one."""

    score: float
    near: float | None
    entry: Entry


class Asked(NamedTuple):
    """A question: its words, their weights in the index, the vector of its meaning, where to look, the weight of titles."""

    text: str
    needs: Coverage
    vector: NDArray[np.float32]
    scope: Mapping[str, tuple[str, ...]]
    title: float


P = TypeVar("P")
Place = tuple[int, int]


class _Pool:
    """Passages that either side found, by place; a second finding of the same passage changes nothing."""

    def __init__(self) -> None:
        self.addresses: dict[Place, DocAddress] = {}
        self.lexical: dict[Place, float] = {}
        self.keys: dict[Place, int] = {}

    def add(self, address: DocAddress) -> Place:
        place = (address.segment_ord, address.doc)
        self.addresses.setdefault(place, address)
        return place


def search(view: View, vectors: Vectors, asked: Asked, limit: int) -> list[Found]:
    """The best ``limit`` passages. Raises ``Damaged``.

    Either side brings its best; each of these is then scored by both, so that no passage loses what the other list was cut
    before. One without a vector is taken to be as near as its words are good.
    """
    pool = _Pool()
    depth = max(DEPTH, limit)
    words = questions.passage_query(view, asked.text, asked.title)
    best = view.hits(questions.scoped(view.fields, words, asked.scope), depth) if words else []
    for score, address in best:
        pool.lexical[pool.add(address)] = score
    pool.keys.update(zip(pool.lexical, view.keys_of([address for _, address in best]), strict=True))
    near = _nearest(view, vectors, asked, depth, pool)
    if words and near:
        for score, address in view.hits(questions.with_keys(view.fields, words, near), depth * _COPIES):
            if (place := pool.add(address)) in pool.keys:
                pool.lexical[place] = score
    cosines = vectors.cosines(asked.vector, list(pool.keys.values()))
    first = set(near[:SAMPLE])
    sample = [*islice(pool.lexical, SAMPLE), *(place for place, key in pool.keys.items() if key in first)]
    weight = weigh(
        asked.text, asked.needs, (view.entry(pool.addresses[place]) for place in dict.fromkeys(sample[: 2 * SAMPLE]))
    )
    scores = combined(pool.lexical, pool.keys, cosines, weight)
    ranked = sorted(scores, key=lambda place: -scores[place])[:limit]
    return [Found(scores[place], cosines.get(pool.keys[place]), view.entry(pool.addresses[place])) for place in ranked]


def _nearest(view: View, vectors: Vectors, asked: Asked, depth: int, pool: _Pool) -> list[int]:
    """Put the ``depth`` nearest passages of the scope into the pool; their keys, nearest first.

    Vectors of passages that are no more are met on the way: only what the index holds counts.
    """
    narrow = any(asked.scope.values())
    among = [key for key, _ in view.keys(questions.scoped(view.fields, None, asked.scope))] if narrow else None
    found: list[int] = []
    for keys in vectors.nearest(asked.vector, among):
        query = questions.scoped(view.fields, questions.with_keys(view.fields, None, keys), asked.scope)
        places: dict[int, list[Place]] = {}
        for key, address in view.keys(query, len(keys) * _COPIES):
            places.setdefault(key, []).append(pool.add(address))
        for key in keys:
            if key in places and len(found) < depth:
                found.append(key)
                pool.keys.update(dict.fromkeys(places[key], key))
        if len(found) >= depth:
            break
    return found


def combined(lexical: Mapping[P, float], keys: Mapping[P, int], cosines: Mapping[int, float], weight: float) -> dict[P, float]:
    """Both sides on the same scale: BM25 from 0 to its best, cosines from the least to the greatest of the pool.

    ``lexical`` are scores and ``keys`` the keys of places, ``cosines`` go by key. What has none of the words and is not near
    either has no score.
    """
    most = max(lexical.values(), default=0.0) or 1.0
    low, high = min(cosines.values(), default=0.0), max(cosines.values(), default=0.0)
    scores = {}
    for place, key in keys.items():
        if place not in lexical and cosines.get(key, 0.0) < NEAR:
            continue
        words = lexical.get(place, 0.0) / most
        near = (cosines[key] - low) / (high - low) if key in cosines and high > low else words
        scores[place] = weight * words + (1 - weight) * near
    return scores


def weigh(text: str, needs: Coverage, entries: Iterable[Entry]) -> float:
    """What words weigh beside meaning, by what is asked and by what the best passages of either side are."""
    begins = [f"{head['title']}\n{body[:_BEGIN]}" for head, body in entries]
    code = sum(is_code(begin) for begin in begins) / max(len(begins), 1)
    plain = PROSE + (CODE - PROSE) * code
    return plain + (EXACT - plain) * literal(text, needs)


def literal(text: str, needs: Coverage) -> float:
    """The part of the question, by weight, that means only itself: identifiers, versions, quotations, words outside ASCII."""
    quoted = {word.lower() for phrase in text.split('"')[1:-1:2] for word in analyser.terms(analyser.split(phrase)).split()}
    total = sum(need.weight for need in needs.needs)
    exact = sum(need.weight for need in needs.needs if len(need.terms) > 1 or need.terms[0] in quoted or _odd(need.terms[0]))
    return exact / total if total else 0.0


def _odd(word: str) -> bool:
    return not word.isascii() or any(char.isdigit() for char in word)


def is_code(text: str) -> bool:
    """Whether the text is more code than prose: by its calls, assignments, blocks and underscores, in any language."""
    signs = sum(map(text.count, "={};_")) + text.count("(") - text.count(" (")
    return signs >= SIGNS * max(len(text), 1)
