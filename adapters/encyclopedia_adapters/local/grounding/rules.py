"""Which decision rule applies to a category, which of its conditions hold, and which row it prefers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia_adapters.local.grounding.table import cell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from encyclopedia_adapters.local.grounding.table import Row

ALWAYS = ("must_", "always")
"""How the name of a rule begins that is bound to no condition."""
NAMED, SEARCHED, ANYWHERE = 10, 3, 1
"""What a preferred word is worth in the name of a row, in a column that is searched, anywhere else (v1)."""


def evaluate_rules(rules: Mapping[str, Any], query: str, context: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Every rule as ``matched`` or ``unmatched``, so that none decides unseen.

    ``if_data_heavy`` holds when the context has a true ``data_heavy``, or when for each of its words a word of the query begins
    with it. Rules that begin with ``must_`` or ``always`` hold always.
    """
    context = context or {}
    spoken = re.findall(r"[^\W_]+", query.lower())
    matched: dict[str, Any] = {}
    unmatched: dict[str, Any] = {}
    for name, directive in rules.items():
        condition = name.removeprefix("if_")
        words = [word for word in condition.lower().split("_") if word]
        holds = name.startswith(ALWAYS) or bool(context.get(condition)) or _said(words, spoken)
        (matched if holds else unmatched)[name] = directive
    return {"matched": matched, "unmatched": unmatched}


def _said(words: Sequence[str], spoken: Sequence[str]) -> bool:
    return bool(words) and all(any(each.startswith(word) for each in spoken) for word in words)


class Found(NamedTuple):
    """The row of the rules for a category; ``loosely`` says that only a word of its name led to it."""

    row: Row
    loosely: bool = False


def rule_for(rows: Sequence[Row], column: str, category: str) -> Found:
    """The rule called as the category, else one whose name holds it or lies in it, else one that shares a word, else none."""
    wanted = category.lower()
    named = [(cell(row, column).lower(), row) for row in rows]
    for name, row in named:
        if name == wanted:
            return Found(row)
    for name, row in named:
        if name and (name in wanted or wanted in name):
            return Found(row)
    for name, row in named:
        words = (word for word in name.replace("/", " ").replace("-", " ").split() if any(map(str.isalnum, word)))
        if any(word in wanted for word in words):
            return Found(row, loosely=True)
    return Found({})


def preferred(rows: Sequence[Row], wishes: Sequence[str], name_column: str, searched: Sequence[str]) -> Row:
    """The row that the wishes of a rule name, in their order; else the one they fit best; else the first."""
    if not rows:
        return {}
    wanted = [wish.lower() for wish in wishes]
    names = [cell(row, name_column).lower() for row in rows]
    for wish in wanted:
        for name, row in zip(names, rows, strict=True):
            if name and (wish in name or name in wish):
                return row
    worth = [sum(_worth(wish, name, row, searched) for wish in wanted) for name, row in zip(names, rows, strict=True)]
    return rows[worth.index(max(worth))]


def _worth(wish: str, name: str, row: Row, searched: Sequence[str]) -> int:
    if wish in name:
        return NAMED
    if any(wish in cell(row, column).lower() for column in searched):
        return SEARCHED
    return ANYWHERE if any(wish in value.lower() for value in row.values()) else 0
