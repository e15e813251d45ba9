"""What the words of a facet are worth among the passages that were found, and how much of them a text holds."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.answering.words import WEAK, stem, stems, telling

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from encyclopedia.model.answer import Passage

_WEAK = frozenset(map(stem, WEAK))
_LITTLE = 0.25
"""What a word counts that asks for something without being what is asked about."""


class Candidate(NamedTuple):
    """A sentence of a passage with what it is worth."""

    score: float
    passage: Passage
    text: str
    held: frozenset[str]
    stated: bool = False
    """Whether it states a relation that is asked for."""


class Weights:
    """The weight of each content word of ``text``: rarer words among the passages weigh more."""

    def __init__(self, text: str, passages: Sequence[Passage]) -> None:
        self.held = {passage.id: stems(f"{passage.corpus} {passage.title}\n{passage.text}") for passage in passages}
        count = len(passages)
        self._words = telling(text)
        self.of = {word: self._weight(word, count) for word in self._words}
        self.total = sum(self.of.values()) or 1.0

    def _weight(self, word: str, count: int) -> float:
        holding = sum(word in held for held in self.held.values())
        # at most three times what the commonest word weighs: a handful of passages says little about how rare a word is
        rare = 1.0 + min(2.0, log((count + 1) / (holding + 1)))
        return _LITTLE if word in _WEAK else rare

    def share(self, held: Collection[str]) -> float:
        """The part of the weight that is held, from 0 to 1."""
        return sum(weight for word, weight in self.of.items() if word in held) / self.total

    def missing(self, held: Collection[str]) -> tuple[str, ...]:
        """The words with weight that are not held, as they were typed, but for those that only ask."""
        return tuple(self._words[word] for word in self.of if word not in held and word not in _WEAK)
