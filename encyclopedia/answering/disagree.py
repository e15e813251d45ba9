"""Whether two sentences about the same thing say something different."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.answering.words import NEGATIVE, content, hard, negations, stem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from encyclopedia.answering.weigh import Candidate

SAME_SUBJECT = 0.7
"""Shared words, of those of the shorter sentence, from which two sentences are about the same."""
_FEWEST = 3
"""Words with meaning that two sentences must share at least."""
_AS_LONG = 0.5
"""How long the shorter one must be, of the longer one: a long sentence says more than one thing."""
_MOST = 3
_LOOKED_AT = 40
_PAIRS = """
    enabl/disabl allow/forbid allow/prevent requir/optional increas/decreas increas/reduc improv/degrad faster/slower
    synchronou/asynchronou mutabl/immutabl safe/unsafe accept/reject accept/refus supersed/accept deprecat/recommend
    always/never before/after true/fals public/privat support/unsupport simpl/complex loos/tight high/low more/less"""
_OPPOSITES = tuple(tuple(pair.split("/")) for pair in _PAIRS.split())
_SILENT = frozenset(map(stem, NEGATIVE))


def divergent(chosen: Sequence[Candidate], ranked: Sequence[Candidate]) -> tuple[tuple[Candidate, Candidate], ...]:
    """Pairs of a chosen sentence and one of another document that contradict each other."""
    found = []
    for one in chosen:
        for other in ranked[:_LOOKED_AT]:
            if other.passage.document != one.passage.document and contradict(one.text, other.text):
                if (other, one) not in found:
                    found.append((one, other))
                break
    return tuple(found[:_MOST])


def contradict(one: str, other: str) -> bool:
    """Whether the sentences are about the same and differ in their numbers, in a negation, or by opposite words."""
    first, second = (tuple(word for word in content(text) if word not in _SILENT) for text in (one, other))
    words, others = frozenset(first), frozenset(second)
    shared, least, most = words & others, min(len(words), len(others)), max(len(words), len(others))
    if len(shared) < max(_FEWEST, SAME_SUBJECT * least) or least < _AS_LONG * most:
        return False
    if first[0] not in shared and second[0] not in shared:  # what a sentence begins with is what it speaks of
        return False
    numbers, other_numbers = _numbers(one), _numbers(other)
    if numbers and other_numbers and not numbers & other_numbers:
        return True
    if negations(one) % 2 != negations(other) % 2:
        return True
    return opposed(words - shared, others - shared)


def opposed(words: frozenset[str], others: frozenset[str]) -> bool:
    """Whether one of two sets of stems has a word whose opposite is in the other."""
    return any((a in words and b in others) or (b in words and a in others) for a, b in _OPPOSITES)


def _numbers(text: str) -> frozenset[str]:
    return frozenset(word for word in hard(text) if word[0].isdigit())
