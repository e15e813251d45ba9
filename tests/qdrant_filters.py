"""Filters of Qdrant's HTTP form as its engine takes them; what is not used is refused."""

from __future__ import annotations

from typing import Any

import qdrant_edge as edge


class Problem(Exception):
    """What the server refuses."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


def only(told: Any, known: set[str], what: str) -> None:
    """Raise ``Problem`` for anything beside ``known``."""
    if not isinstance(told, dict):
        raise Problem(400, f"Format error in JSON body: expected {what}")
    if unknown := set(told) - known:
        raise Problem(400, f"Format error in JSON body: unknown field {sorted(unknown)} of {what}")


def condition(told: Any) -> edge.Filter:
    """A filter."""
    only(told, {"must", "should", "must_not"}, "Filter")
    return edge.Filter(**{clause: [_one(each) for each in conditions] for clause, conditions in told.items()})


def _one(told: Any) -> Any:
    if "has_id" in told:
        only(told, {"has_id"}, "HasIdCondition")
        return edge.HasIdCondition(set(told["has_id"]))
    if "is_empty" in told:
        only(told["is_empty"], {"key"}, "PayloadField")
        return edge.IsEmptyCondition(told["is_empty"]["key"])
    only(told, {"key", "match", "range"}, "FieldCondition")
    if "range" in told:
        return edge.FieldCondition(told["key"], range=edge.RangeFloat(**told["range"]))
    ((how, value),) = told["match"].items()
    known = {"value": edge.MatchValue, "any": edge.MatchAny, "text": edge.MatchText, "phrase": edge.MatchPhrase}
    if how not in known:
        raise Problem(400, f"Format error in JSON body: unknown match {how}")
    return edge.FieldCondition(told["key"], match=known[how](value))
