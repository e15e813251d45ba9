"""From what converters give (pages, sections of HTML, a structure of headings) to notes like those in markdown."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.local.chunks import Block, Chunk, fill, paragraphs
from encyclopedia_adapters.local.markdown import Note
from encyclopedia_adapters.shared.sanitize import clean_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


def from_html(html: str) -> Note:
    """A page, cut at its headings; its lines are not those of the file, so there are none."""
    from encyclopedia_adapters.local import html_page

    page = html_page.parse(html, ())
    chunks = [chunk for section in page.sections for chunk in _whole(section.text, section.headings)]
    top = next((heading for section in page.sections for heading in section.headings[:1]), "")
    return Note(page.title or top, (), (), tuple(chunks))


def from_pages(found: dict[str, Any]) -> Note:
    """Pages of text, each under the headings of an outline: rows of page, level and title."""
    outline = [(int(page), int(level), clean_line(str(title))) for page, level, title in found["outline"]]
    starts, chunks = [page for page, _, _ in outline], list[Chunk]()
    for number, text in enumerate(found["pages"], 1):
        headings = _path(outline[: bisect_right(starts, number)])
        chunks += [chunk._replace(page=number) for chunk in _whole(text, headings)]
    dates = {"date": (found["date"],)} if found["date"] else {}
    return Note(clean_line(found["title"]), (), (), tuple(chunks), dates)


def _path(outline: Sequence[tuple[int, int, str]]) -> tuple[str, ...]:
    """The titles that lead to the last entry of an outline."""
    path: list[tuple[int, str]] = []
    for _, level, title in outline[-1000:]:
        path = [step for step in path if step[0] < level]
        path.append((level, title))
    return tuple(title for _, title in path if title)


def _whole(text: str, headings: tuple[str, ...]) -> Iterator[Chunk]:
    """Passages of a text that stands in no lines of its file."""
    lines = text.split("\n")
    for chunk in fill(lines, paragraphs(lines, 1, len(lines)), headings):
        yield chunk._replace(first=0, last=0)


def from_structure(text: str, found: dict[str, Any]) -> Note:
    """A text in reStructuredText by its headings: rows of level, title, first and last line of each; code is kept whole."""
    lines = text.split("\n")
    headings = [(int(level), clean_line(str(title)), int(first), int(last)) for level, title, first, last in found["headings"]]
    chunks, path, start = list[Chunk](), list[tuple[int, str]](), 1
    for level, title, first, last in [*headings, (0, "", len(lines) + 1, 0)]:
        names = tuple(name for _, name in path)
        chunks += fill(lines, _blocks(lines, start, first - 1), names)
        path = [step for step in path if step[0] < level]
        path.append((level, title))
        start = last + 1
    return Note(headings[0][1] if headings else "", (), (), tuple(chunks))


def _blocks(lines: list[str], first: int, last: int) -> Iterable[Block]:
    """Paragraphs, each block of code as one: what is indented below ``::`` or below a directive, empty lines included."""
    start = first
    while start <= last:
        line = lines[start - 1]
        if not line.rstrip().endswith("::") and not line.lstrip().startswith(".. "):
            start += 1
            continue
        end = _indented(lines, start, last)
        if end > start:
            yield from paragraphs(lines, first, start - 1)
            yield Block("code", start, end)
            first = end + 1
        start = max(end, start) + 1
    yield from paragraphs(lines, first, last)


def _indented(lines: list[str], start: int, last: int) -> int:
    """The last line of what is indented below line ``start``; that line itself if nothing is."""
    depth, end = len(lines[start - 1]) - len(lines[start - 1].lstrip()), start
    for number in range(start + 1, last + 1):
        line = lines[number - 1]
        if line.strip():
            if len(line) - len(line.lstrip()) <= depth:
                break
            end = number
    return end
