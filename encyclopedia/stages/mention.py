"""Which words of a question a text mentions: in other endings, corrected, or by another word for the same thing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from encyclopedia.model.outcome import Hit
    from encyclopedia.model.query import Question

SHORTEST = 3
MOST_WORDS = 12
LONGEST = 2000
"""Characters of a content that are looked at where hits are compared."""
TITLE = 0.01
_EDGES = "\"'`.,;:!?()[]{}<>…“”‘’„«»"  # noqa: RUF001 - quotation marks of all kinds


def text_of(hit: Hit, longest: int | None = None) -> str:
    """Everything of a hit that can mention a word, in small letters; of its content the first ``longest`` characters."""
    place = f"{hit.locator.corpus}\n{hit.locator.path}\n{hit.locator.section}" if hit.locator is not None else ""
    return f"{hit.title}\n{hit.content[:longest]}\n{hit.url}\n{place}".casefold()


class Sought(NamedTuple):
    """A word of the question, the forms in which it may stand in a text, and the parts that together stand for it."""

    word: str
    forms: tuple[str, ...]
    parts: tuple[str, ...]

    def stands_in(self, text: str) -> bool:
        """Whether the word, or one that stands for it, is in the text, which is in small letters."""
        for form in self.forms:
            if form in text:
                return True
        return bool(self.parts) and all(part in text for part in self.parts)


class Mentions:
    """How many of the words of a question a hit mentions."""

    def __init__(self, question: Question, stop_words: Collection[str]) -> None:
        self._words = sought(question, stop_words)[:MOST_WORDS]
        self._known: dict[int, float] = {}

    def share(self, hit: Hit) -> float:
        """The part of the words that the hit mentions, from 0 to 1; each word in the title adds a little."""
        known = self._known.get(id(hit))
        if known is None:
            text, title = text_of(hit, LONGEST), hit.title.casefold()
            mentioned = [word for word in self._words if word.stands_in(text)]
            titled = sum([word.stands_in(title) for word in mentioned])
            known = (len(mentioned) + TITLE * titled) / (len(self._words) or 1)
            self._known[id(hit)] = known
        return known


def sought(question: Question, stop_words: Collection[str]) -> list[Sought]:
    """The words of the question with meaning, in its order; corrections and alternatives are forms of what they stand for."""
    stand_ins: dict[str, list[str]] = {}
    for correction in question.corrections:
        stand_ins.setdefault(correction.original.casefold(), []).append(correction.replacement)
    for expansion in question.expansions:
        stand_ins.setdefault(expansion.term.casefold(), []).extend(expansion.alternatives)
    words = []
    for word in content_words(question, stop_words):
        names = [word, *stand_ins.get(word.casefold(), ())]
        forms = tuple(dict.fromkeys(form for name in names for form in _forms(name.casefold())))
        words.append(Sought(word, forms, _parts(word.casefold())))
    return words


def content_words(question: Question, stop_words: Collection[str]) -> Iterator[str]:
    """Words with meaning, each once: no stop words, nothing under three characters but identifiers."""
    tokens = question.tokens
    spans = [(token.text, token.protected) for token in tokens] or [(question.text, False)]
    seen = set()
    for part, protected in ((part, protected) for span, protected in spans for part in span.split()):
        word = part.replace("’", "'").strip(_EDGES).removesuffix("'s")  # noqa: RUF001 - the apostrophe of good typesetting
        folded = word.casefold()
        long_enough = len(word) >= SHORTEST or (protected and len(word) == SHORTEST - 1)
        if long_enough and folded not in stop_words and folded not in seen and _is_word(word):
            seen.add(folded)
            yield word


def _is_word(word: str) -> bool:
    """Contractions say nothing, marks alone neither."""
    return "'" not in word and any(character.isalnum() for character in word)


def _forms(word: str) -> Iterator[str]:
    """The word and its stems; what is longer than a stem holds it anyway."""
    yield word
    if not word.isalpha():
        return
    for ending, rest in (("ies", "y"), ("es", ""), ("s", ""), ("ing", ""), ("ed", "")):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= SHORTEST:
            yield stem + rest
            if rest == "" and len(stem) > SHORTEST and stem[-1] == stem[-2]:
                yield stem[:-1]


def _parts(word: str) -> tuple[str, ...]:
    """The parts of a compound name; none where there is but one, or a number among them: that only counts as a whole."""
    parts = re.split(r"[^\w]+|_", word)
    known = tuple([part for part in parts if part])
    return known if len(parts) > 1 and all(map(str.isalpha, known)) else ()
