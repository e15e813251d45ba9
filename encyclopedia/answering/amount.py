"""Questions for a number, and sentences that give one."""

from __future__ import annotations

import re
from functools import cache

from encyclopedia.answering.words import counts, listed, words

_ASKS = (
    r"\bhow (?:many|long|old|often|large|big|tall|high|fast|far)\b"
    r"|\b(?:what|which)(?: \S+){0,2} (?:version|year|date|percentage|percent|port|ttl)\b"
    r"|\bwhat (?:is|are|was|were) the (?:\S+ )?(?:rating|population|price|number|size|age|rate|version|duration)\b"
    r"|\b(?:since )?when (?:was|were|did)\b"
)
_VAGUE = listed("both several multiple few single unlimited infinite daily weekly monthly yearly hourly")


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


def wanted(question: str) -> bool:
    """Whether nothing but a number, a count or a date answers the question."""
    return _pattern(_ASKS).search(question) is not None


def given(sentence: str, question: str) -> bool:
    """Whether the sentence has a number or a count that the question has not."""
    asked = counts(question)
    return bool(counts(sentence) - asked) or any(
        word.casefold() in _VAGUE or (word[:1] in "vV" and word[1:2].isdigit() and word not in words(question))
        for word in words(sentence)
    )
