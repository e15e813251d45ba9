"""What goes into a text index, and what comes out of it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Passage(NamedTuple):
    """A piece of a document as it is indexed.

    ``data`` is JSON that comes back with a match. ``also`` are words that find the passage as those of the title do, without
    being shown (aliases, a file name).
    """

    id: str
    document: str
    title: str
    body: str
    tags: tuple[str, ...] = ()
    data: Mapping[str, object] = MappingProxyType({})
    also: str = ""


class Match(NamedTuple):
    """A passage that was found.

    ``score`` is BM25, or from 0 to 1 where meaning counts too, comparable within one search only. ``near`` is the cosine of its
    vector to that of the question, where both were compared.
    """

    id: str
    document: str
    score: float
    title: str
    body: str
    data: Mapping[str, object]
    also: str = ""
    near: float | None = None


def match(entry: tuple[dict[str, Any], str], score: float, near: float | None = None) -> Match:
    """What was found, of what an index stores of it."""
    head, body = entry
    return Match(head["id"], head["document"], score, head["title"], body, head["data"], head.get("also", ""), near)


def best_first(matches: Iterable[Match]) -> tuple[Match, ...]:
    """The best first, equal scores in the order of their ids."""
    return tuple(sorted(matches, key=lambda found: (-found.score, found.id)))


class Filled(NamedTuple):
    """How many of the different texts of an index have a vector, and why those that are there are of no use."""

    done: int
    total: int
    problem: str = ""
