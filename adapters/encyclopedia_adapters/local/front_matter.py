"""The block of properties at the head of a note: YAML, and where it is none, the small part of it that notes use."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LONGEST = 200
_MOST = 2000
_DEEPEST = 20
_PROSE = 8

Properties = dict[str, list[str]]


class FrontMatter(NamedTuple):
    """What a note says of itself. ``end`` is the number of lines that the block takes, its marks included.

    ``properties`` are all values by key in lower case, those of nested keys by ``outer.inner``. ``prose`` tells that there is
    more in it than properties: text that should be found.
    """

    title: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    end: int = 0
    prose: bool = False
    properties: Mapping[str, tuple[str, ...]] = MappingProxyType({})


def parse(lines: list[str]) -> FrontMatter:
    """Read the block; one without an end is no front matter. What is no YAML is read line by line."""
    end = _end(lines)
    if not end:
        return FrontMatter()
    values, odd = _yaml(lines[1 : end - 1]), False
    if values is None:
        values, odd = _by_line(lines[1 : end - 1])
    others = [word for name, found in values.items() if name not in _KNOWN for value in found for word in value.split()]
    return FrontMatter(
        title=" ".join(values.get("title", [])[:1]),
        tags=tuple(dict.fromkeys(tag for name in ("tags", "tag") for value in values.get(name, []) for tag in nested(value))),
        aliases=tuple(value for name in ("aliases", "alias") for value in values.get(name, []) if value),
        end=end,
        prose=odd or len(others) >= _PROSE,
        properties={name: tuple(found) for name, found in values.items()},
    )


_KNOWN = ("title", "tags", "tag", "aliases", "alias")


def _end(lines: list[str]) -> int:
    if not lines or lines[0].rstrip() != "---":
        return 0
    marks = (at for at, line in enumerate(lines[1:_LONGEST], 2) if line.rstrip() in ("---", "..."))
    return next(marks, 0)


def _yaml(lines: list[str]) -> Properties | None:
    """The values of a YAML mapping as text: dates and numbers as they are written; ``None`` for anything else."""
    import yaml

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        table = yaml.load("\n".join(lines), Loader=loader)  # noqa: S506 - the base loader makes nothing but text, lists, tables
    except (yaml.YAMLError, RecursionError, ValueError):
        return None
    if not isinstance(table, dict):
        return None
    values: Properties = {}
    for number, (name, value) in enumerate(_leaves("", table, 0)):
        if number >= _MOST:  # a few aliases of aliases name more values than there are atoms
            return None
        values.setdefault(name, []).extend([value] if value else [])
    return values


def _leaves(name: str, value: object, depth: int) -> Iterator[tuple[str, str]]:
    """Each text with the keys above it; a list within a list is a link that nobody quoted: ``[[Page]]``."""
    if isinstance(value, dict) and depth < _DEEPEST:
        for key, below in value.items():
            yield from _leaves(f"{name}.{key}".strip(".").lower(), below, depth + 1)
    elif isinstance(value, list) and depth < _DEEPEST:
        yield name, ""
        for each in value:
            link = isinstance(each, list) and all(isinstance(part, str) for part in each)
            yield from _leaves(name, f"[[{', '.join(each)}]]" if link else each, depth + 1)
    elif isinstance(value, str):
        yield name, value


def _by_line(lines: list[str]) -> tuple[Properties, bool]:
    """``key: value``, ``key: [a, b]`` and lists of ``- item`` lines; whether there is anything else."""
    values: Properties = {}
    key, odd = "", False
    for line in lines:
        name, colon, value = line.partition(":")
        item = line.strip()
        if item.startswith("- ") and key:
            values[key].append(_plain(item[2:]))
        elif colon and name.strip() and not line[0].isspace() and (not value or value[0].isspace()):
            key = name.strip().lower()
            values.setdefault(key, []).extend(_values(value.strip()))
        elif item and not item.startswith("#"):
            odd = True
    return values, odd


def _values(text: str) -> list[str]:
    if text.startswith("[[") and text.endswith("]]"):
        return [text]
    if text.startswith("[") and text.endswith("]"):
        return [_plain(item) for item in text[1:-1].split(",") if item.strip()]
    return [_plain(text)] if text else []


def _plain(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    return text.partition(" #")[0].rstrip()


def nested(value: str) -> list[str]:
    """Tags as they are looked up: in lower case, without their mark, each with those above it (``area`` of ``area/work``)."""
    found = []
    for tag in value.replace(",", " ").split():
        name = tag.lstrip("#").strip("/").lower()
        parts = name.split("/")
        found += ["/".join(parts[:size]) for size in range(len(parts), 0, -1) if name]
    return found
