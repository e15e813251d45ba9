"""From a passage to the terms and weights that an engine stores, and from a question to those that it is asked for.

A passage is a sparse vector of what BM25 gives for each of its terms, a question one of how rare they are: their product is the
score (Robertson and Zaragoza 2009). A term of the title has a dimension of its own.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING

from encyclopedia_adapters.engines.port import Words
from encyclopedia_adapters.shared.text_index import analyser, questions
from encyclopedia_adapters.shared.text_index import asked as asked_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from encyclopedia_adapters.engines.port import Engine
    from encyclopedia_adapters.shared.text_index import Passage

DIMENSIONS = 1_000_000_000
"""Terms are numbered by their digest: of 300,000 words some 45 share a number with another."""

K1, B = 1.2, 0.75
"""As the embedded index has them."""

MOST = 7_500
"""Different terms of a passage that count: what is longer is no passage."""

_LONGEST_NAME = 1000
_SEVERAL = 512


class Terms:
    """The index terms of a passage in order: those of its title, and all of them."""

    __slots__ = ("heading", "text")

    def __init__(self, passage: Passage) -> None:
        text, heading = questions.terms_of(passage)
        self.heading, self.text = heading.split(), text.split()


def ref(document: str, id: str, copy: int = 0) -> int:
    """63 bits that name a passage, the same whenever it is put again; ``copy`` counts those of the same name."""
    raw = "\0".join((document, id, str(copy))).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(raw, digest_size=8).digest(), "big") >> 1


def refs(passages: Sequence[Passage]) -> list[int]:
    """The refs of passages, those of the same name counted up."""
    seen: Counter[tuple[str, str]] = Counter()
    found = []
    for passage in passages:
        name = passage.document, passage.id
        found.append(ref(*name, seen[name]))
        seen[name] += 1
    return found


def name(text: str) -> str:
    """A name as engines take it: without lone surrogates and NUL, and not longer than their keys may be."""
    plain = questions.exact(text).replace("\0", "\\x00")
    if len(plain.encode()) > _LONGEST_NAME:
        return blake2b(plain.encode(), digest_size=32).hexdigest()
    return plain


@lru_cache(maxsize=65536)
def dimension(term: str, *, title: bool = False) -> int:
    """The number of a term, from 1."""
    raw = f"\0{term}" if title else term
    return int.from_bytes(blake2b(raw.encode(), digest_size=8).digest(), "big") % DIMENSIONS + 1


def values(terms: Terms, averages: tuple[float, float]) -> dict[int, float]:
    """What BM25 gives for each term of a passage but for its rarity, by number."""
    found: dict[int, float] = {}
    for held, average, title in ((terms.text, averages[0], False), (terms.heading, averages[1], True)):
        length = K1 * (1 - B + B * len(held) / max(average, 1.0))
        for term, count in Counter(held).most_common(MOST):
            number = dimension(term, title=title)
            found[number] = found.get(number, 0.0) + count * (K1 + 1) / (count + length)
    return found


def averages(passages: Iterable[Terms]) -> tuple[float, float]:
    """The mean lengths of text and title."""
    lengths = [(len(terms.text), len(terms.heading)) for terms in passages]
    count = max(len(lengths), 1)
    return sum(text for text, _ in lengths) / count, sum(title for _, title in lengths) / count


def rarity(size: int, count: int) -> float:
    """Inverse document frequency, made positive, as the embedded index has it."""
    return math.log(1 + (max(size - count, 0) + 0.5) / (count + 0.5))


def asked(words: Words) -> dict[int, float]:
    """The question by the numbers of its terms: what each counts times how rare it is."""
    found: dict[int, float] = {}
    for term, weight in words.weights.items():
        for title, factor in ((False, 1.0), (True, words.title)):
            count = words.counts.get(term, (0, 0))[title]
            if count and factor:
                number = dimension(term, title=title)
                found[number] = found.get(number, 0.0) + weight * factor * rarity(words.size, count)
    return found


def phrase_weight(words: Words, phrase: Sequence[str]) -> float:
    """What a quoted phrase counts where it stands once."""
    counts = (words.counts.get(term, (0, 0))[0] for term in phrase)
    return asked_text.PHRASE * sum(rarity(words.size, count) for count in counts)


def question(engine: Engine, text: str, title: float, size: int) -> Words | None:
    """The question as an engine is asked; ``None`` if there are no words."""
    words, runs = analyser.asked(text[: asked_text.LONGEST_QUESTION])
    pieces = chain.from_iterable(map(analyser.pieces, runs[: asked_text.MOST_RUNS]))
    weights = asked_text.weighted([*words, *pieces])
    phrases = tuple(tuple(phrase) for phrase in asked_text.phrases(text))
    for begin in asked_text.beginnings(text):
        for term in {*engine.beginning(begin, _SEVERAL), analyser.stem(begin)}:
            weights.setdefault(term, 1.0)
    if not weights:
        return None
    counts: Mapping[str, tuple[int, int]] = engine.counts({*weights, *(term for phrase in phrases for term in phrase)})
    return Words(weights, title, phrases, counts, size)
