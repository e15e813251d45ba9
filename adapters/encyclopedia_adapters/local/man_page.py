"""The text of a manual page: what it says about the words of a question."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.shared.text_index import analyser
from encyclopedia_adapters.shared.text_index.coverage import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

MAX_TEXT = 200_000
"""Characters read of a page."""
OPENING = 900
BEST = 1600
_SYSTEM = frozenset({"linux", "unix"})
"""Words that say no more of a manual page than that it is one."""


class Excerpt(NamedTuple):
    """The part of a page that answers best: the heading it stands under, its text, and the terms that the page holds."""

    section: str
    text: str
    held: frozenset[str]


def content_terms(text: str) -> frozenset[str]:
    """The index terms of the words of ``text`` that carry meaning; of an identifier only the whole, no single letters."""
    words = [word for word in analyser.split(text) if len(word) > 1 and word.lower() not in STOP_WORDS | _SYSTEM]
    return frozenset(analyser.terms([word]).split()[0] for word in words)


def plain(text: str) -> str:
    """``text`` without overstrikes and escape sequences, its hyphenated words joined and its padding between words removed."""
    text = re.sub(r".\x08|\x1b\[[0-9;]*m", "", text[:MAX_TEXT])
    text = re.sub(r"(\w)\u2010\n[ \t]+(\w+)", r"\1\2", text)
    return re.sub(r"(?<=\S)  (?=\w+ )", " ", text)


def excerpt(text: str, terms: Collection[str]) -> Excerpt:
    """Name, synopsis and the paragraphs of the page that hold most of ``terms``, in the order of the page."""
    blocks = list(_paragraphs(text))
    opening = [body for section, body in blocks if section in ("NAME", "SYNOPSIS")]
    rest = [(section, body) for section, body in blocks if section not in ("NAME", "SYNOPSIS")]
    found = [(len(_held(body, terms)), number) for number, (_, body) in enumerate(rest)]
    chosen: list[int] = []
    size = 0
    for held, number in sorted(found, key=lambda pair: (-pair[0], pair[1])):
        if held and size < BEST:
            chosen.append(number)
            size += len(rest[number][1])
    best = [rest[number][1][:BEST] for number in sorted(chosen)]
    return Excerpt(
        section=rest[chosen[0]][0] if chosen else "NAME",
        text="\n\n".join([*_fitting(opening, OPENING), *best]),
        held=frozenset(term for _, body in blocks for term in _held(body, terms)),
    )


def _held(text: str, terms: Collection[str]) -> set[str]:
    return set(terms).intersection(analyser.terms(analyser.split(text)).split())


def _fitting(blocks: list[str], limit: int) -> Iterator[str]:
    for block in blocks:
        if limit <= 0:
            return
        yield block[:limit]
        limit -= len(block)


def _paragraphs(text: str) -> Iterator[tuple[str, str]]:
    """Heading and text of each paragraph; headings are the lines that are not indented, first and last line are the frame."""
    section = ""
    body: list[str] = []
    for line in [*text.split("\n")[1:], ""]:
        if line.strip() and not line.startswith((" ", "\t")):
            section = " ".join(line.split())
        elif line.strip():
            body.append(line)
        elif body:
            yield section, _undented(body)
            body = []


def _undented(lines: list[str]) -> str:
    margin = min(len(line) - len(line.lstrip()) for line in lines)
    return "\n".join(line[margin:].rstrip() for line in lines)
