"""Folders of HTML pages with a table of the names in them: what is common to Sphinx builds and docsets."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple, Protocol

from encyclopedia_adapters.local import html_page, walk
from encyclopedia_adapters.local.corpus_format import Reading, digest
from encyclopedia_adapters.local.reference_pages import Entry, Manual, Place, name_passages, page_passages
from encyclopedia_adapters.shared.containment import within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from encyclopedia_adapters.local.walk import Listing
    from encyclopedia_adapters.shared.text_index import Passage

PAGES = (".html", ".htm", ".xhtml")


class Table(NamedTuple):
    """The names of one project by the path of their page, relative to ``folder`` (itself relative to the corpus).

    ``base`` is the address at which the pages are published, with a slash at its end, or nothing.
    """

    manual: Manual
    pages: Mapping[str, list[Entry]]
    folder: str = ""
    base: str = ""


class ReadTable(Protocol):
    """Reads the table at a path of the corpus. Raises ``OSError``, or ``ValueError`` that says what is wrong with it."""

    def __call__(self, root: str, path: str) -> Table:
        """The table."""
        ...


def pair(listing: Listing, tables: Callable[[str], Iterable[str]]) -> None:
    """Leave only pages that have a table, and let each change with its table; ``tables`` are the places where it may be.

    A table may be missing from a walk that met its bounds; it is looked for by itself.
    """
    found: dict[str, tuple[int, int] | None] = {}
    for path in [path for path in listing.files if path.lower().endswith(PAGES)]:
        table = next((table for table in tables(path) if _stamp(listing, table, found)), None)
        stamp = found[table] if table else None
        if stamp is None:
            del listing.files[path]
        else:
            size, changed = listing.files[path]
            listing.files[path] = (size, walk.joint(changed, *stamp))
    for table, stamp in found.items():
        if stamp:
            listing.files[table] = stamp


def _stamp(listing: Listing, table: str, found: dict[str, tuple[int, int] | None]) -> bool:
    import stat

    if table not in found:
        place = os.path.join(listing.root, table)
        try:
            status = os.lstat(place)
        except OSError:
            found[table] = None
        else:
            plain = stat.S_ISREG(status.st_mode) and within(listing.root, os.path.realpath(place))
            found[table] = (status.st_size, status.st_mtime_ns) if plain else None
    return found[table] is not None


class PagedReader:
    """Reads pages and tables of one listing; a table is read once."""

    def __init__(self, listing: Listing, tables: Callable[[str], Iterable[str]], read: ReadTable) -> None:
        self._listing = listing
        self._tables_of = tables
        self._read_table = read
        self._tables: dict[str, Table | OSError | ValueError] = {}

    def __call__(self, path: str) -> Reading:
        """The reading of a listed page or table."""
        return self._page(path) if path.lower().endswith(PAGES) else self._names(path)

    def _table(self, path: str) -> Table | OSError | ValueError:
        if path not in self._tables:
            try:
                self._tables[path] = self._read_table(self._listing.root, path)
            except (OSError, ValueError) as error:
                self._tables[path] = error
        return self._tables[path]

    def _names(self, path: str) -> Reading:
        """Of a table only the names whose pages are not there."""
        table = self._table(path)
        if isinstance(table, OSError):
            raise table
        if isinstance(table, ValueError):
            return Reading(digest(str(table)), problem=str(table))
        passages: list[Passage] = []
        files, number = self._listing.files, 0
        for page, entries in table.pages.items():
            if f"{table.folder}{page}" not in files:
                place = Place(path, f"{table.folder}{page}", f"{table.base}{page}" if table.base else "")
                passages += name_passages(entries, place, table.manual, number)
                number += len(entries)
        return Reading(digest(repr((table.manual, passages))), passages, table.manual.tags, table.manual.version)

    def _page(self, path: str) -> Reading:
        raw = walk.read(self._listing.root, path, self._listing.wanted.largest)
        known = next((table for table in self._tables_of(path) if table in self._listing.files), None)
        table = self._table(known) if known else None
        if not isinstance(table, Table):
            table = Table(Manual(), {})
        within = path.removeprefix(table.folder)
        entries = table.pages.get(within, [])
        page = html_page.parse(html_page.decode(raw), {entry.anchor for entry in entries})
        place = Place(path, path, page.url or (f"{table.base}{within}" if table.base else ""))
        same = digest(raw, repr((table.manual, table.base, entries)))
        return Reading(same, page_passages(page, entries, place, table.manual), table.manual.tags, table.manual.version)


def by_page(names: Iterable[tuple[str, str, str]]) -> dict[str, list[Entry]]:
    """Names with what they are and their links, by page; a link to a folder means its index.

    Names whose link is absolute or leads upward are left out: there is nothing in the documentation that they could mean.
    """
    pages: dict[str, list[Entry]] = {}
    for name, kind, link in names:
        page, _, anchor = link.partition("#")
        page = plain_path(f"{page}index.html" if page.endswith("/") or not page else page)
        if page:
            pages.setdefault(page, []).append(Entry(name, kind, html_page.plain_anchor(anchor)))
    return pages


def plain_path(path: str) -> str:
    """A relative path with slashes and without ``.``; empty for one that is absolute or leads upward."""
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
    bad = path.startswith(("/", "\\")) or ".." in parts or "\0" in path or ":" in (parts or [""])[0]
    return "" if bad else "/".join(parts)
