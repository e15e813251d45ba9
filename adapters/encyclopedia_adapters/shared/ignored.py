"""Which paths of a working tree its `.gitignore` files leave out."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import NamedTuple

LONGEST = 100_000
"""Characters of a `.gitignore` that are read."""
_MOST, _WIDEST = 1000, 300
_ANY = "**"


class Rule(NamedTuple):
    """One line: ``base`` is the folder of its file, ``names`` the pattern in parts, ``keeps`` marks what is taken back in."""

    base: tuple[str, ...]
    names: tuple[str, ...]
    keeps: bool
    folders: bool


def rules(base: str, text: str) -> list[Rule]:
    """The rules of the `.gitignore` in the folder ``base`` (empty for the root)."""
    above = tuple(base.split("/")) if base else ()
    found: list[Rule] = []
    for line in text[:LONGEST].splitlines()[:_MOST]:
        bare = line.rstrip()
        if not bare or bare.startswith("#") or len(bare) > _WIDEST:
            continue
        keeps, bare = bare.startswith("!"), bare.removeprefix("!").removeprefix("\\")
        names = tuple(part for part in bare.split("/") if part)
        if names:
            anywhere = "/" not in bare.rstrip("/")
            found.append(Rule(above, (_ANY, *names) if anywhere else names, keeps, bare.endswith("/")))
    return found


def ignored(path: str, found: list[Rule], *, folder: bool) -> bool:
    """Whether the last rule that fits the path leaves it out."""
    parts = tuple(path.split("/"))
    for rule in reversed(found):
        depth = len(rule.base)
        if (folder or not rule.folders) and parts[:depth] == rule.base and _fits(rule.names, parts[depth:]):
            return not rule.keeps
    return False


def _fits(names: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """Whether the pattern fits the whole path; the time is bounded by the product of their lengths."""
    if names[0] == _ANY and len(names) == 2:  # noqa: PLR2004 - a name anywhere, which most rules are
        return fnmatchcase(parts[-1], names[1]) if parts else False
    reached = {0}
    for name in names:
        if name == _ANY and reached:
            reached = set(range(min(reached), len(parts) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(parts) and fnmatchcase(parts[at], name)}
    return len(parts) in reached
