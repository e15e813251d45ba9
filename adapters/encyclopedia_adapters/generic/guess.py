"""Hits from an answer whose shape nobody has described: lists of objects, text with labels, or text as it is."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from encyclopedia_adapters.generic.paths import MAX_ELEMENTS
from encyclopedia_adapters.generic.rows import hit_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from encyclopedia.model.outcome import Hit

_KEYS = {
    "title": ("title", "name", "heading"),
    "url": ("url", "link", "href", "uri", "html_url"),
    "content": ("snippet", "content", "description", "text", "summary", "highlights", "body", "source"),
    "published": ("published", "date", "published_date", "publishedDate", "updated"),
    "version": ("version",),
    "id": ("id", "path"),
}
_LABELS = {
    "title": "title", "url": "url", "source": "url", "link": "url", "published": "published", "date": "published",
    "highlights": "content", "description": "content", "content": "content", "snippet": "content", "text": "content",
    "summary": "content",
}  # fmt: skip
_RULE = re.compile(r"^-{3,}[ \t]*$", re.MULTILINE)
_BLANK = re.compile(r"\n[ \t]*\n")
_DEPTH = 4
_SHORT = 300


def parsed(text: str) -> object | None:
    """The JSON value of a text, or the list of its lines if each is one; ``None`` for anything else."""
    text = text.strip()
    if not text.startswith(("{", "[", '"')):
        return None
    value = _json(text)
    if value is None and "\n" in text:
        lines = [_json(line) for line in text.splitlines() if line.strip()]
        value = lines if all(isinstance(line, dict) for line in lines) else None
    return value


def _json(text: str) -> object | None:
    from encyclopedia.model.errors import Garbled
    from encyclopedia_adapters.shared.body import parse_json

    try:
        return parse_json("", text)
    except Garbled:
        return None


def from_value(name: str, value: object, limit: int) -> tuple[Hit, ...] | None:
    """The hits of the first list of objects that can be hits, an empty one counts; ``None`` if there is none."""
    elements = _list(value)
    if elements is None:
        return None
    made = (hit_of(name, _fields(element), "", "guess") for element in elements[:MAX_ELEMENTS] if isinstance(element, dict))
    return _first(made, limit)


def from_text(name: str, text: str, limit: int) -> tuple[Hit, ...]:
    """The hits of a text: JSON, else blocks with labels, else one hit with all of it; none if it says that there are none."""
    from encyclopedia_adapters.shared.status import nothing_found

    value = parsed(text)
    if isinstance(value, str):
        text, value = value, None
    if value is not None:
        found = from_value(name, value, limit)
        if found is not None:
            return found
        text = json.dumps(value, ensure_ascii=False, indent=1)
    if not text.strip() or (len(text) < _SHORT and nothing_found(404, text)):
        return ()
    blocks = [_labelled(block) for block in _blocks(text)]
    if any("url" in block for block in blocks):
        return _first((hit_of(name, block, "", "guess") for block in blocks if set(block) - {"content"}), limit)
    return _first([hit_of(name, {"content": text}, "", "guess")], limit)


def _first(hits: Iterable[Hit | None], limit: int) -> tuple[Hit, ...]:
    found: list[Hit] = []
    for hit in hits:
        if len(found) >= limit:
            break
        if hit is not None:
            found.append(hit)
    return tuple(found)


def _list(value: object) -> list[object] | None:
    """The nearest list of objects with a title, an address or a content; else the nearest empty list."""
    level, empty = [value], None
    for _ in range(_DEPTH):
        for member in level:
            if isinstance(member, list):
                if any(isinstance(one, dict) and _can_be_hit(one) for one in member[:MAX_ELEMENTS]):
                    return member
                empty = member if not member and empty is None else empty
        level = [below for member in level if isinstance(member, dict) for below in member.values()][:MAX_ELEMENTS]
    return empty


def _can_be_hit(element: dict[str, object]) -> bool:
    fields = _fields(element)
    return bool("url" in fields or {"title", "content"} <= set(fields))


def _fields(element: dict[str, object]) -> dict[str, object]:
    """The values of an object by our names, the first key that holds something."""
    found = {}
    for field, keys in _KEYS.items():
        value = next((element[key] for key in keys if element.get(key) not in (None, "", [])), None)
        if value is not None:
            found[field] = value
    return found


def _blocks(text: str) -> Iterator[str]:
    """The parts between lines of dashes; without any, paragraphs, of which one without a title or address goes on the last."""
    if _RULE.search(text):
        yield from _RULE.split(text)
        return
    block = ""
    for paragraph in _BLANK.split(text):
        labels = _labelled(paragraph)
        if block and (("title" in labels and "title" in _labelled(block)) or ("url" in labels and "url" in _labelled(block))):
            yield block
            block = paragraph
        else:
            block = f"{block}\n\n{paragraph}" if block else paragraph
    yield block


def _labelled(block: str) -> dict[str, object]:
    """What the lines ``Title: …`` and their like say; the first of each counts, and everything else is content."""
    found: dict[str, object] = {}
    content: list[str] = []
    for line in block.strip().splitlines():
        label, colon, rest = line.strip().partition(":")
        field = _LABELS.get(label.lower().strip("*# ")) if colon else None
        if line.startswith("#") and "title" not in found:
            found["title"] = line.lstrip("# ")
        elif field == "content":
            content.append(rest.strip())
        elif field and field not in found and rest.strip() and (field != "url" or "://" in rest):
            found[field] = rest.strip(" *")
        else:
            content.append(line)
    return found | {"content": "\n".join(content).strip()}
