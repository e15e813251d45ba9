"""What is kept of a search in the history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def session(body: Mapping[str, Any], seconds: float, *, id: str = "", matched: str = "") -> dict[str, object]:
    """The record of one search: what was asked, what became of each source, what was found; no text of results.

    ``matched`` is the question whose stored answer was served.
    """
    from datetime import UTC, datetime

    return {
        "id": id,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "query": body["query"],
        "query_type": body["query_type"],
        "code": body.get("code", 0),
        "degraded": body["degraded"],
        "cached": body["cached"],
        **({"matched_query": matched} if matched and matched != body["query"] else {}),
        "ms": round(seconds * 1000),
        "left_out": [row["source"] for row in body.get("degradation", {}).get("missing", ())],
        "outcomes": [{key: row[key] for key in ("source", "status", "results", "ms")} for row in body["outcomes"]],
        "results": [_kept(row) for row in body["results"]],
    }


def _kept(row: Mapping[str, Any]) -> dict[str, object]:
    """What is kept of a result; of a secret one neither title nor section, which may be part of the secret."""
    kept = {key: row[key] for key in ("title", "url", "source", "locator")}
    kept["found_by"] = [share["source"] for share in row.get("fused_from", ())]
    if row.get("label") == "secret":
        kept |= {"title": "(secret)", "locator": row["locator"] and {**row["locator"], "section": None}}
    return kept
