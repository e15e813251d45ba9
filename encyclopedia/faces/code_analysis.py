"""What was found in a repository, in sentences that each say where it stands; nothing is said that was not found."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from encyclopedia.faces.code import CodeFile
    from encyclopedia.model.outcome import Relation

TOLD = 3
"""Files that are told of."""
NAMED = 5
"""Callers, callees and others of each that are named."""
_NEAR = 15
_WIDEST = 200
_LEADS = (
    ("caller", "It is called by"),
    ("callee", "It calls"),
    ("importer", "It is imported by"),
    ("subclass", "It is the base of"),
)


def analysis(files: Sequence[CodeFile]) -> str:
    """A paragraph for each of the best files."""
    return "\n\n".join(" ".join((_stands(file), *_related(file.relations))) for file in files[:TOLD])


def where(path: str, lines: tuple[int, int] | None) -> str:
    """``path:first-last``, as editors and people write it."""
    if lines is None:
        return path
    return f"{path}:{lines[0]}" if lines[0] == lines[1] else f"{path}:{lines[0]}-{lines[1]}"


def definition(content: str, section: str) -> tuple[str, str]:
    """The line that defines the last name of ``section`` in a passage, and the first sentence of what it says of itself."""
    lines = content.split("\n")
    name = re.split(r" > |\.", section)[-1]
    if not re.fullmatch(r"[^\W\d]\w*", name):
        return "", ""
    whole = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)")
    at = next((at for at, line in enumerate(lines) if whole.search(line) and not _is_said(line)), None)
    if at is None:
        return "", ""
    return _cut(" ".join(lines[at].split())), _cut(_doc(lines, at))


def _stands(file: CodeFile) -> str:
    place = where(file.path, file.lines)
    signature, doc = definition(file.content, file.section)
    if signature:
        return (
            f"{place} holds `{signature}`" + (f": {doc}" if doc else "") + ("" if doc.endswith((".", "!", "?", "…")) else ".")
        )
    if file.section:
        return f"{place} speaks of it under {_cut(file.section)}."
    return f"{place} speaks of it."


def _related(relations: Iterable[Relation]) -> Iterable[str]:
    listed = list(relations)
    for kind, lead in _LEADS:
        named = [relation for relation in listed if relation.kind == kind]
        if named:
            told = ", ".join(_told(relation) for relation in named[:NAMED])
            more = f" and {len(named) - NAMED} more" if len(named) > NAMED else ""
            yield f"{lead} {told}{more}."


def _told(relation: Relation) -> str:
    sure = f", {relation.how}" if relation.how else ""
    return f"{relation.name} ({where(relation.path, (relation.line, relation.line))}{sure})"


def _is_said(line: str) -> bool:
    """Whether a line is a comment, a decorator or text, and so defines nothing."""
    return line.strip().startswith(("#", "//", "/*", "*", "--", "@", '"""', "'''", ">>>"))


def _doc(lines: Sequence[str], at: int) -> str:
    """The first sentence of the docstring below a definition, else of the comment above it."""
    for below in range(at + 1, min(at + _NEAR, len(lines))):
        if found := re.match(r"\s*[rRuU]?(?:\"{3}|'{3})\s*(.*)", lines[below]):
            text = "\n".join((found[1], *lines[below + 1 : below + _NEAR])).lstrip()
            return _sentence(re.split(r"\"{3}|'{3}|\n\s*\n", text)[0])
        if lines[below - 1].rstrip().endswith((":", "{")) and lines[below].strip():
            break
    above = at
    while above and re.match(r"\s*(?:///?|#(?!\[|!)|/\*\*?|\*|--)", lines[above - 1]):
        above -= 1
    told = (re.sub(r"^\s*(?:///?!?|#+|/\*\*?|\*/?|--)\s?|\*/\s*$", "", line) for line in lines[above:at])
    return _sentence(" ".join(told))


def _sentence(text: str) -> str:
    return re.split(r"(?<=[.!?])\s", " ".join(text.split()), maxsplit=1)[0]


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1].rstrip() + "…"
