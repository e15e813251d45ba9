"""A stored answer, and a stored question close to another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from encyclopedia.model.query import QueryType


class CacheEntry(NamedTuple):
    """A stored answer: JSON text, the query as it was typed, and wall-clock seconds of storing."""

    key: str
    type: QueryType
    query: str
    body: str
    stored_at: float


class Near(NamedTuple):
    """A stored answer to almost the same words; ``refused_by`` names the guard that forbids serving it."""

    key: str
    query: str
    similarity: float
    refused_by: str = ""
