"""Local collections of docsets, as Dash and Zeal keep them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia_adapters.local.corpus_kind import LocalKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from encyclopedia_adapters.local.corpus_format import Reading
    from encyclopedia_adapters.local.paged_manual import Table
    from encyclopedia_adapters.local.walk import Bounds, Listing

_TABLE = "Contents/Resources/docSet.dsidx"
_PAGES = "Contents/Resources/Documents/"
_FACTS = "Contents/Info.plist"
_LARGEST = 20_000_000


class DocsetFormat:
    """The corpus kind ``docset``: a folder ``X.docset``, or one with several of them."""

    noun = "docsets"
    reader = 1

    def listing(self, path: str, bounds: Bounds | None = None) -> Listing:
        """The table and the pages of each docset."""
        from encyclopedia_adapters.local.corpus_format import Misfit
        from encyclopedia_adapters.local.paged_manual import PAGES, pair
        from encyclopedia_adapters.local.walk import Wanted, walk

        listing = walk(path, bounds, Wanted((".dsidx", *PAGES), _LARGEST))
        pair(listing, _tables)
        for name in [name for name in listing.files if name.endswith(".dsidx") and not _is_table(name)]:
            del listing.files[name]
        if not any(_is_table(name) for name in listing.files):
            raise Misfit(f"there is no {_TABLE} in it")
        return listing

    def reading(self, listing: Listing) -> Callable[[str], Reading]:
        """Reads pages and tables."""
        from encyclopedia_adapters.local.paged_manual import PagedReader

        return PagedReader(listing, _tables, _table)


def _is_table(path: str) -> bool:
    return path == _TABLE or path.endswith(f"/{_TABLE}")


def _tables(path: str) -> tuple[str, ...]:
    """Where the table of a page is."""
    before, found, _ = path.partition(_PAGES)
    return (f"{before}{_TABLE}",) if found and before[-1:] in ("", "/") else ()


def _table(root: str, path: str) -> Table:
    import os

    from encyclopedia_adapters.local import docset_index
    from encyclopedia_adapters.local.paged_manual import Table, by_page
    from encyclopedia_adapters.local.reference_pages import Manual

    folder = path.removesuffix(_TABLE)
    facts = docset_index.facts(root, f"{folder}{_FACTS}")
    stem = os.path.basename(os.path.join(root, folder).rstrip("/")).removesuffix(".docset")
    version = facts.get("CFBundleShortVersionString") or facts.get("CFBundleVersion", "")
    pages = by_page(docset_index.names(os.path.join(root, path)))
    base = facts.get("DashDocSetFallbackURL", "")
    base = f"{base.rstrip('/')}/" if base.startswith(("https://", "http://")) else ""
    return Table(Manual(facts.get("CFBundleName") or stem, version), pages, f"{folder}{_PAGES}", base)


KIND = LocalKind(DocsetFormat())
