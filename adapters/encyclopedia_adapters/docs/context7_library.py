"""Which of the libraries that Context7 offers is meant, and by which tag it has a version."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.shared.hits import as_text
from encyclopedia_adapters.shared.sanitize import clean_line

if TYPE_CHECKING:
    from collections.abc import Iterable

CALLED, NEAR, OTHER = range(3)
"""How a library's name stands to the one that is meant: the same, holding it, unlike."""
_ID = r"/[\w.@~+-]+/[\w.@~+-]+(/[\w.@~+-]+)?"
_WITHOUT_VERSION = r"/[^/]+/[^/@]+"


class Library(NamedTuple):
    """A library of Context7; ``versions`` are the tags that can be asked for, empty where they are not known."""

    id: str
    title: str = ""
    versions: tuple[str, ...] = ()
    nearness: int = CALLED

    @property
    def name(self) -> str:
        """What a sentence calls it."""
        return f"{self.title} ({self.id})" if self.title else self.id

    def has(self, version: str) -> bool:
        """Whether it can be asked for exactly this version; it can if its versions are not known."""
        return self.nearness == CALLED and (not self.versions or self._tag(version) is not None)

    def at(self, version: str) -> str:
        """The id by which a version is asked for, or the id alone."""
        return f"{self.id}/{self._tag(version) or version}" if version else self.id

    def _tag(self, version: str) -> str | None:
        """The tag of a version, which may have a ``v`` before it or not."""
        return next((tag for tag in self.versions if _bare(tag) == _bare(version)), None)

    def moved(self, id: object, version: str) -> Library | None:
        """The same library under another id, ``None`` if that is no id; a version in it gives way to the one asked for."""
        found = pinned(id)
        base = re.match(_WITHOUT_VERSION, found.id) if found and version else None
        return self._replace(id=base[0] if base else found.id) if found else None


def pinned(id: object) -> Library | None:
    """A library whose id was given, ``None`` if that is no id."""
    return Library(id) if isinstance(id, str) and re.fullmatch(_ID, id) else None


def choose(offered: Iterable[object], name: str, text: str) -> Library | None:
    """The best finished library for ``name``, or where that is empty for the question ``text``; ``None`` without any.

    One that is called so goes before one whose name holds it, then trust and benchmark decide. Of those with other names the
    first is taken, since the service has ranked them by meaning.
    """
    ranked = []
    for place, element in enumerate(offered):
        library = _library(element)
        if library is None or not isinstance(element, dict):
            continue
        nearness, length = _nearness(library, name, text)
        worth = (-_number(element.get("trustScore")), -_number(element.get("benchmarkScore")))
        key = (nearness, -length, *(worth if nearness < OTHER else (0.0, 0.0)), place)
        ranked.append((key, library._replace(nearness=nearness)))
    return min(ranked)[1] if ranked else None


def _library(element: object) -> Library | None:
    if not isinstance(element, dict) or element.get("state", "finalized") != "finalized":
        return None
    found = pinned(element.get("id"))
    versions = element.get("versions")
    tags = tuple(clean_line(tag, 60) for tag in versions if isinstance(tag, str)) if isinstance(versions, list) else ()
    return found._replace(title=clean_line(as_text(element.get("title")), 100), versions=tags) if found else None


def _nearness(library: Library, name: str, text: str) -> tuple[int, int]:
    """How near the library's names are, and where only a question is known, how long the one is that stands in it."""
    own = {_folded(library.title), _folded(library.id.rpartition("/")[2])} - {""}
    if not name:
        inside = [len(one) for one in own if _within(one, _folded(text))]
        return (CALLED, max(inside)) if inside else (OTHER, 0)
    wanted = _folded(name)
    if any(one.replace("-", "") == wanted.replace("-", "") for one in own):
        return CALLED, 0
    return (NEAR if any(_within(wanted, one) for one in own) else OTHER), 0


def _folded(text: str) -> str:
    """In lower case, words joined by hyphens; ``.js`` is no part of a name."""
    return re.sub(r"[^\w+#]+|_+", "-", text.lower()).strip("-").removesuffix("-js")


def _within(part: str, whole: str) -> bool:
    return bool(part) and f"-{part}-" in f"-{whole}-"


def _bare(version: str) -> str:
    return re.sub(r"^v(?=\d)", "", version.strip().lower())


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0
