"""What the results are silent about: words of the question that no result holds."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from encyclopedia.model.outcome import Hit
    from encyclopedia.model.query import Question
    from encyclopedia.model.ranking import Ranking

MOST_WORDS = 10
SHORTEST = 3
_EDGES = "\"'`.,;:!?()[]{}<>…“”‘’„«»"  # noqa: RUF001  quotation marks of all kinds


def evidence(ranking: Ranking, *, stop_words: frozenset[str] = frozenset()) -> Ranking:
    """The ranking with the content words of the question that stand in no title, content, address or locator.

    In the order of the question, at most 10. A word counts as found by its correction, one of its alternatives, a plural or
    another ending. Without results every content word is missing.
    """
    question = ranking.plan.question
    text = "\n".join(_text(result.hit) for result in ranking.results)
    stands_for = _stand_ins(question)
    gap = [word for word in _content_words(question, stop_words) if not _found(word, stands_for, text)]
    return replace(ranking, evidence_gap=tuple(gap[:MOST_WORDS]))


def _text(hit: Hit) -> str:
    place = f"{hit.locator.path}\n{hit.locator.section}" if hit.locator is not None else ""
    return f"{hit.title}\n{hit.content}\n{hit.url}\n{place}".casefold()


def _stand_ins(question: Question) -> dict[str, list[str]]:
    """The words whose presence counts as the presence of another one."""
    words: dict[str, list[str]] = {}
    for correction in question.corrections:
        words.setdefault(correction.original.casefold(), []).append(correction.replacement)
    for expansion in question.expansions:
        words.setdefault(expansion.term.casefold(), []).extend(expansion.alternatives)
    return words


def _content_words(question: Question, stop_words: Collection[str]) -> Iterator[str]:
    """Words with meaning, each once: no stop words, nothing under three characters but identifiers."""
    tokens = question.tokens
    spans = [(token.text, token.protected) for token in tokens] or [(question.text, False)]
    seen = set()
    for part, protected in ((part, protected) for span, protected in spans for part in span.split()):
        word = part.replace("’", "'").strip(_EDGES).removesuffix("'s")  # noqa: RUF001  the apostrophe of good typesetting
        folded = word.casefold()
        long_enough = len(word) >= SHORTEST or (protected and len(word) == SHORTEST - 1)
        if long_enough and folded not in stop_words and folded not in seen and _is_word(word):
            seen.add(folded)
            yield word


def _is_word(word: str) -> bool:
    """Contractions say nothing, marks alone neither."""
    return "'" not in word and any(character.isalnum() for character in word)


def _found(word: str, stands_for: dict[str, list[str]], text: str) -> bool:
    names = [word, *stands_for.get(word.casefold(), ())]
    return any(form in text for name in names for form in _forms(name.casefold())) or _in_parts(word.casefold(), text)


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


def _in_parts(word: str, text: str) -> bool:
    """Whether every part of a compound name occurs; numbers only count as a whole."""
    parts = re.split(r"[^\w]+|_", word)
    return len(parts) > 1 and all(part.isalpha() and part in text for part in parts if part)
