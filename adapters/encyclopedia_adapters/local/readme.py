"""A package's description, in markdown or reStructuredText, cut into the sections that are worth finding."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.local import markdown

if TYPE_CHECKING:
    from collections.abc import Iterator

_RULES = frozenset("=-~^\"'*+#`:.")
_SHORTEST_RULE = 3
_DEEPEST = 6
_DECORATION = (
    "[![",
    "![",
    ".. image::",
    ".. |",
    ".. _",
    ":target:",
    ":alt:",
    ":height:",
    ":width:",
    "<img",
    "<p",
    "</p",
    "<a ",
    "</a",
    "<h",
    "<br",
)
_LEFT_OUT = ("changelog", "change log", "changes", "history", "release", "licen", "contribut", "sponsor", "credits", "authors")


class Section(NamedTuple):
    """The headings that lead to a text, joined by `` > `` (empty before the first), and the text."""

    heading: str
    text: str


def sections(text: str, markup: str) -> list[Section]:
    """The sections of ``text`` without release notes, licences, thanks and badges; long ones in several pieces.

    ``markup`` is a Description-Content-Type; empty means reStructuredText, as the packaging specification has it.
    """
    text = text.replace("\r\n", "\n")
    note = markdown.parse(text if "markdown" in markup else _with_hashes(text))
    found = []
    for chunk in note.chunks:
        body = "\n".join(line for line in chunk.text.split("\n") if not line.strip().startswith(_DECORATION)).strip()
        if body and not any(map(_is_left_out, chunk.headings)):
            found.append(Section(" > ".join(chunk.headings), body))
    return found


def _with_hashes(text: str) -> str:
    """The text with underlined headings of any style as markdown has them; levels by first appearance, as docutils does."""
    return "\n".join(_lines(text.split("\n")))


def _lines(lines: list[str]) -> Iterator[str]:
    styles: list[str] = []
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if _is_rule(line):
            continue
        if _is_rule(below) and line[:1].strip() and len(below.rstrip()) * 2 >= len(line.rstrip()):
            if below[0] not in styles:
                styles.append(below[0])
            yield f"{'#' * min(1 + styles.index(below[0]), _DEEPEST)} {line.strip()}"
        else:
            yield line


def _is_rule(line: str) -> bool:
    text = line.rstrip()
    return len(text) >= _SHORTEST_RULE and text[0] in _RULES and text == text[0] * len(text)


def _is_left_out(heading: str) -> bool:
    word = heading.lower().lstrip("v")
    return (word[:1].isdigit() and "." in word[:5]) or any(each in word for each in _LEFT_OUT)
