"""How much of a question a text holds, rare words counting more than common ones."""

from __future__ import annotations

import math
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.shared.text_index import analyser

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from encyclopedia.model.plan import StandsFor

ENOUGH = 0.5
"""The share of a short question below which a passage is no answer to it: of 42 questions over three collections it loses 7,
mostly such as none of them answers well, and keeps 21 of 134 answers from the wrong one."""

FEW = 4
"""Words with meaning up to which a question is short. Of a long one no passage holds all, and less must do: with the square of
``FEW / words`` nDCG@10 stays within .012 on scifact and .001 on cranfield (9 and 10 words), where a fixed .5 halves it."""

SMALLEST = 300
"""Passages that a collection is taken to have at least: in a handful of notes a word in each of them is not yet common."""

_MOST_WORDS = 64
_WORDS = """
    a about after all also am an and any are as at be because been before being best between both but by can could did
    do does each explain find for from get give good had has have he her him his how i if in into is it its itself
    just kind make may me might more most much must my need no nor not of off on once one only or other our out over
    own please same shall she should show so some such tell than that the their them themselves then there these they
    this those to too under until up use used using very want was way we were what when where which while who whom
    whose why will with work works would you your
"""
STOP_WORDS = frozenset(_WORDS.split())
"""Words that say nothing of what is asked."""


class Need(NamedTuple):
    """A word of the question: its weight, its index terms (whole first, then parts), and terms that may stand for it."""

    weight: float
    terms: Sequence[str]
    others: Sequence[frozenset[str]] = ()

    def met(self, held: Collection[str]) -> float:
        """The part of the word, from 0 to 1, that is among the terms ``held``."""
        whole, *parts = self.terms
        if whole in held or any(other <= frozenset(held) for other in self.others):
            return 1.0
        return sum(part in held for part in parts) / len(parts) if parts else 0.0


class Coverage:
    """The words of ``text`` that carry meaning, each weighted by how rare it is among ``size`` passages.

    ``frequency`` tells how many of them hold an index term; one that none holds weighs most. ``stands_for`` gives what counts
    as the presence of a word.
    """

    def __init__(self, text: str, size: int, frequency: Callable[[str], int], stands_for: StandsFor = ()) -> None:
        self._size, self._frequency = max(size, SMALLEST), frequency
        others: dict[str, list[frozenset[str]]] = {}
        for phrase, names in stands_for:
            for word in analyser.split(phrase):
                others.setdefault(word.lower(), []).extend(term_set(name) for name in names)
        words = content_words(text)
        # A correction is put beside the word that it corrects; it must not be asked for twice.
        instead = {option for word in words for option in others.get(word.lower(), ())}
        asked = [word for word in words if term_set(word) not in instead or word.lower() in others] or words
        self.needs = tuple(self._need(word, others.get(word.lower(), ())) for word in asked)
        self._total = sum(need.weight for need in self.needs)

    def share(self, *texts: str) -> float:
        """The part of the question, from 0 to 1, that the texts together hold; 1 if the question has no word with meaning."""
        return self.share_of(frozenset().union(*map(term_set, texts)))

    def share_of(self, held: Collection[str]) -> float:
        """As ``share``, of index terms."""
        return sum(need.weight * need.met(held) for need in self.needs) / self._total if self._total else 1.0

    @property
    def enough(self) -> float:
        """The share from which on a passage is an answer."""
        return ENOUGH * min(1.0, FEW / max(len(self.needs), 1)) ** 2

    @property
    def terms(self) -> frozenset[str]:
        """All index terms that count for something."""
        own = frozenset(term for need in self.needs for term in need.terms)
        return own.union(*(other for need in self.needs for other in need.others))

    def _need(self, word: str, others: Sequence[frozenset[str]]) -> Need:
        terms = analyser.terms([word]).split()
        counts = {term: self._frequency(term) for term in terms}
        rare = terms[:1] if counts[terms[0]] or len(terms) == 1 else terms[1:]
        return Need(max(self._rarity(counts[term]) for term in rare), terms, tuple(others))

    def _rarity(self, count: int) -> float:
        """Inverse document frequency as BM25 has it (Robertson and Spärck Jones 1976, made positive)."""
        return math.log(1 + (max(self._size - count, 0) + 0.5) / (count + 0.5))


def content_words(text: str) -> list[str]:
    """The words of ``text`` that carry meaning, each once; all of them if there are none but stop words."""
    spaced, runs = analyser.asked(text)
    words = list(dict.fromkeys([*spaced, *chain.from_iterable(map(analyser.pieces, runs))]))
    content = [word for word in words if word.lower() not in STOP_WORDS and (len(word) > 1 or not word.isascii())]
    return (content or words)[:_MOST_WORDS]


def term_set(*texts: str) -> frozenset[str]:
    """The index terms of the texts."""
    return frozenset(analyser.terms(_words(texts)).split())


def _words(texts: Iterable[str]) -> list[str]:
    return [word for text in texts for word in analyser.split(text)]
