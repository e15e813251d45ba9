"""How words and vectors are written for PostgreSQL."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.engines.words import DIMENSIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia_adapters.engines.words import Terms

_POSITIONS, _LAST = 255, 16_383


def quoted(term: str) -> str:
    """The term as a word of a ``tsquery`` or ``tsvector``."""
    return "'" + term.replace("\\", "\\\\").replace("'", "''") + "'"


def tsvector(terms: Terms) -> str:
    """The places of each term, those in the title marked; the text begins with the title."""
    places: dict[str, list[str]] = {}
    title = len(terms.heading)
    for at, term in enumerate(terms.text):
        found = places.setdefault(term, [])
        if len(found) < _POSITIONS and at < _LAST:
            found.append(f"{at + 1}A" if at < title else str(at + 1))
    return " ".join(f"{quoted(term)}{':' if found else ''}{','.join(found)}" for term, found in places.items())


def sparse(values: Mapping[int, float]) -> str:
    """A ``sparsevec`` of the numbers of terms."""
    inside = ",".join(f"{number}:{value:.5g}" for number, value in sorted(values.items()))
    return f"{{{inside}}}/{DIMENSIONS}"


def vector(row: Any) -> str:
    """A ``vector``."""
    return "[" + ",".join(map(repr, map(float, row))) + "]"


def number(name: str) -> int:
    """32 bits of a name, as advisory locks take them."""
    return int.from_bytes(blake2b(name.encode(), digest_size=4).digest(), "big", signed=True)
