"""What somebody says of an answer: a vote for the sources behind it, or on the question whose stored answer was served."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import ConfigurationError, UsageError
from encyclopedia.model.label import Label
from encyclopedia.model.query import QueryType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from encyclopedia.wiring.build import Engine
    from encyclopedia.wiring.stores import Stores

VOTES = {"up": 1, "down": -1}
LAST = "last"
HINT = "`encyclopedia history` lists the IDs; ID:2 is the second result, `last` the newest search"


def feedback(engine: Engine, target: str, word: str) -> dict[str, Any]:
    """Remember a vote, ``up`` or ``down``, on a past search (``ID`` or ``last``), one result of it (``ID:2``) or an address.

    The body tells whom it counts for. A vote on an answer that was stored for another question is one on that pair: down, and
    the two never share an answer again. Raises ``ConfigurationError`` for what cannot be voted on.
    """
    if word not in VOTES:
        raise UsageError(f"a vote is up or down, not {word!r}")
    if engine.loaded.ceiling is not Label.SECRET:
        raise ConfigurationError("past searches, and votes on them, are their owner's", "vote on the machine itself")
    value, stores = VOTES[word], engine.stores
    if stores.history is None or stores.profiler is None:
        raise ConfigurationError("there is no record of searches to vote on", "set history.enabled = true")
    record, place = _target(stores.history.read(), target)
    matched = str(record.get("matched_query") or "")
    forbidden = bool(matched) and not place and _pair(stores, str(record["query"]), matched, value)
    sources = [] if forbidden and value < 0 else _sources(record, place)
    if sources:
        on = f"{record['id']}:{place}" if place else str(record["id"])
        try:
            stores.profiler.vote(str(record["query_type"]), sources, on, value)
        except OSError as error:
            raise ConfigurationError(f"the vote cannot be kept: {error.strerror or error}", "try again") from error
    told = {"id": record["id"], "query": record["query"], "result": place or None, "vote": value, "sources": sources}
    return {"schema_version": 1, "status": "success"} | told | {"matched_query": matched if forbidden else None}


def _pair(stores: Stores, query: str, matched: str, value: int) -> bool:
    """Vote on two questions; whether there is a near tier that remembers it."""
    if stores.near is None:
        return False
    try:
        stores.near.vote(query, matched, value)
    except Exception as error:
        raise ConfigurationError(
            f"the vote cannot be kept: {error}", "try again when no other process uses the cache"
        ) from error
    return True


def _target(records: Sequence[Mapping[str, Any]], target: str) -> tuple[Mapping[str, Any], int]:
    """The record of a search and the place of one of its results, 0 for all of them."""
    searches = [record for record in reversed(records) if record.get("query_type") in list(QueryType) and record.get("id")]
    id, colon, number = target.partition(":")
    for record in searches:
        rows = _rows(record)
        if target in (LAST, record["id"]):
            return record, 0
        if colon and id == (record["id"] if id != LAST else id) and number.isdecimal():
            if 1 <= int(number) <= len(rows):
                return record, int(number)
            raise ConfigurationError(f"search {record['id']} has {len(rows)} results, not {number}", HINT)
        place = next((place for place, row in enumerate(rows, 1) if row.get("url") == target), 0)
        if place:
            return record, place
    raise ConfigurationError(f"no past search has the ID or the result {target!r}", HINT)


def _sources(record: Mapping[str, Any], place: int) -> list[str]:
    """Who found the result at a place, or any of the results."""
    rows = _rows(record)[place - 1 : place] if place else _rows(record)
    found = [str(name) for row in rows for name in row.get("found_by") or [row.get("source")] if name]
    return list(dict.fromkeys(found))


def _rows(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    rows = record.get("results")
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
