"""A question as index terms: what each counts, what stands in quotes, what is only the beginning of a word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from encyclopedia_adapters.shared.text_index import analyser
from encyclopedia_adapters.shared.text_index.coverage import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable

COMMON = 0.2
"""What a stop word counts: where passages are code, "the" is rare and would outweigh what is asked. 1 loses .034 on functions
by their descriptions, .009 on cranfield and .005 on scifact; from .05 to .3 nothing differs by more than .006."""

PHRASE = 2.0
"""What a quoted phrase counts beside its words."""

LONGEST_QUESTION = 20_000
MOST_TERMS = 512
MOST_RUNS = 32
_BEGINNING = re.compile(r"(\w[\w.]+)\*(?![\w*])")


def weighted(words: Iterable[str]) -> dict[str, float]:
    """What each index term counts: as often as it is asked, a stop word little."""
    weights: dict[str, float] = {}
    for word in words:
        weight = COMMON if word.lower() in STOP_WORDS else 1.0
        for term in analyser.terms([word]).split():
            weights[term] = weights.get(term, 0.0) + weight
    return dict(list(weights.items())[:MOST_TERMS])


def beginnings(text: str) -> list[str]:
    """What stands before each ``*``, as index terms begin."""
    return [analyser.fold(begin) for begin in _BEGINNING.findall(text)[:MOST_RUNS]]


def phrases(text: str) -> list[list[str]]:
    """The quoted phrases that have more than one index term, as those."""
    found = (analyser.terms(analyser.split(phrase)).split()[:MOST_TERMS] for phrase in text.split('"')[1:-1:2])
    return [terms for terms in found if len(terms) > 1]
