"""Local collections of documentation built by Sphinx: inventories, and the pages beside them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from encyclopedia_adapters.local.corpus_kind import LocalKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from encyclopedia_adapters.local.corpus_format import Reading
    from encyclopedia_adapters.local.paged_manual import Table
    from encyclopedia_adapters.local.walk import Bounds, Listing

TABLE = "objects.inv"
_LARGEST = 20_000_000
_MADE = ("_modules", "_sources", "_static", "_images", "_downloads")
"""Folders of a build that are no documentation: copies of sources, parts of the theme."""
_LISTS = ("genindex", "search.", "searchindex", "py-modindex", "modindex")


class InventoryFormat:
    """The corpus kind ``inventory``: an ``.inv`` file, or a folder of built HTML with ``objects.inv`` in it."""

    noun = "Sphinx documentation"
    reader = 1

    def listing(self, path: str, bounds: Bounds | None = None) -> Listing:
        """The inventories, and the pages below each ``objects.inv``; of a single file those beside it if it has any."""
        from encyclopedia_adapters.local.corpus_format import Misfit
        from encyclopedia_adapters.local.paged_manual import PAGES, pair
        from encyclopedia_adapters.local.walk import Wanted, walk

        if os.path.basename(path) == TABLE and os.path.isfile(os.path.join(os.path.dirname(path), "index.html")):
            path = os.path.dirname(path)
        listing = walk(path, bounds, Wanted((".inv", *PAGES), _LARGEST))
        for name in [name for name in listing.files if _is_made(name)]:
            del listing.files[name]
        pair(listing, _tables)
        if not any(name.endswith(".inv") for name in listing.files):
            raise Misfit(f"there is no {TABLE} in it")
        return listing

    def reading(self, listing: Listing) -> Callable[[str], Reading]:
        """Reads pages and inventories."""
        from encyclopedia_adapters.local.paged_manual import PagedReader

        return PagedReader(listing, _tables, _table)


def _is_made(path: str) -> bool:
    *folders, name = path.split("/")
    return not name.endswith(".inv") and (name.startswith(_LISTS) or not set(_MADE).isdisjoint(folders))


def _tables(path: str) -> Iterator[str]:
    """Where the inventory of a page may be: the nearest one above it."""
    folder = path
    while "/" in folder:
        folder = folder.rpartition("/")[0]
        yield f"{folder}/{TABLE}"
    yield TABLE


def _table(root: str, path: str) -> Table:
    from encyclopedia_adapters.local import objects_inv, walk
    from encyclopedia_adapters.local.paged_manual import Table, by_page
    from encyclopedia_adapters.local.reference_pages import Manual

    found = objects_inv.parse(walk.read(root, path, _LARGEST))
    pages = by_page((name.shown, name.role, name.uri) for name in found.names if not _is_made(name.uri.partition("#")[0]))
    return Table(Manual(found.project, found.version), pages, path[: -len(path.rpartition("/")[2])])


KIND = LocalKind(InventoryFormat())
