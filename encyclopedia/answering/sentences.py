"""A passage cut into sentences that stand in it word for word."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.answering.words import STOP, words

if TYPE_CHECKING:
    from collections.abc import Iterator

SHORTEST = 4
"""Words of what can be a sentence of prose."""
LONGEST = 70
"""Words of a sentence that a reader takes in; what is longer is no prose."""

_ABBREVIATED = r"\b(?:e\.g|i\.e|etc|vs|cf|al|fig|eq|no|dr|mr|mrs|ms|prof|st|approx|incl|resp|vol|pp?|ch|sec|[A-Z])\.$"
_END = r"(?<=[.!?])([\"')\]’”*_`]*)\s+(?=[\"'\[“‘*_`]*[A-Z0-9\u00c0-\u024f])|(?<=[。！？])()"  # noqa: RUF001 - the marks of other scripts
_FENCE = r"^[ \t]*(?:```|~~~)"
_MARK = r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+|^[ \t]*>[ \t]?"
_LEADS_ON = 14
"""Lines of code or of a list that belong to the sentence with a colon before them."""
_FENCED = rf"\s*\n[ \t]*(```|~~~)[^\n]*\n(?:.*\n){{0,{_LEADS_ON}}}?[ \t]*\1[ \t]*$"
_LISTED = (
    rf"\s*\n(?:[ \t]*(?:[-*+]|\d+[.)])[ \t].*(?:\n[ \t]*(?![ \t]|[-*+#|>]|\d+[.)]|```|~~~).+)*(?:\n+|\Z)){{1,{_LEADS_ON // 2}}}"
)
_SILENT = r"^[ \t]*(?:#{1,6}\s|!!!\s|</?[a-zA-Z][^>\n]*>|\||:::|[-=*_~]{3,}\s*$|<!--|\[[^\]]+\]:|!\[)"


_LINK = r"!?\[\[[^\]]*\]\]|!?\[[^\]]*\]\([^)]*\)|https?://\S+"


_ORDER = (
    r"\b(?:ignore|disregard|forget|override)\b[^.!?]{0,40}\b(?:instructions?|rules|prompts?|(?:said|told|written) above)\b"
    r"|\byou are (?:now )?(?:an? |the )?(?:ai|assistant|language model|chatbot)\b|\b(?:system|developer) prompt\b"
)


class Sentence(NamedTuple):
    """``text == passage[start:end]``; ``item`` tells that it is an item of a list."""

    text: str
    start: int
    end: int
    item: bool = False


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.MULTILINE)


def sentences(passage: str) -> tuple[Sentence, ...]:
    """The sentences of a passage in order, without headings, tables and code.

    Code or a short list right after a sentence that ends with a colon belongs to it.
    """
    found = (
        _sentence(passage, start, end, item)
        for first, last, item in _paragraphs(passage)
        for start, end in _cuts(passage, first, last)
    )
    whole = [sentence for sentence in found if sentence]
    return tuple(_led_on(passage, one) if _leads_on(one) else one for one in whole)


def _leads_on(sentence: Sentence) -> bool:
    """Whether a sentence announces what follows: by its last mark, or by having none though it is no item."""
    return sentence.text.endswith((":", "...", "…")) or (not sentence.item and sentence.text[-1:].isalnum())


def _led_on(passage: str, sentence: Sentence) -> Sentence:
    """The sentence with the code or list that it announces."""
    rest = passage[sentence.end :]
    block = _pattern(_FENCED).match(rest) or _pattern(_LISTED).match(rest)
    if not block:
        return sentence
    end = sentence.end + len(block[0].rstrip())
    return Sentence(passage[sentence.start : end], sentence.start, end, sentence.item)


def _sentence(passage: str, start: int, end: int, item: bool) -> Sentence | None:
    text = passage[start:end]
    lead = len(text) - len(text.lstrip())
    start, end = start + lead, start + len(text.rstrip())
    return Sentence(passage[start:end], start, end, item) if start < end else None


def _paragraphs(passage: str) -> Iterator[tuple[int, int, bool]]:
    """Spans of lines that run on, each list item by itself."""
    at, begun, item, fenced, quoted_before = 0, -1, False, False, False
    for line in passage.splitlines(keepends=True):
        start, at = at, at + len(line)
        fence = _pattern(_FENCE).match(line)
        silent = (
            fenced
            or fence
            or not line.strip(" \t\r\n>")
            or _pattern(_SILENT).match(line)
            or (begun < 0 and line.startswith(("    ", "\t")))
        )
        fenced = fenced != bool(fence)
        mark = None if silent else _pattern(_MARK).match(line)
        runs_on = quoted_before and bool(mark and mark[0].lstrip().startswith(">"))
        quoted_before = bool(mark and mark[0].lstrip().startswith(">"))
        if begun >= 0 and (silent or (mark and not runs_on)):
            yield begun, start, item
            begun = -1
        if mark and begun < 0:
            begun, item = start + mark.end(), not quoted_before
        elif not silent and begun < 0:
            begun, item = start, False
    if begun >= 0:
        yield begun, at, item


def _cuts(passage: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    first = start
    for match in _pattern(_END).finditer(passage, start, end):
        if _pattern(_ABBREVIATED).search(passage, max(first, match.start() - 12), match.start()):
            continue
        yield first, match.end(1) if match[1] is not None else match.end()
        first = match.end()
    yield first, end


def is_order(text: str) -> bool:
    """Whether a sentence tells its reader to break the rules, as text does that is meant for a model: it proves nothing."""
    return re.search(_ORDER, text, re.IGNORECASE) is not None


def is_prose(text: str) -> bool:
    """Whether a sentence says something: not a heading, a list of links or names, a blob, or an order to a model."""
    if is_order(text):
        return False
    head = text.split("\n", 1)[0]
    bare = re.sub(_LINK, "", head)
    found = words(head)
    if any(char >= "\u2e80" for char in head):
        return SHORTEST <= len(found) <= 4 * LONGEST
    if not SHORTEST <= len(found) <= LONGEST or len(words(bare)) * 2 < len(found):
        return False
    ended = text.rstrip("*_`\"')”")[-1:] in tuple(".!?؟।")  # in a language whose small words nobody listed
    return ended or any(word.casefold() in STOP for word in words(bare)) or len(found) > 2 * SHORTEST
