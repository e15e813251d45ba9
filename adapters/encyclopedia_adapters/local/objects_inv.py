"""Reads Sphinx inventories (``objects.inv``), versions 1 and 2, without trusting their size."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_BYTES = 64_000_000
MOST_NAMES = 300_000
_LONGEST_LINE = 4000
_TITLES = ("std:doc", "std:label")


class Name(NamedTuple):
    """An object: ``role`` is ``domain:type``, ``uri`` a path with or without an anchor, ``shown`` how it is written."""

    name: str
    role: str
    uri: str
    shown: str


class Inventory(NamedTuple):
    """A project with its version as it says itself, and its names."""

    project: str
    version: str
    names: list[Name]


def parse(raw: bytes) -> Inventory:
    """The inventory, without what it hides from search but for titles of pages and sections.

    Raises ``ValueError`` that says why it is none: another format, not zlib, or more than 64 MB or 300,000 names.
    """
    head, _, rest = raw.partition(b"\n")
    project, _, rest = rest.partition(b"\n")
    version, _, rest = rest.partition(b"\n")
    facts = _fact(project, b"# Project:"), _fact(version, b"# Version:")
    match head.strip():
        case b"# Sphinx inventory version 2":
            lines = _inflate(rest.partition(b"\n")[2])
            names = _second(lines)
        case b"# Sphinx inventory version 1":
            names = _first(rest)
        case _:
            raise ValueError("it is no Sphinx inventory of version 1 or 2")
    found = []
    for name in names:
        found.append(name)
        if len(found) > MOST_NAMES:
            raise ValueError(f"it has more than {MOST_NAMES} names")
    return Inventory(*facts, found)


def _fact(line: bytes, mark: bytes) -> str:
    text = line.strip().decode("utf-8", "replace")
    return text.removeprefix(mark.decode()).strip() if line.startswith(mark) else ""


def _inflate(packed: bytes) -> bytes:
    opened = zlib.decompressobj()
    try:
        text = opened.decompress(packed, MOST_BYTES)
    except zlib.error as error:
        raise ValueError(f"it is damaged: {error}") from error
    if opened.unconsumed_tail:
        raise ValueError(f"it is larger than {MOST_BYTES // 1_000_000} MB when it is unpacked")
    if not opened.eof:
        raise ValueError("it is damaged: it ends too early")
    return text


def _lines(text: bytes) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = text.find(b"\n", start)
        end = len(text) if end < 0 else end
        if end - start <= _LONGEST_LINE:
            yield text[start:end].decode("utf-8", "replace").rstrip("\r")
        start = end + 1


def _second(text: bytes) -> Iterator[Name]:
    """``name domain:role priority uri dispname``; the name may have spaces, ``$`` ends a uri in the name, ``-`` repeats it."""
    shape = re.compile(r"(\S.*?) ([^\s:]+:\S+) (-?\d+) (\S*)(?: (.*))?")
    for line in _lines(text):
        found = shape.fullmatch(line)
        if found and (found[3] != "-1" or found[2] in _TITLES):
            name, uri, shown = found[1], found[4], (found[5] or "-").strip()
            yield Name(name, found[2], uri[:-1] + name if uri.endswith("$") else uri, name if shown == "-" else shown)


def _first(text: bytes) -> Iterator[Name]:
    """``name type path``, of Python only."""
    for line in _lines(text):
        parts = line.split(" ")
        if len(parts) == 3:  # noqa: PLR2004 - the three columns
            name, role, uri = parts
            module = role == "mod"
            yield Name(name, "py:module" if module else f"py:{role}", f"{uri}#{'module-' if module else ''}{name}", name)
