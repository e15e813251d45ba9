"""A stored answer as one text: a checksum, a line of JSON about it, and the answer's own JSON."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING

from encyclopedia.model.query import QueryType

if TYPE_CHECKING:
    from encyclopedia.model.cached import CacheEntry


class CorruptRowError(ValueError):
    """The text is not what we wrote, or not of our making."""


def pack(entry: CacheEntry) -> str:
    """The text of an entry: eight hex digits of CRC-32 over the rest, a line of JSON, the body."""
    about = {"key": entry.key, "type": entry.type.value, "query": entry.query, "stored_at": entry.stored_at}
    about |= {"lifetime": entry.lifetime} if entry.lifetime else {}
    text = f"{json.dumps(about)}\n{entry.body}"
    return f"{_checksum(text)}{text}"


def unpack(text: object) -> CacheEntry:
    """The entry of a text; raises ``CorruptRowError`` for anything that ``pack`` did not make."""
    if not isinstance(text, str) or text[:8] != _checksum(text[8:]):
        raise CorruptRowError("not a stored answer")
    line, _, body = text[8:].partition("\n")
    try:
        about = json.loads(line)
        key, query, at, lifetime = about["key"], about["query"], about["stored_at"], about.get("lifetime", 0.0)
        type = QueryType(about["type"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise CorruptRowError("not a stored answer") from error
    if not (
        isinstance(key, str) and isinstance(query, str) and isinstance(at, float | int) and isinstance(lifetime, float | int)
    ):
        raise CorruptRowError("not a stored answer")
    from encyclopedia.model.cached import CacheEntry  # a miss has no use for it

    return CacheEntry(key, type, query, body, float(at), float(lifetime))


def _checksum(text: str) -> str:
    return f"{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}"
