"""Finds where a text names a concept: whole words, in any case and number, the longest name first."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.shared.text_index.analyser import fold

if TYPE_CHECKING:
    from collections.abc import Iterable

    from encyclopedia_adapters.local.graph.values import Concept

_GENERIC = frozenset(("pattern", "design", "the", "a", "an", "principle"))
"""Words that a name may have or lack."""

_SHORT = 4


class Mention(NamedTuple):
    """A concept named at ``start`` to ``end`` of a text; ``sure`` unless it may be an ordinary word in small letters."""

    concept: str
    start: int
    end: int
    sure: bool


class Names:
    """The names and aliases of some concepts."""

    def __init__(self, concepts: Iterable[Concept]) -> None:
        self._by_first: dict[str, dict[tuple[str, ...], str]] = {}
        self._small: set[tuple[str, ...]] = set()
        every = list(concepts)
        for concept in every:
            self._learn(concept.name, concept.id)
        for concept in every:
            for alias in concept.aliases:
                self._learn(alias, concept.id)

    def _learn(self, name: str, concept: str) -> None:
        for form in {name, without_brackets(name)}:
            words = key(form)
            if words and (len(words) > 1 or len(words[0]) > 1):
                self._by_first.setdefault(words[0], {}).setdefault(words, concept)
                if form == form.lower():
                    self._small.add(words)

    def concept(self, name: str) -> str:
        """The concept that is called exactly so, empty if there is none."""
        words = key(name)
        return self._by_first.get(words[0], {}).get(words, "") if words else ""

    def find(self, text: str) -> list[Mention]:
        """All mentions in order, none inside another."""
        tokens = [(found.start(), found.end(), singular(fold(found[0]))) for found in _word().finditer(text)]
        found: list[Mention] = []
        at = 0
        while at < len(tokens):
            words = self._longest(tokens, at)
            if not words:
                at += 1
                continue
            start, end = tokens[at][0], tokens[at + len(words) - 1][1]
            concept = self._by_first[words[0]][words]
            sure = len(words) > 1 or text[start].isupper() or words in self._small or _called(text[end:])
            found.append(Mention(concept, start, end, sure))
            at += len(words)
        return found

    def _longest(self, tokens: list[tuple[int, int, str]], at: int) -> tuple[str, ...]:
        names = self._by_first.get(tokens[at][2], {})
        for size in sorted({len(words) for words in names}, reverse=True):
            words = tuple(token[2] for token in tokens[at : at + size])
            if words in names:
                return words
        return ()


def key(name: str) -> tuple[str, ...]:
    """A name as its words in the singular, without those that it may have or lack; all of them where nothing else is left."""
    words = tuple(singular(fold(word)) for word in _word().findall(name))
    return tuple(word for word in words if word not in _GENERIC) or words


def singular(word: str) -> str:
    """An English plural without its ending. No more is taken off: a commander is no command."""
    if len(word) < _SHORT or not word.isascii() or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word.removesuffix("s")


def without_brackets(name: str) -> str:
    """``Segregation`` of ``Segregation (CQRS)``; the name itself if nothing else is left."""
    return " ".join(re.sub(r"\([^()]*\)", " ", name).split()) or name


def in_brackets(name: str) -> list[str]:
    """``CQRS`` of ``Segregation (CQRS)``."""
    return [found.strip() for found in re.findall(r"\(([^()]+)\)", name) if found.strip()]


def _called(rest: str) -> bool:
    return bool(re.match(r"\W{0,3}\s*(?:design\s+)?pattern", rest, re.IGNORECASE))


@cache
def _word() -> re.Pattern[str]:
    return re.compile(r"[^\W_]+(?:['\u2019](?=s\b))?(?:\+\+|#)?")
