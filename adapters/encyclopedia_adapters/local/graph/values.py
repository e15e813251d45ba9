"""What a graph of books is made of, and the kinds of relation that there are."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

TYPES = (
    "uses",
    "complements",
    "enables",
    "requires",
    "specializes",
    "component_of",
    "extends",
    "alternative_to",
    "precedes",
    "conflicts_with",
    "related",
)
"""The kinds of relation; ``related`` is what imported books say that say no more."""

MUTUAL = frozenset({"complements", "alternative_to", "conflicts_with", "related"})
"""Relations that mean the same in both directions."""

UNSTATED = 0.5
"""The confidence of an imported relation that states none."""


class Place(NamedTuple):
    """Where something stands: a file of the collection, and its lines (1-based, inclusive); zeros where there are none."""

    path: str = ""
    first: int = 0
    last: int = 0


NOWHERE = Place()


class Book(NamedTuple):
    """A book. ``is_oracle`` marks the one whose names go before those of others."""

    id: str
    title: str
    is_oracle: bool = False


class Section(NamedTuple):
    """A citable piece of a book, with the concepts that it is about; ``pages`` as printed, empty if unknown."""

    id: str
    book: str
    chapter: int
    title: str
    content: str
    concepts: tuple[str, ...] = ()
    pages: str = ""
    place: Place = NOWHERE


class Concept(NamedTuple):
    """An idea that a book names; ``definition`` may be empty."""

    id: str
    book: str
    name: str
    category: str = ""
    definition: str = ""
    aliases: tuple[str, ...] = ()
    chapter: int = 0


class Relation(NamedTuple):
    """What a book says of two concepts: ``confidence`` from 0 to 1, and the sentence with the section and place of it."""

    book: str
    start: str
    end: str
    type: str
    confidence: float = UNSTATED
    sentence: str = ""
    section: str = ""
    place: Place = NOWHERE


class Problem(NamedTuple):
    """What could not be taken, where and why; it costs only itself."""

    path: str
    line: int
    reason: str


Record = Book | Section | Concept | Relation | Problem


def slug(text: str) -> str:
    """A name as an id: words in lower case joined by underscores; letters of any script stay. Never empty."""
    return "_".join(_words().findall(text.casefold()))[:80].strip("_") or "_"


@cache
def _words() -> re.Pattern[str]:
    import re

    return re.compile(r"[^\W_]+")


def free(taken: set[str]) -> Callable[[str], str]:
    """Gives each name a form that was not given before: ``name``, ``name_2``, …; what is in ``taken`` counts as given."""

    def give(name: str) -> str:
        found, number = name, 1
        while found in taken:
            number += 1
            found = f"{name}_{number}"
        taken.add(found)
        return found

    return give
