"""Where a catalog and its entities lie under the root of a corpus, and reading them without leaving it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.model.errors import ConfigurationError
from encyclopedia_adapters.local import walk
from encyclopedia_adapters.shared.containment import within

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.model.corpus import Corpus
    from encyclopedia_adapters.local.walk import Bounds, Listing

CATALOG = "docs/knowledge-index.md"
ENTITIES = "research/entities"
OPTIONS = ("catalog", "entities")
LARGEST = 200_000_000
"""Bytes of a catalog that is read: one of 100 000 entities has some 40 million."""

_PAGES = walk.Wanted((".md",))


class Stamp(NamedTuple):
    """Size of a file and its time of change in nanoseconds."""

    size: int
    changed: int


class Place(NamedTuple):
    """A root folder, and the paths of the catalog and of the folder of entities below it (with slashes)."""

    root: str
    catalog: str = CATALOG
    entities: str = ENTITIES

    def listing(self, bounds: Bounds | None = None) -> Listing:
        """The pages by their path below the root, without opening any. Raises ``FileNotFoundError`` if there is no folder."""
        root = os.path.realpath(self.root)
        folder = os.path.realpath(os.path.join(root, self.entities))
        if not os.path.isdir(folder) or not within(root, folder):
            raise FileNotFoundError(folder)
        found = walk.walk(folder, bounds, _PAGES)
        found.root = root
        found.files = {self.page(name): stamp for name, stamp in found.files.items() if self.page(name) != self.catalog}
        found.fresh = {self.page(name) for name in found.fresh}
        found.plain = True
        found.skipped = [(self.page(name), reason) for name, reason in found.skipped]
        return found

    def page(self, path: str) -> str:
        """The path below the root of a page, from that below the folder of entities."""
        return f"{self.entities}/{path}" if self.entities != "." else path

    def entity(self, page: str) -> str:
        """The other way round."""
        return page.removeprefix(f"{self.entities}/") if self.entities != "." else page

    def leaves(self, entity: str) -> bool:
        """Whether the path that a catalog gives for an entity may lead out of the folder of entities."""
        return not _is_plain(entity)

    def stamp(self) -> Stamp | None:
        """The stamp of the catalog, ``None`` if there is none."""
        try:
            found = os.stat(os.path.join(self.root, self.catalog), follow_symlinks=False)
        except OSError:
            return None
        return Stamp(found.st_size, found.st_mtime_ns)

    def changed(self, page: str) -> int:
        """When a page was changed last, in nanoseconds; 0 if it is gone."""
        try:
            return os.stat(os.path.join(self.root, page), follow_symlinks=False).st_mtime_ns
        except OSError:
            return 0

    def read_catalog(self) -> str:
        """The text of the catalog. ``OSError`` if it is not there, no plain text file in the root, or too large."""
        text = walk.decode(walk.read(os.path.realpath(self.root), self.catalog, LARGEST))
        if text is None:
            raise OSError("it is not text")
        return text

    def read_page(self, page: str) -> str | None:
        """The text of a page by its path below the root; ``None`` if that leads elsewhere, or there is no text.

        A catalog may name any path: what is not below the folder of entities is not read.
        """
        entity = self.entity(page)
        if page != self.page(entity) or self.leaves(entity):
            return None
        try:
            return walk.decode(walk.read(os.path.realpath(os.path.join(self.root, self.entities)), entity))
        except (OSError, ValueError):
            return None


def place_of(corpus: Corpus) -> Place:
    """Where the catalog and the entities of a corpus lie. Raises ``ConfigurationError`` for a setting that leads out of it."""
    options = corpus.options
    return Place(corpus.path, _below(options, "catalog", CATALOG), _below(options, "entities", ENTITIES))


def _below(options: Mapping[str, object], name: str, usual: str) -> str:
    given = options.get(name, usual)
    path = os.path.normpath(given) if isinstance(given, str) and given else ""
    if not (path == "." and name == "entities") and not _is_plain(path):
        hint = f"it is a path below the folder of the corpus, {usual} if not given"
        raise ConfigurationError(f"{name} cannot be {given!r}", hint)
    return path


def _is_plain(path: str) -> bool:
    """Whether a relative path stays where it begins, links aside."""
    return bool(path) and not os.path.isabs(path) and "\0" not in path and ".." not in path.split("/")
