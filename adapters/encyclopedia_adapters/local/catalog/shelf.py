"""A catalog that is open: its entries, the pages that there are, and what is to be said of how they fit."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from encyclopedia.model.errors import ConfigurationError
from encyclopedia_adapters.local.catalog import dense
from encyclopedia_adapters.local.catalog.fresh import standing
from encyclopedia_adapters.local.catalog.page import read_page
from encyclopedia_adapters.local.catalog.place import place_of
from encyclopedia_adapters.local.catalog.render import Caps, Graph

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from encyclopedia.model.corpus import Corpus
    from encyclopedia.ports import Progress
    from encyclopedia_adapters.local.catalog.entry import Catalog, Entry
    from encyclopedia_adapters.local.walk import Listing


class Shelf:
    """What a load reads. Raises ``ConfigurationError`` if there are no pages at ``corpus.path``."""

    def __init__(self, corpus: Corpus, progress: Progress) -> None:
        self.place = place_of(corpus)
        self.listing = self._listing()
        self.notes: list[str] = []
        self.catalog = self._catalog(progress)
        written = self.place.stamp()
        self.stale = standing(self.place, self.listing, self.catalog).sentences() if written else []

    def _listing(self) -> Listing:
        try:
            return self.place.listing()
        except FileNotFoundError:
            place = f"{self.place.root}/{self.place.entities}"
            hint = "name the folder that holds the catalog and its pages with --root or --corpus"
            raise ConfigurationError(f"there are no entities at {place}", hint) from None

    def _catalog(self, progress: Progress) -> Catalog:
        """The catalog as it was written; made of the pages for this time if that cannot be read."""
        try:
            found = dense.parse(self.place.read_catalog())
            reason = "" if found.entries else "it has no block that can be read"
        except FileNotFoundError:
            reason = "it is not there"
        except OSError as error:
            reason = str(error.strerror or error)
        if not reason:
            self._tell_broken(found)
            return found
        from encyclopedia_adapters.local.catalog.write import catalog_of

        self.notes.append(f"{self.place.catalog}: {reason}; read from {len(self.listing.files)} pages instead")
        return dense.parse(catalog_of(self.place, self.listing, progress))

    def _tell_broken(self, found: Catalog) -> None:
        if found.broken:
            self.notes.append(
                f"{self.place.catalog}: {len(found.broken)} blocks cannot be read, the first in line {found.broken[0]}"
            )
        strange = [entry.path for entry in found.entries if entry.path and self.place.leaves(entry.path)]
        if strange:
            self.notes.append(f"{self.place.catalog}: {len(strange)} paths lead out of {self.place.entities} and are not read")

    @cached_property
    def by_slug(self) -> Mapping[str, Entry]:
        """The entries by their slug; of several the last."""
        return {entry.slug: entry for entry in self.catalog.entries}

    @cached_property
    def by_page(self) -> Mapping[str, Entry]:
        """The entries by the path of their page below the root."""
        return {self.place.page(entry.path): entry for entry in self.catalog.entries if entry.path}

    @cached_property
    def _by_name(self) -> Mapping[str, str]:
        """Pages by their file name without its ending; of several the first."""
        return {name.rpartition("/")[2].removesuffix(".md"): name for name in sorted(self.listing.files, reverse=True)}

    def page_of(self, entry: Entry) -> str | None:
        """The page of an entry: at the path that it tells, else the one that is called like its slug."""
        page = self.place.page(entry.path)
        return page if entry.path and page in self.listing.files else self._by_name.get(entry.slug)

    def entry_of(self, page: str) -> Entry | None:
        """The entry of a page; one that the catalog does not hold speaks for itself, ``None`` if it cannot."""
        if page in self.by_page:
            return self.by_page[page]
        text = self.place.read_page(page)
        graph = Graph([read_page(self.place.entity(page), text)] if text is not None else [])
        return next((graph.entry(slug, Caps()) for slug in graph.pages), None)

    def of_type(self, type: str) -> Sequence[Entry]:
        """The entries of a type, all of them without one. Raises ``ConfigurationError`` if the catalog has no such type."""
        if not type:
            return self.catalog.entries
        found = [entry for entry in self.catalog.entries if entry.type == type]
        if not found:
            from encyclopedia.model.nearest import nearest

            raise ConfigurationError(
                f"no entity is of type {type!r}", nearest(type, {one.type for one in self.catalog.entries})
            )
        return found
