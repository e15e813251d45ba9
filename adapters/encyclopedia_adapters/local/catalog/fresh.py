"""Whether a catalog still tells what its pages are."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.local.catalog.page import read_page
from encyclopedia_adapters.local.catalog.render import COMPACT, Caps, Graph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from encyclopedia_adapters.local.catalog.entry import Catalog, Entry
    from encyclopedia_adapters.local.catalog.page import Page
    from encyclopedia_adapters.local.catalog.place import Place
    from encyclopedia_adapters.local.walk import Listing

DAY = 86_400
_HOUR = 3_600
_SHOWN = 3
_LOOKED_AT = 200
"""Pages that are newer than the catalog, or not in it, and that are opened to see whether that makes a difference."""


class Standing(NamedTuple):
    """How catalog and pages differ; all are paths below the root, but ``doubled``, which tells slugs with their pages."""

    hours: int = 0
    missing: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    doubled: tuple[str, ...] = ()

    def sentences(self) -> list[str]:
        """What of it makes the catalog stale."""
        told = [f"the catalog is {self.hours} h old"] if self.hours * _HOUR >= DAY else []
        told += [f"{_pages(self.missing)} of the catalog {_are(self.missing)} missing"] if self.missing else []
        told += [f"{_pages(self.changed)} changed since the catalog was written"] if self.changed else []
        return told + ([f"{_pages(self.unknown)} {_are(self.unknown)} not in the catalog"] if self.unknown else [])


def standing(place: Place, listing: Listing, catalog: Catalog) -> Standing:
    """How the catalog at ``place`` stands to the pages that are listed."""
    stamp = place.stamp()
    written = stamp.changed if stamp else 0
    paths = {place.page(entry.path): entry for entry in catalog.entries if entry.path}
    slugs = {entry.slug: path for path, entry in paths.items()}
    caps = COMPACT if catalog.head.get("compact") == "true" else Caps()
    newer = [name for name in listing.files if name in paths and place.changed(name) > written]
    others = [name for name in listing.files if name not in paths]
    twins = {name: slugs[stem] for name in others if (stem := _stem(name)) in slugs}
    unknown = [name for name in others if name not in twins]
    return Standing(
        hours=int((time.time() - written / 1e9) // _HOUR) if stamp else 0,
        missing=tuple(path for path in paths if path not in listing.files),
        # A checkout gives all files the time at which it was made: what counts is whether a page says something else.
        changed=_left(newer, lambda name: _told(place, name, paths[name], caps)),
        unknown=_left(unknown, lambda name: _is_merged(place, name)),
        doubled=tuple(
            f"the slug {_stem(name)} has two pages, {name} and {twin}; the catalog holds the latter"
            for name, twin in twins.items()
            if twin in listing.files and not _is_merged(place, name)
        ),
    )


def _left(names: Sequence[str], harmless: Callable[[str], bool]) -> tuple[str, ...]:
    """The names without those that are harmless, as far as they are looked at."""
    return (*(name for name in names[:_LOOKED_AT] if not harmless(name)), *names[_LOOKED_AT:])


def _stem(name: str) -> str:
    return name.rpartition("/")[2].removesuffix(".md")


def _page(place: Place, name: str) -> Page | None:
    text = place.read_page(name)
    return read_page(place.entity(name), text) if text is not None else None


def _is_merged(place: Place, name: str) -> bool:
    page = _page(place, name)
    return page is not None and page.merged


def _told(place: Place, name: str, entry: Entry, caps: Caps) -> bool:
    """Whether the catalog says of a page what it would say now, as far as the page alone decides that."""
    page = _page(place, name)
    if page is None or page.merged:
        return False
    now = Graph([page]).entry(page.slug, caps)
    links = len(entry.out_links) == len(now.out_links) and page.links.issuperset(entry.out_links)
    return links and now._replace(out_links=entry.out_links, in_links=entry.in_links) == entry


def _pages(names: Sequence[str]) -> str:
    """``2 pages (a.md, b.md)``."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{len(names)} page{'s' if len(names) > 1 else ''} ({', '.join(names[:_SHOWN])}{more})"


def _are(names: Iterable[str]) -> str:
    return "is" if len(list(names)) == 1 else "are"
