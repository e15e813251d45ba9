"""The fields of a row of foreign JSON, each checked; what does not fit is said in one sentence."""

from __future__ import annotations

import json
import math
from typing import Any

from encyclopedia_adapters.local.graph.values import TYPES, UNSTATED, Place

LONGEST_LINE = 4_000_000
_ID = 300
_NAME = 300
_MOST = 999_999_999


class Unfit(ValueError):
    """A row that cannot be taken; the message says why."""


def parsed(line: bytes) -> Any:
    """The JSON of a line; NaN and infinities come as NaN."""
    if len(line) >= LONGEST_LINE:
        raise Unfit(f"it is longer than {LONGEST_LINE // 1_000_000} MB")
    try:
        return json.loads(line.decode("utf-8-sig"), parse_constant=lambda _: math.nan)
    except RecursionError:
        raise Unfit("it is nested too deeply") from None
    except ValueError as error:
        raise Unfit(f"it is no JSON: {error}") from None


def an_object(row: Any) -> dict[str, Any]:
    """The row, which must be an object."""
    if not isinstance(row, dict):
        raise Unfit("it is no object")
    return row


def an_id(row: dict[str, Any], key: str) -> str:
    """A name by which others refer to it: text that can be printed."""
    value = row.get(key)
    if not isinstance(value, str) or not value.strip():
        raise Unfit(f"{key} is missing" if value in (None, "") else f"{key} is no text")
    if len(value) > _ID or not value.isprintable():
        raise Unfit(f"{key} is longer than {_ID} characters or cannot be printed")
    return value


def a_text(row: dict[str, Any], key: str) -> str:
    """The text as it stands, but for what cannot be stored."""
    value = row.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Unfit(f"{key} is no text")
    return value.encode("utf-8", "replace").decode().replace("\0", "\ufffd")


def a_line(row: dict[str, Any], key: str) -> str:
    """A text on one line, made harmless."""
    return clean(a_text(row, key))


def clean(text: str, limit: int = _NAME) -> str:
    """Text made harmless, on one line."""
    from encyclopedia_adapters.shared.sanitize import clean_line

    return clean_line(text, limit)


def texts(row: dict[str, Any], key: str) -> list[str]:
    """A list of texts, empty where there is none."""
    value = row.get(key)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise Unfit(f"{key} is no list of texts")
    return value


def a_number(row: dict[str, Any], *keys: str) -> int:
    """The whole number that stands under the first of the names, 0 where there is none."""
    value = next((row[key] for key in keys if row.get(key) is not None), 0)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST:
        raise Unfit(f"{keys[0]} is no whole number")
    return value


def pages(row: dict[str, Any]) -> str:
    """Pages as printed, empty where they are unknown."""
    value = row.get("pages")
    return clean(value, 40) if isinstance(value, str) else str(value) if isinstance(value, int) and value is not True else ""


def a_place(row: dict[str, Any], here: Place) -> Place:
    """The place that a row names, else where the row itself stands."""
    match row.get("path"), row.get("lines"):
        case str(path), [int(first), int(last)] if 0 < first <= last <= _MOST:
            return Place(clean(path, 1000), first, last)
    return here


def a_type(row: dict[str, Any]) -> str:
    """One of the kinds of relation; spelt with hyphens or spaces too."""
    value = row.get("type", "related")
    name = value.strip().lower().replace("-", "_").replace(" ", "_") if isinstance(value, str) else ""
    if name not in TYPES:
        raise Unfit(f"the type of relation {str(value)[:60]!r} is unknown")
    return name


def a_confidence(row: dict[str, Any]) -> float:
    """A number from 0 to 1, ``UNSTATED`` where there is none."""
    value = row.get("confidence")
    if value is None:
        return UNSTATED
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise Unfit("the confidence is no number from 0 to 1")
    return float(value)
