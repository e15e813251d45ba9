"""Terms that a markdown text defines, and other names that it gives to things."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.local.graph.headings import LONGEST, MOST_WORDS, is_generic
from encyclopedia_adapters.local.graph.prose import plain, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEFINITION = 600
_LEAST_WORDS = 3


class Term(NamedTuple):
    """A term with what it is said to be, and the line where that stands."""

    name: str
    definition: str
    line: int


def defined(lines: list[str], first: int, last: int, *, glossary: bool) -> Iterator[Term]:
    """The terms defined on these lines: bold ones that something is said of, and in a ``glossary`` plain ones too."""
    previous = ""
    for number in range(first, last + 1):
        line = lines[number - 1]
        below = re.match(r"\s{0,3}:\s+(\S.*)", line)
        if below and (name := _name(previous)):
            yield Term(name, _said(below[1]), number)
        elif found := _entry(glossary).match(line):
            name = _name(found["bold"] or found["plain"] or "")
            if name and len(found["said"].split()) >= _LEAST_WORDS:
                yield Term(name, _said(found["said"]), number)
        previous = line
    for sentence in sentences(lines, first, last):
        if (found := _is().match(sentence.raw)) and (name := _name(found["term"])):
            yield Term(name, sentence.text[:_DEFINITION], sentence.first)


def other_names(text: str) -> list[str]:
    """The names that a list below ``Also known as`` gives, or those after these words in a sentence."""
    items = re.split(r"\n+|,|;|\bor\b|\band\b", text)
    names = [re.sub(r"^\s*(?:[-*+]|\d+[.)])\s+", "", item) for item in items]
    return [name for name in map(_name, names) if name]


def also_called(raw: str) -> list[str]:
    """The names that a sentence introduces as others for the thing it speaks of."""
    found = _also().search(raw)
    return other_names(found["names"] or found["aka"]) if found else []


def _name(text: str) -> str:
    """A term as a name, empty if it is none."""
    name = " ".join(plain(text).replace('"', " ").split()).strip(" :.-\u2013—“”\u2018\u2019'")
    fits = name and len(name.split()) <= MOST_WORDS and len(name) <= LONGEST and any(map(str.isalpha, name))
    return name if fits and not is_generic(name) and not re.search(r"[.!?]\s|[?!{}<>=|]", name) else ""


def _said(text: str) -> str:
    return " ".join(plain(text).split())[:_DEFINITION]


@cache
def _entry(glossary: bool) -> re.Pattern[str]:
    """``- **Term**: what it is`` and ``**Term** — what it is``; in a glossary ``- Term: what it is`` too."""
    bold = r"(?:\*\*|__)(?P<bold>[^*_\n]{2,80}?)(?::)?(?:\*\*|__)"
    other = (
        r"|(?P<plain>[^\s:\u2013—*_`\[|][^:\u2013—*_\n]{1,60}?)(?=\s*(?::|\s[\u2013—-])\s)" if glossary else r"|(?P<plain>(?!))"
    )
    return re.compile(
        rf"\s*(?:[-*+]\s+|\d+[.)]\s+|>\s*)?(?:{bold}{other})\s*(?::|[\u2013—]|-(?=\s)|(?<=:\*\*)|(?<=:__))\s*(?P<said>\S.*)"
    )


@cache
def _is() -> re.Pattern[str]:
    mark = r"(?:\*\*|__|\*|_)"
    return re.compile(
        rf"(?:(?:an?|the|in|every)\s+)?{mark}(?P<term>[^*_\n]{{2,80}}?){mark}(?:\s+(?:design\s+)?pattern)?(?:\s*\([^()]*\))?"
        r"\s+(?:is|are|means|refers\s+to|describes|denotes|stands\s+for)\s",
        re.IGNORECASE,
    )


@cache
def _also() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:also|sometimes|often|otherwise|better|commonly)\s+(?:known|called|referred\s+to)(?:\s+as)?:?\s+(?:an?\s+|the\s+)?"
        r"(?P<names>[^.;()\n]{2,120})|\b(?:a\.k\.a\.|aka)\s+(?:the\s+)?(?P<aka>[^.;()\n]{2,60})",
        re.IGNORECASE,
    )
