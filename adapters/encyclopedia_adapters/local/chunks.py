"""How lines of a text become passages of a size that a reader takes in at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ENOUGH = 250
"""Words after which a passage ends at the next paragraph."""

MOST = 400
"""Words of a passage, unless a block of code is longer."""


class Block(NamedTuple):
    """Lines ``first`` to ``last`` (1-based, inclusive) that belong together; ``kind`` is text, code or heading."""

    kind: str
    first: int
    last: int
    level: int = 0
    heading: str = ""


class Chunk(NamedTuple):
    """A passage: its headings from the outermost, its lines (1-based, inclusive), and the text of these lines.

    Where the file has no lines that a reader could find, both are 0; ``page`` is 1-based.
    """

    headings: tuple[str, ...]
    first: int
    last: int
    text: str
    page: int | None = None


def paragraphs(lines: list[str], first: int, last: int) -> Iterator[Block]:
    """What stands between empty lines, of the lines ``first`` to ``last``."""
    start = 0
    for number in range(first, last + 1):
        if lines[number - 1].strip():
            start = start or number
        elif start:
            yield Block("text", start, number - 1)
            start = 0
    if start:
        yield Block("text", start, last)


def fill(lines: list[str], blocks: Iterable[Block], headings: tuple[str, ...]) -> Iterator[Chunk]:
    """Whole blocks up to ``ENOUGH`` words; a text block that is longer than ``MOST`` is cut between lines."""
    first, last, size = 0, 0, 0
    for piece in (piece for block in blocks for piece in _pieces(lines, block)):
        words = _size(lines, piece.first, piece.last)
        if first and (size >= ENOUGH or size + words > MOST):
            yield from _chunk(lines, first, last, headings)
            first, size = 0, 0
        first, last, size = first or piece.first, piece.last, size + words
    if first:
        yield from _chunk(lines, first, last, headings)


def _pieces(lines: list[str], block: Block) -> Iterator[Block]:
    if block.kind == "code" or _size(lines, block.first, block.last) <= MOST:
        yield block
        return
    first, size = block.first, 0
    for number in range(block.first, block.last + 1):
        words = _size(lines, number, number)
        if number > first and size + words > ENOUGH:
            yield Block("text", first, number - 1)
            first, size = number, 0
        size += words
    yield Block("text", first, block.last)


def _chunk(lines: list[str], first: int, last: int, headings: tuple[str, ...]) -> Iterator[Chunk]:
    """One passage; a single line of far too many words gives several that all name this line."""
    text = "\n".join(lines[first - 1 : last])
    if first < last or _size(lines, first, last) <= 2 * MOST:
        yield Chunk(headings, first, last, text)
        return
    start, width = 0, 8 * ENOUGH
    while start < len(text):
        end = start + width
        cut = text.rfind(" ", start + width // 2, end) if end < len(text) else -1
        end = cut if cut > 0 else end
        yield Chunk(headings, first, last, text[start:end])
        start = end


def _size(lines: list[str], first: int, last: int) -> int:
    """Words, or what would be words in a script without spaces or in a blob."""
    part = lines[first - 1 : last]
    return max(sum(len(line.split()) for line in part), sum(map(len, part)) // 8)
