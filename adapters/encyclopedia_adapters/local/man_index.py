"""The names and summaries of all manual pages as an index, remade whenever the system's own database changes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.shared.text_index import IndexBusy, Passage, TextIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from encyclopedia_adapters.shared.text_index import Match

_DOCUMENT = "whatis"
_SECTIONS = "185762349"
"""Which section is meant by a bare name: commands first, then formats and overviews, then calls."""


class Page(NamedTuple):
    """A manual page; ``named`` tells at which word of the question its name stands, if it does."""

    name: str
    section: str
    summary: str
    score: float = 0.0
    named: int | None = None

    @property
    def label(self) -> str:
        """As people write it: ``tar(1)``."""
        return f"{self.name}({self.section})"


def parse(listing: str) -> Iterator[Page]:
    """The pages in what ``man -k`` prints, ``name (section) - summary`` a line; other lines are left out."""
    for line in listing.splitlines():
        head, dash, summary = line.partition(" - ")
        names, opened, section = head.rstrip().rpartition(" (")
        if dash and opened and section.endswith(")"):
            for name in names.split(","):
                if name.strip():
                    yield Page(name.strip(), section[:-1].split(",")[0].strip(), summary.strip())


class ManIndex:
    """The index under ``<home>/index/manpages``."""

    def __init__(self, home: str) -> None:
        self.text = TextIndex(os.path.join(home, "index", "manpages"))

    def is_current(self, stamp: str) -> bool:
        """Whether the index was made from the database that ``stamp`` stands for."""
        return self.text.documents().get(_DOCUMENT) == stamp

    def rebuild(self, pages: Iterable[Page], stamp: str, wait: float = 2.0) -> bool:
        """Replace everything; ``False`` if another process is just doing the same."""
        try:
            with self.text.update(wait) as writer:
                writer.put(_DOCUMENT, _passages(pages), stamp)
        except IndexBusy:
            return False
        return True

    def has(self, name: str) -> bool:
        """Whether there is a page of this name."""
        return bool(self.text.search(name, limit=1, tags=(name.lower(),)))

    def find(self, text: str, limit: int) -> list[Page]:
        """At most ``limit`` pages called by a word of ``text``, in its order, then as many whose summary holds its words."""
        words = [word.strip("?!,;:'\"`").lower() for word in text.split()]
        named = [_page(match, words) for match in self.text.search(text, limit=8 * limit, tags=tuple(filter(None, words)))]
        found = sorted(named, key=lambda page: (page.named or 0, _section_rank(page.section), page.name))[:limit]
        labels = {page.label for page in found}
        others = (_page(match, ()) for match in self.text.search(text, limit=2 * limit))
        return [*found, *[page for page in others if page.label not in labels][:limit]]


def _passages(pages: Iterable[Page]) -> Iterator[Passage]:
    for page in pages:
        tags = (page.name.lower(), page.label.lower())
        data = {"name": page.name, "section": page.section}
        yield Passage(page.label, _DOCUMENT, page.label, page.summary, tags, data)


def _page(match: Match, words: Iterable[str]) -> Page:
    name, section = str(match.data["name"]), str(match.data["section"])
    names = (name.lower(), f"{name}({section})".lower())
    named = next((number for number, word in enumerate(words) if word in names), None)
    return Page(name, section, match.body, match.score, named)


def _section_rank(section: str) -> tuple[int, str]:
    return (_SECTIONS.find(section[:1]) % (len(_SECTIONS) + 1), section)
