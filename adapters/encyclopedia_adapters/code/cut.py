"""How a file of a repository becomes passages: code at its definitions, prose at its headings, whatever the language."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

PROSE = (".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".asciidoc", ".org")
LONG = 80
"""Lines from which a passage is cut again, at inner definitions or else at empty lines."""
WIDE = 6000
"""Characters from which it is."""
SHORT = 4
"""Lines below which a definition stands together with the next one."""
_MARKS = "=-~^\"'`*+#:."


class Piece(NamedTuple):
    """Lines ``first`` to ``last`` (1-based, inclusive) of a file; ``names`` are what is defined in them, or the headings."""

    first: int
    last: int
    section: str
    names: tuple[str, ...]


class _Start(NamedTuple):
    """Where a definition or a heading begins: its line, how deep it stands, what it is called."""

    line: int
    depth: int
    name: str


def cut(path: str, text: str) -> list[Piece]:
    """The passages of a file, which together hold each of its lines that says something."""
    lines = text.split("\n")
    name = path.rpartition("/")[2]
    prose = name.lower().endswith(PROSE) or (name.isupper() and "." not in name)  # README, LICENSE, CHANGES
    starts = list(_headings(lines)) if prose else _definitions(lines)
    pieces = _split(lines, (1, len(lines)), starts, (), whole=not prose)
    return [piece for piece in _joined(pieces) if any(line.strip() for line in lines[piece.first - 1 : piece.last])]


@cache
def _definition() -> re.Pattern[str]:
    """A line that defines something: a keyword and a name, a function that is assigned, or a name with its parameters."""
    before = (
        r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\([^)]*\))?|unsafe|extern"
        r"(?: \"C\")?|inline|virtual|override|sealed|partial|open|data|suspend|const|readonly|declare|implicit|lazy|case)\s+)*"
    )
    keyword = (
        r"(?:def|defp|class|function\*?|func|fun|fn|struct|enum|trait|impl(?:<[^>]*>)?|interface|type|module|mod|namespace|object"
        r"|record|protocol|extension|union|macro_rules!|macro|sub|procedure|contract|defmodule|defmacro|defn-?|theorem"
        r"|lemma|resource|message|service)"
    )
    return re.compile(
        rf"(?P<indent>[ \t]*)\(?{before}"
        rf"(?:{keyword}\s+(?:\([^)]*\)\s*)?(?P<name>[^\W\d][\w.:$]*[?!]?)"
        r"|(?:const|let|var)\s+(?P<bound>[\w$]+)[^=]{0,80}=\s*(?:async\s+)?(?:function\b|\([^)]*\)[^=]{0,80}=>|\w+\s*=>)"
        r"|(?P<plain>[A-Za-z_][\w:~]*)\s*\(\)\s*\{"
        r"|(?=[A-Za-z_])(?!return\b|else\b|throw\b|new\b|await\b|yield\b|goto\b|using\b|case\b)[\w:<>,*&\[\]~ \t]{1,120}?[\s*&]"
        r"(?P<typed>[A-Za-z_~][\w:~]*)\s*\([^;=]*$)"
    )


@cache
def _attached() -> re.Pattern[str]:
    """A line that belongs to the definition below it: a decorator, an attribute, a comment."""
    return re.compile(r"[ \t]*(?:@|#|//|/\*|\*|--|;;|\[\w|template\s*<|\"\"\")")


def _definitions(lines: list[str]) -> list[_Start]:
    found: list[_Start] = []
    for number, line in enumerate(lines, 1):
        if not (match := _definition().match(line[:400])):
            continue
        name = next(filter(None, (match["name"], match["bound"], match["plain"], match["typed"])), "")
        indent = len(match["indent"].expandtabs(4))
        if name in ("if", "for", "while", "switch", "catch", "elif", "with", "print"):
            continue
        above = number
        floor = found[-1].line if found else 0
        while above - 1 > floor and _attached().match(lines[above - 2]) and _indent(lines[above - 2]) >= indent:
            above -= 1
        found.append(_Start(above, indent, name.strip(".:")))
    return found


def _indent(line: str) -> int:
    return len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())


def _headings(lines: list[str]) -> Iterator[_Start]:
    """Headings marked with # or = before them, or underlined; the order in which marks appear says how deep they stand."""
    fence, marks = "", dict[str, int]()
    for number, line in enumerate(lines, 1):
        bare = line.strip()
        if bare.startswith(("```", "~~~")) and (not fence or bare.startswith(fence)):
            fence = "" if fence else bare[:3]
        elif not fence and (match := re.match(r"(#{1,6}|={1,6})\s+(\S.*?)[\s#=]*$", line[:300])):
            yield _Start(number, len(match[1]), match[2])
        elif not fence and number > 1 and (title := lines[number - 2].strip()) and _underlines(bare, title):
            yield _Start(number - 1, marks.setdefault(bare[0], len(marks) + 1), title)


def _underlines(bare: str, title: str) -> bool:
    if len(bare) < 3 or bare[0] not in _MARKS or bare.strip(bare[0]) or title[0] in _MARKS + "|>":  # noqa: PLR2004 - as in rst
        return False
    return len(bare) >= min(len(title), 6) - 1 and len(title) < 120  # noqa: PLR2004 - a heading, not a paragraph


def _split(
    lines: list[str], span: tuple[int, int], starts: list[_Start], above: tuple[str, ...], *, whole: bool
) -> Iterator[Piece]:
    """The span cut at its outermost starts, and inside of them again; with ``whole`` only if they are too long."""
    first, last = span
    outer = min((start.depth for start in starts), default=0)
    tops = [start for start in starts if start.depth == outer]
    ends = [*(start.line for start in tops[1:]), last + 1][: len(tops)]
    yield from _windows(lines, (first, (tops[0].line if tops else last + 1) - 1), above)
    for top, end in zip(tops, ends, strict=True):
        names = (*above, top.name)
        inner = [start for start in starts if top.line < start.line < end]
        if inner and not (whole and _is_short(lines, (top.line, end - 1))):
            yield from _split(lines, (top.line, end - 1), inner, names, whole=whole)
        else:
            within = tuple(start.name for start in inner)
            yield from (piece._replace(names=(*names, *within)) for piece in _windows(lines, (top.line, end - 1), names))


def _is_short(lines: list[str], span: tuple[int, int]) -> bool:
    first, last = span
    return last - first < LONG and sum(map(len, lines[first - 1 : last])) <= WIDE


def _windows(lines: list[str], span: tuple[int, int], names: tuple[str, ...]) -> Iterator[Piece]:
    """The span in parts that are short enough, cut at empty lines where there are some."""
    first, last = span
    while first <= last:
        end, size = first, len(lines[first - 1])
        while end < last and end - first < LONG - 1 and size + len(lines[end]) <= WIDE:
            size += len(lines[end])
            end += 1
        if end < last:
            empty = (at for at in range(end, first + (end - first) // 2, -1) if not lines[at - 1].strip())
            end = next(empty, end)
        yield Piece(first, end, " > ".join(dict.fromkeys(names)), names)
        first = end + 1


def _joined(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """Pieces that are too short to say something stand together with the next one."""
    held: Piece | None = None
    for piece in pieces:
        if held is None:
            held = piece
        elif held.last - held.first + 1 < SHORT and piece.last - held.first < LONG and held.last + 1 == piece.first:
            section = piece.section if held.section in piece.section else held.section
            held = Piece(held.first, piece.last, section, tuple(dict.fromkeys((*held.names, *piece.names))))
        else:
            yield held
            held = piece
    if held is not None:
        yield held
