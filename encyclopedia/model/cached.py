"""A stored answer, and a stored question close to another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from encyclopedia.model.query import QueryType


class CacheEntry(NamedTuple):
    """A stored answer: JSON text, the query as it was typed, and wall-clock seconds of storing.

    ``lifetime`` in seconds is for one that is good for less than the others; 0 is the lifetime of all.
    """

    key: str
    type: QueryType
    query: str
    body: str
    stored_at: float
    lifetime: float = 0.0


class Near(NamedTuple):
    """A stored question in almost the same words; ``refused_by`` names the guard that forbids serving its answer."""

    key: str
    query: str
    similarity: float
    refused_by: str = ""
