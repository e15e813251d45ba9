"""Whether concepts of two books are the same: a verdict for each pair, by rules on names, aliases and definitions."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

from encyclopedia_adapters.local.graph.mentions import in_brackets, key, without_brackets
from encyclopedia_adapters.shared.text_index.coverage import content_words, term_set

if TYPE_CHECKING:
    from encyclopedia_adapters.local.graph.values import Concept

NAMED = 0.95
"""Confidence of two concepts that are called the same; a lower one needs that no other concept of the book fits as well."""

_PLAIN = frozenset({"simple", "basic", "plain", "classic", "standard", "general", "generic"})
"""Words that do not narrow what they stand before."""

_SOME, _MUCH, _NEARLY = 0.15, 0.3, 0.8
_LEAST = 6
"""Words with meaning that two definitions must have to be called the same by themselves."""


class Verdict(NamedTuple):
    """Whether two concepts are the same, how sure that is, and why."""

    same: bool
    confidence: float
    reason: str


class Judge(Protocol):
    """Decides about pairs. A verdict depends on the two concepts only, so that it may be kept as long as both stay."""

    @property
    def fingerprint(self) -> str:
        """Changes when the same pair might get another verdict."""
        ...

    def judge(self, one: Concept, other: Concept) -> Verdict:
        """The verdict on concepts of two books; which comes first makes no difference."""
        ...


class Traits(NamedTuple):
    """What is compared of a concept: the words of its name, of its other names, of its definition, and its initials."""

    name: str
    core: str
    words: int
    others: frozenset[str]
    long: frozenset[str]
    initials: str
    definition: frozenset[str]
    category: frozenset[str]


@lru_cache(maxsize=100_000)
def traits(concept: Concept) -> Traits:
    """The traits of a concept. Names are joined, so that ``MapReduce``, ``Map-Reduce`` and ``Map Reduce`` are one."""
    bare = without_brackets(concept.name)
    words = key(bare)
    aliases = [
        key(alias) for name in (*concept.aliases, *in_brackets(concept.name)) for alias in {name, without_brackets(name)}
    ]
    own = term_set(concept.name)
    return Traits(
        name="".join(words),
        core="".join(word for word in words if word not in _PLAIN) or "".join(words),
        words=len(words),
        others=frozenset("".join(alias) for alias in aliases if alias) - {"".join(words)},
        long=frozenset("".join(alias) for alias in aliases if len(alias) > 1),
        initials="".join(word[0] for word in words) if len(words) > 2 else "",  # noqa: PLR2004 - two letters are too few
        definition=term_set(" ".join(content_words(concept.definition))) - own - _EMPTY if concept.definition else frozenset(),
        category=term_set(concept.category) - _EMPTY,
    )


_EMPTY = term_set("pattern patterns design class classes object objects java code way used provides allows software book")


class Rules:
    """The judge that needs no model; it would rather leave two concepts apart than join what is not the same."""

    fingerprint = "rules 1"

    def judge(self, one: Concept, other: Concept) -> Verdict:
        """Equal names are the same thing unless all else speaks against it; other names need more the less they say."""
        left, right = traits(one), traits(other)
        if left.name == right.name:
            return _by_name(left, right)
        if {left.name} & right.others or {right.name} & left.others:
            return _by_alias(left, right)
        if left.core == right.core:
            near = bool(left.category & right.category) or overlap(left, right) >= _SOME
            return Verdict(near, 0.75, "the same name but for a word that does not narrow it")
        return _by_definition(left, right)


def overlap(left: Traits, right: Traits) -> float:
    """The share of the shorter definition's words with meaning that the other one has too; 0 where there is none."""
    least = min(len(left.definition), len(right.definition))
    return len(left.definition & right.definition) / least if least else 0.0


def _apart(left: Traits, right: Traits) -> bool:
    """Whether both say what they are, and they are different kinds of things."""
    told = left.category and right.category and left.definition and right.definition
    return bool(told) and not left.category & right.category


def _by_name(left: Traits, right: Traits) -> Verdict:
    if left.words == 1 and _apart(left, right) and not overlap(left, right):
        return Verdict(same=False, confidence=0.6, reason="one name for two things: other category, other words")
    return Verdict(same=True, confidence=NAMED, reason="the same name")


def _by_alias(left: Traits, right: Traits) -> Verdict:
    met = ({left.name} & right.others) | ({right.name} & left.others)
    shared, apart = overlap(left, right), _apart(left, right)
    telling = (left.name in met and left.words > 1) or (right.name in met and right.words > 1)
    if telling and (shared or not apart):
        return Verdict(same=True, confidence=0.85, reason="the name of one is another name of the other")
    if shared >= (_MUCH if apart else _SOME):
        return Verdict(same=True, confidence=0.8, reason="the name of one is another name of the other, and a like definition")
    return Verdict(same=False, confidence=0.6, reason="one is called like the other, but nothing else agrees")


def _by_definition(left: Traits, right: Traits) -> Verdict:
    shared = overlap(left, right)
    if (right.name and right.name == left.initials) or (left.name and left.name == right.initials):
        return Verdict(shared >= _SOME, 0.8, "the initials of the name")
    if left.long & right.long and shared >= _MUCH:
        return Verdict(same=True, confidence=0.7, reason="a common other name, and a like definition")
    if shared >= _NEARLY and min(len(left.definition), len(right.definition)) >= _LEAST:
        return Verdict(same=True, confidence=0.7, reason="the same definition")
    return Verdict(same=False, confidence=0.9, reason="other names")
