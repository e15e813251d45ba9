"""The sentences of a markdown text with the lines on which they stand; code, tables and headings are none."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST = 1200
"""Characters of a sentence; what is longer is no prose."""


class Sentence(NamedTuple):
    """``raw`` as it stands on the lines ``first`` to ``last`` (1-based, inclusive); ``plain`` has blanks for its markup.

    Both have the same length, so that a place in one is the same place in the other. ``item`` marks an item of a list.
    """

    raw: str
    plain: str
    first: int
    last: int
    item: bool = False

    @property
    def text(self) -> str:
        """As a person reads it, on one line."""
        return " ".join(self.raw.split())


class _Paragraph(NamedTuple):
    lines: tuple[str, ...]
    first: int
    item: bool


def sentences(lines: list[str], first: int, last: int) -> Iterator[Sentence]:
    """The sentences of the lines ``first`` to ``last``."""
    for paragraph in _paragraphs(lines, first, last):
        text = "\n".join(paragraph.lines)
        start = 0
        for end in [*_ends(text), len(text)]:
            raw = text[start:end]
            if raw.strip() and len(raw) <= _LONGEST:
                lead = len(raw) - len(raw.lstrip())
                above = paragraph.first + text.count("\n", 0, start + lead)
                raw = raw.strip()
                yield Sentence(raw, plain(raw), above, above + raw.count("\n"), paragraph.item)
            start = end


def plain(raw: str) -> str:
    """The text with blanks in the place of its markup and of the targets of its links."""
    return _markup().sub(lambda found: " " * len(found[0]), _target().sub(lambda found: "]" + " " * (len(found[0]) - 1), raw))


def _paragraphs(lines: list[str], first: int, last: int) -> Iterator[_Paragraph]:
    held: list[str] = []
    start, item, fence = first, False, ""
    for number in range(first, last + 1):
        line = lines[number - 1]
        mark = _fence().match(line)
        if fence or mark:
            begins = mark[1] if mark else ""
            fence = fence or begins
            fence = "" if mark and held == ["\0"] and begins[0] == fence[0] and len(begins) >= len(fence) else fence
            if held and held != ["\0"]:
                yield _Paragraph(tuple(held), start, item)
            held = ["\0"] if fence else []
            continue
        bullet = _bullet().match(line)
        if held and (bullet or not line.strip() or _foreign().match(line)):
            yield _Paragraph(tuple(held), start, item)
            held = []
        if not line.strip() or _foreign().match(line):
            continue
        if not held:
            start, item = number, bool(bullet)
        held.append(_quote().sub(lambda found: " " * len(found[0]), line))
    if held and held != ["\0"]:
        yield _Paragraph(tuple(held), start, item)


def _ends(text: str) -> list[int]:
    return [found.end() for found in _end().finditer(text) if not _short().search(text[: found.start() + 1])]


@cache
def _end() -> re.Pattern[str]:
    return re.compile(r"""[.!?。\uff01\uff1f][*_"”\u2019')\]]*(?:\s+(?=[*_`"“(\[]*[^\Wa-z_])|(?<=[。\uff01\uff1f])|\s*$)""")


@cache
def _short() -> re.Pattern[str]:
    """Abbreviations that end with a full stop and end no sentence."""
    return re.compile(r"\b(?:e\.g|i\.e|cf|vs|etc|approx|[A-Z]|Dr|Mr|Ms|Prof|No|Fig|Sec|Ch|pp?)\.$")


@cache
def _fence() -> re.Pattern[str]:
    return re.compile(r"[ \t>]*(`{3,}|~{3,})")


@cache
def _bullet() -> re.Pattern[str]:
    return re.compile(r"\s*(?:>\s*)*(?:[-*+]|\d{1,3}[.)])\s+")


@cache
def _foreign() -> re.Pattern[str]:
    """Headings, tables, rules, comments and blocks of HTML."""
    return re.compile(r"\s*(?:#{1,6}\s|\||<[/!a-zA-Z]|(?:[-*_]\s*){3,}$|=+\s*$)|(?: {4}|\t)(?![-*+\d])")


@cache
def _quote() -> re.Pattern[str]:
    return re.compile(r"^\s*(?:>\s*)*(?:(?:[-*+]|\d{1,3}[.)])\s+)?(?:\[[ xX]\]\s+)?")


@cache
def _target() -> re.Pattern[str]:
    return re.compile(r"\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\]\n]*\])")


@cache
def _markup() -> re.Pattern[str]:
    return re.compile(r"[*`\[\]]|(?<!\w)_+(?=\w)|(?<=\w)_+(?!\w)|~~")
