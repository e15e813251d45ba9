"""Rows of any answer as lines that people and models read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LONG = 100
"""Characters from which on a text stands below its row instead of in a line of it."""


def outline(row: Mapping[str, Any]) -> str:
    """One row: its short fields in one line, each list and table below it, the long texts last; what is empty is left out."""
    short, below, long = [], list[str](), list[str]()
    for key, value in row.items():
        if value is None or value in ("", [], {}):
            continue
        if isinstance(value, str) and (len(value) > _LONG or "\n" in value):
            long.append(f"{key}:\n{value}")
        elif isinstance(value, dict | list):
            below += _nested(key, value)
        else:
            short.append(f"{key}: {value}")
    return "\n".join(("- " + " · ".join(short), *below, *long))


def result(row: Mapping[str, Any]) -> str:
    """One result of a search: rank, title and where it is from, then what to fetch it by, then its text."""
    label = f" · {row['label']}" if row.get("label") else ""
    lines = row.get("lines")
    where = f" · lines {lines[0]}-{lines[1]}" if lines else ""
    version = f" {row['version']}" if row.get("version") else ""
    head = f"{row['rank']}. {row['title']}{version} — {row['source']}{label}"
    url = [row["url"]] if row["url"] != row["id"] and not row["url"].startswith("encyclopedia:") else []
    return "\n".join((head, f"id: {row['id']}{where}", *url, *([row["text"]] if row["text"] else [])))


def _nested(key: str, value: Any) -> Iterator[str]:
    if isinstance(value, list):
        if all(isinstance(item, str | int | float) for item in value):
            yield f"  {key}: {', '.join(map(str, value))}"
            return
        for item in value:
            yield f"  {key}: {_line(item)}"
        return
    yield f"  {key}: {_line(value)}"


def _line(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_line(item)}" for key, item in value.items() if item not in (None, "", [], {}))
    return ", ".join(map(_line, value)) if isinstance(value, list) else str(value)
