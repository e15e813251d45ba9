"""Links between notes: what is written, the names by which an index knows where a link leads, and who is meant."""

from __future__ import annotations

import posixpath
import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from encyclopedia_adapters.local.documents.files import CONVERTERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_LONGEST = 300


class Link(NamedTuple):
    """``target`` as it is written, without the place within the page; ``path`` tells a path from a name."""

    target: str
    path: bool


@cache
def _wiki() -> re.Pattern[str]:
    return re.compile(r"\[\[([^\[\]|#^\n]{1,300}?)\\?(?:[#^][^\[\]|\n]{0,300})?(?:\|[^\[\]\n]{0,300})?\]\]")


@cache
def _inline() -> re.Pattern[str]:
    return re.compile(r"\]\(\s{0,9}<?([^)>\s]{1,300})>?(?:\s[^)\n]{0,300})?\)")


@cache
def _code() -> re.Pattern[str]:
    return re.compile(r"^[ \t]*(`{3,}|~{3,}).*?^[ \t]*\1|`[^`\n]+`", re.MULTILINE | re.DOTALL)


def links(text: str) -> list[Link]:
    """The links and embeds of a passage to other pages, each once; what stands in code is none."""
    if "[[" not in text and "](" not in text:
        return []
    prose = _code().sub(" ", text)
    found = [Link(target.strip(), path=False) for target in _wiki().findall(prose)]
    for written in _inline().findall(prose):
        target = unquote(written.partition("#")[0])
        if target and ":" not in target and not target.startswith("/"):
            found.append(Link(target, path=True))
    return list(dict.fromkeys(link for link in found if link.target))


def mark(link: Link, path: str) -> str:
    """The name by which the index knows what the page ``path`` links to; empty for what leads out of the collection.

    A path is known as ``[[/folder/page]]``, a name as ``[[page]]``.
    """
    target = link.target
    if link.path or target.startswith("."):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        if target.startswith(".."):
            return ""
        target = f"/{target}"
    return _marked(_bare(target))


def marks_of(path: str, aliases: Iterable[str]) -> Iterator[str]:
    """All names by which links may mean the document: its path, each end of it, its aliases."""
    bare = _bare(path)
    yield _marked("/" + bare)
    parts = bare.split("/")
    yield from (_marked("/".join(parts[at:])) for at in range(len(parts)))
    yield from map(_marked, aliases)


class Places:
    """All documents of a collection, to tell which one a link means."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths: dict[str, str] = {}
        self._ends: dict[str, list[str]] = {}
        for path in paths:
            bare = _bare(path).casefold()
            self._paths.setdefault(bare, path)
            self._ends.setdefault(bare.rpartition("/")[2], []).append(path)

    def meant(self, mark: str, start: str) -> str:
        """The document that a mark on the page ``start`` means, else nothing: the exact path, the nearest, the shortest."""
        name = mark[2:-2]
        if name.startswith("/"):
            return self._paths.get(name[1:], "") or self._paths.get(f"{name[1:]}/index", "") or self._file(name[1:])
        if name in self._paths:
            return self._paths[name]
        ends = [path for path in self._ends.get(name.rpartition("/")[2], ()) if _ends_with(path, name)]
        folder = start.rpartition("/")[0]
        return min(ends, key=lambda path: (path.rpartition("/")[0] != folder, path.count("/"), path), default="")

    def _file(self, name: str) -> str:
        return self._paths.get(_bare(name).casefold(), "")


def _ends_with(path: str, name: str) -> bool:
    return f"/{_bare(path).casefold()}".endswith(f"/{name}")


def _bare(path: str) -> str:
    """The path without the end that tells what kind of document it is."""
    end = next((end for end in CONVERTERS if path.lower().endswith(end)), "")
    return path[: -len(end)] if end and len(path) > len(end) else path


def _marked(name: str) -> str:
    import unicodedata

    return f"[[{unicodedata.normalize('NFC', name[:_LONGEST]).casefold()}]]"
