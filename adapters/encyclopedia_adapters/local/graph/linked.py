"""Where the links of a markdown book lead: to a heading, to a file, to a page by its name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from encyclopedia_adapters.local.graph.headings import bare

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from encyclopedia_adapters.local.graph.markdown_book import Page, Part

_LINK = re.compile(r"\[\[([^\[\]|#]*)(#[^\[\]|]*)?(?:\|[^\[\]]*)?\]\]|\]\(<?([^\s()<>#]*)(#[^\s()<>]*)?>?(?:\s[^()]*)?\)")


class Links:
    """The concept that each place of the book is about: by file, and by file and anchor."""

    def __init__(self, pages: Iterable[Page], owners: Mapping[str, str], parts: Iterable[Part]) -> None:
        self._files: dict[str, str] = {}
        self._anchors: dict[tuple[str, str], str] = {}
        self._names: dict[str, str] = {}
        for page in pages:
            self._names.setdefault(_stem(page.path), page.path)
        for part in parts:
            if part.id in owners:
                self._files.setdefault(part.page.path, owners[part.id])
                last = part.chunk.headings[-1] if part.chunk.headings else ""
                self._anchors.setdefault((part.page.path, _anchor(last)), owners[part.id])

    def targets(self, page: Page, raw: str) -> Iterator[str]:
        """The concepts to which a text of the page links; what leads out of the book is none."""
        for found in _LINK.finditer(raw):
            name, place, address, anchor = found.groups()
            path = page.path
            if name:
                path = self._names.get(name.strip().lower(), "")
            elif address:
                path = _resolved(page.path, unquote(address))
            mark = (place or anchor or "")[1:]
            concept = self._anchors.get((path, _anchor(unquote(mark)))) if mark else self._files.get(path)
            if concept:
                yield concept


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0].lower()


def _resolved(path: str, address: str) -> str:
    import posixpath

    return posixpath.normpath(posixpath.join(posixpath.dirname(path), address))


def _anchor(heading: str) -> str:
    """As the usual renderers make it, without the marks on which they differ."""
    return re.sub(r"[^\w]+", "-", bare(heading).lower()).strip("-")
