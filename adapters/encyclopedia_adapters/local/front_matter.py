"""The block of properties at the head of a note: the small part of YAML that notes use."""

from __future__ import annotations

from dataclasses import dataclass

_LONGEST = 200
_PROSE = 8


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a note says of itself. ``end`` is the number of lines that the block takes, its marks included.

    ``prose`` tells that there is more in it than properties: text that should be found.
    """

    title: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    end: int = 0
    prose: bool = False


def parse(lines: list[str]) -> FrontMatter:
    """Read ``key: value``, ``key: [a, b]`` and lists of ``- item`` lines; a block without an end is no front matter."""
    end = _end(lines)
    if not end:
        return FrontMatter()
    values: dict[str, list[str]] = {}
    key, odd = "", []
    for line in lines[1 : end - 1]:
        name, colon, value = line.partition(":")
        item = line.strip()
        if item.startswith("- ") and key:
            values[key].append(_plain(item[2:]))
        elif colon and name.strip() and not line[0].isspace() and (not value or value[0].isspace()):
            key = name.strip().lower()
            values.setdefault(key, []).extend(_values(value.strip()))
        elif item and not item.startswith("#"):
            odd.append(item)
    others = [word for name, found in values.items() if name not in _KNOWN for value in found for word in value.split()]
    return FrontMatter(
        title=" ".join(values.get("title", [])[:1]),
        tags=tuple(dict.fromkeys(tag for name in ("tags", "tag") for value in values.get(name, []) for tag in _tags(value))),
        aliases=tuple(value for name in ("aliases", "alias") for value in values.get(name, []) if value),
        end=end,
        prose=bool(odd) or len(others) >= _PROSE,
    )


_KNOWN = ("title", "tags", "tag", "aliases", "alias")


def _end(lines: list[str]) -> int:
    if not lines or lines[0].rstrip() != "---":
        return 0
    marks = (at for at, line in enumerate(lines[1:_LONGEST], 2) if line.rstrip() in ("---", "..."))
    return next(marks, 0)


def _values(text: str) -> list[str]:
    if text.startswith("[") and text.endswith("]"):
        return [_plain(item) for item in text[1:-1].split(",") if item.strip()]
    return [_plain(text)] if text else []


def _plain(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    return text.partition(" #")[0].rstrip()


def _tags(value: str) -> list[str]:
    """A tag as it is looked up: in lower case, without its mark, with the tags that it lies under."""
    found = []
    for tag in value.replace(",", " ").split():
        name = tag.lstrip("#").strip("/").lower()
        parts = name.split("/")
        found += ["/".join(parts[:size]) for size in range(len(parts), 0, -1) if name]
    return found


def nested(tag: str) -> list[str]:
    """``area/work`` counts as ``area`` too."""
    return _tags(tag)
