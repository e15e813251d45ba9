"""From the text of a note to passages that are whole lines of it, each with its headings."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from encyclopedia_adapters.local import front_matter
from encyclopedia_adapters.local.chunks import Block, Chunk, fill, paragraphs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@dataclass(frozen=True, slots=True)
class Note:
    """A parsed document; ``title`` may be empty. ``tags`` are in lower case; ``properties`` those of the front matter."""

    title: str
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    chunks: tuple[Chunk, ...]
    properties: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@cache
def _atx() -> re.Pattern[str]:
    return re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$")


@cache
def _underline() -> re.Pattern[str]:
    return re.compile(r" {0,3}(=+|-+)[ \t]*$")


@cache
def _fence() -> re.Pattern[str]:
    return re.compile(r"[ \t]*(`{3,}(?=[^`]*$)|~{3,})")


@cache
def _not_a_title() -> re.Pattern[str]:
    """A line that an underline does not make a heading: lists, quotations, tables, indented code."""
    return re.compile(r"    |\t|[ ]{0,3}(?:[-*+>|]|\d+[.)][ \t])")


@cache
def _tag() -> re.Pattern[str]:
    return re.compile(r"(?:^|(?<=\s))#([\w/-]*[^\W\d_][\w/-]*)")


def parse(text: str) -> Note:
    """A markdown note, cut at its headings; code between fences is never cut and never read for headings or tags."""
    lines = text.split("\n")
    head = front_matter.parse(lines)
    blocks = list(_blocks(lines, head.end))
    chunks = list(_sections(lines, blocks))
    if head.prose or not chunks:
        chunks[:0] = fill(lines, paragraphs(lines, 2, head.end - 1), ())
    top = next((block.heading for block in blocks if block.kind == "heading" and block.level == 1), "")
    tags = dict.fromkeys((*head.tags, *_inline_tags(lines, blocks)))
    return Note(head.title or top, tuple(tags), head.aliases, tuple(chunks), head.properties)


def parse_plain(text: str) -> Note:
    """Plain text, cut at its empty lines."""
    lines = text.split("\n")
    return Note("", (), (), tuple(fill(lines, paragraphs(lines, 1, len(lines)), ())))


def _blocks(lines: list[str], start: int) -> Iterator[Block]:
    first = 0
    number = start
    while number < len(lines):
        line = lines[number]
        number += 1
        block = _special(lines, number, first)
        if block or not line.strip():
            if first and first < (block.first if block else number):
                yield Block("text", first, (block.first if block else number) - 1)
            first = 0
            if block:
                yield block
                number = block.last
        else:
            first = first or number
    if first:
        yield Block("text", first, len(lines))


def _special(lines: list[str], number: int, first: int) -> Block | None:
    """The block of code or the heading that line ``number`` begins, or ends when it underlines the paragraph from ``first``."""
    line = lines[number - 1]
    if line.lstrip().startswith(("```", "~~~")) and (mark := _fence().match(line)):
        return Block("code", number, _fence_end(lines, number, mark[1]))
    if "#" in line[:4] and (match := _atx().match(line)):
        return Block("heading", number, number, len(match[1]), (match[2] or "").strip())
    if first and first == number - 1 and line.strip(" \t")[:1] in ("=", "-") and (match := _underline().match(line)):
        title = lines[first - 1]
        if not _not_a_title().match(title):
            return Block("heading", first, number, 1 if match[1][0] == "=" else 2, title.strip())
    return None


def _fence_end(lines: list[str], number: int, mark: str) -> int:
    for at in range(number, len(lines)):
        line = lines[at].strip()
        if line.startswith(mark) and not line.strip(mark[0]):
            return at + 1
    return len(lines)


def _sections(lines: list[str], blocks: list[Block]) -> Iterator[Chunk]:
    path: list[tuple[int, str]] = []
    body: list[Block] = []
    opened: Block | None = None
    for block in [*blocks, Block("heading", 0, 0)]:
        if block.kind != "heading":
            body.append(block)
            continue
        headings = tuple(name for _, name in path if name)
        if body:
            yield from fill(lines, body, headings)
        elif opened and opened.level >= (block.level or 1):
            # A heading with nothing under it is all that there is to find.
            yield Chunk(headings, opened.first, opened.last, "\n".join(lines[opened.first - 1 : opened.last]))
        path = [step for step in path if step[0] < block.level]
        path.append((block.level, block.heading))
        body, opened = [], block


def _inline_tags(lines: list[str], blocks: list[Block]) -> Iterator[str]:
    for block in blocks:
        for line in lines[block.first - 1 : block.last] if block.kind != "code" else ():
            if "#" in line:
                prose = "".join(line.split("`")[::2])
                for tag in _tag().findall(prose):
                    yield from front_matter.nested(tag)
