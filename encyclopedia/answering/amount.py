"""Questions for a number, and sentences that give one."""

from __future__ import annotations

import re
from functools import cache

from encyclopedia.answering.words import listed, words

_ASKS = (
    r"\bhow (?:many|long|old|often|large|big|tall|high|fast|far)\b"
    r"|\b(?:what|which)(?: \S+){0,2} (?:version|year|date|percentage|percent|port|ttl)\b"
    r"|\bwhat (?:is|are|was|were) the (?:\S+ )?(?:rating|population|price|number|size|age|rate|version|duration)\b"
    r"|\b(?:since )?when (?:was|were|did)\b"
)
_COUNTS = listed(
    """one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand million once
    twice single both several multiple few half double dozen unlimited infinite zero daily weekly monthly yearly hourly"""
)


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


def wanted(question: str) -> bool:
    """Whether nothing but a number, a count or a date answers the question."""
    return _pattern(_ASKS).search(question) is not None


def given(sentence: str, question: str) -> bool:
    """Whether the sentence has a number or a count that the question has not."""
    asked = {word.casefold() for word in words(question)}
    return any(
        (word[0].isdigit() or word.casefold() in _COUNTS or (word[:1] in "vV" and word[1:2].isdigit()))
        and word.casefold() not in asked
        for word in words(sentence)
    )
