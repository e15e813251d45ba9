"""What a model wrote, read as data: JSON of the promised shape, or the fault in a few words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from encyclopedia.answering.words import fold
from encyclopedia.model.answer import Quote, Statement

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.model.answer import Passage

MOST = 24
"""Statements that are read."""
LONGEST = 600
"""Characters of a statement, a quotation or a search text."""


WHOLE = 100_000
"""Characters of an answer that are looked at."""
TRIES = 20
"""Opening braces that may begin the object."""


class Unreadable(ValueError):
    """The text is not what was asked for; the message says what is wrong, in words of ours."""


def statements(text: str, numbered: Mapping[int, Passage], facets: int) -> tuple[tuple[Statement, ...], ...]:
    """The statements for each facet. Those with the number of a passage or facet that is not there are left out.

    Raises ``Unreadable``.
    """
    rows = _object(text).get("statements")
    if not isinstance(rows, list):
        raise Unreadable("there is no list of statements")
    found: list[list[Statement]] = [[] for _ in range(facets)]
    for row in rows[:MOST]:
        match row:
            case {"text": str(said), "passage": int(number), "quote": str(quote)} if number in numbered and said.strip():
                facet = row.get("facet", 1)
                at = facet - 1 if isinstance(facet, int) and 1 <= facet <= facets else 0
                found[at].append(Statement(fold(said)[:LONGEST], (Quote(numbered[number].id, quote[:LONGEST]),)))
    if not any(found):
        raise Unreadable("no statement has a text, the number of a passage and a quote")
    return tuple(map(tuple, found))


def queries(text: str, count: int) -> tuple[str, ...]:
    """The ``count`` search texts. Raises ``Unreadable``."""
    rows = _object(text).get("queries")
    if not isinstance(rows, list) or len(rows) != count or not all(isinstance(row, str) and row.strip() for row in rows):
        raise Unreadable(f"there is no list of {count} queries")
    return tuple(fold(row)[:LONGEST] for row in rows)


def _object(text: str) -> dict[str, Any]:
    """The first JSON object in a text, whatever stands around it."""
    decoder, text = json.JSONDecoder(), text[:WHOLE]
    at = text.find("{")
    for _ in range(TRIES):
        if at < 0:
            break
        try:
            found, _ = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
            continue
        if isinstance(found, dict):
            return found
        break
    raise Unreadable("it holds no JSON object")
