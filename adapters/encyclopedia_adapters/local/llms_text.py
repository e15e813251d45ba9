"""Reads ``llms.txt``: a project's name, what it says of itself, and its lists of links."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_LINKS = 20_000
_LINK = re.compile(r"\s{0,8}[-*+]\s+\[([^\]]{1,500})\]\(\s*<?([^)\s>]{1,2000})>?\s*\)\s*(?:[:–-]\s*(.*))?")  # noqa: RUF001 - a dash too
_HEADING = re.compile(r" {0,3}(#{1,2})\s+(.*?)\s*#*\s*")


class Link(NamedTuple):
    """One line of a list: the page's title and address as they are written, the note behind it, and the list's heading."""

    title: str
    target: str
    note: str
    section: str


class Overview(NamedTuple):
    """``title`` is the first heading, ``summary`` everything that is no list of links."""

    title: str
    summary: str
    links: list[Link]


def parse(text: str) -> Overview:
    """The overview; a text without any of it gives an empty one."""
    title, section, prose, links = "", "", list[str](), list[Link]()
    for line in text.split("\n"):
        heading, link = _HEADING.fullmatch(line), _LINK.fullmatch(line)
        if heading and len(heading[1]) == 1 and not title:
            title = heading[2]
        elif heading:
            section = heading[2]
        elif link and len(links) < MOST_LINKS:
            links.append(Link(link[1].strip(), link[2], (link[3] or "").strip(), section))
        else:
            prose.append(line.strip().removeprefix(">").strip() if line.lstrip().startswith(">") else line)
    return Overview(title, "\n".join(prose).strip(), links)


def beside(target: str) -> Iterator[str]:
    """Where the page of a link may lie beside the file: as it is, or as the markdown form of a page.

    Paths are relative and lead nowhere else; what is in the address before its path does not matter, for a copy of a site is
    kept without it.
    """
    try:
        path = unquote(urlsplit(target).path)
    except ValueError:
        return
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts or "\0" in path or "\\" in path:
        return
    plain = "/".join(parts)
    if plain.endswith((".md", ".markdown", ".txt")):
        yield plain
    else:
        yield from (f"{plain}.md", f"{plain}/index.md", f"{plain}/index.html.md") if plain else ("index.md", "index.html.md")
