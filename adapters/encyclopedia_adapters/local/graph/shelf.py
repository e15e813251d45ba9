"""Which books lie under a path: bundles of JSON Lines, and books of markdown."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.local.walk import LARGEST, Wanted, joint, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from encyclopedia.model.corpus import Corpus
    from encyclopedia_adapters.local.walk import Bounds, Listing

BUNDLE = ("books.json", "concepts.jsonl", "sections.jsonl", "relationships.jsonl")
"""The files of a bundle; each of them may be missing."""

MARKDOWN = (".md", ".markdown")
IMPORTED = "imported"
"""The folder beside the index that holds the bundles which were imported."""

_WANTED = Wanted((*MARKDOWN, *BUNDLE), 500_000_000)
_TELLING = ("concepts.jsonl", "sections.jsonl", "relationships.jsonl")
_CONTENTS = ("SUMMARY.md", "summary.md")
_ABOUT = ("readme", "license", "licence", "changelog", "contributing", "code_of_conduct", "security")


@dataclass(slots=True)
class Unit:
    """What is read as a whole: one bundle, or one book of markdown. ``files`` maps paths below ``root`` to size and stamp.

    ``fresh`` tells that a file was written so shortly ago that another write would leave the same stamp.
    """

    name: str
    root: str
    bundle: bool
    files: dict[str, tuple[int, int]] = field(default_factory=dict)
    fresh: bool = False

    @property
    def signature(self) -> str:
        """Changes when a file is added, removed or touched."""
        return str(joint(*sorted(map(repr, self.files.items()))))

    def file(self, name: str) -> str:
        """The path of a bundle's file of that name, empty if there is none."""
        return next((path for path in self.files if path.rpartition("/")[2] == name), "")


class Shelf(NamedTuple):
    """All units by name, what is left out and why, and whether the walk saw everything."""

    units: Mapping[str, Unit]
    skipped: tuple[tuple[str, str], ...]
    complete: bool

    @property
    def paths(self) -> frozenset[str]:
        """The paths of all files."""
        return frozenset(path for unit in self.units.values() for path in unit.files)


def shelf(corpus: Corpus, bounds: Bounds | None = None) -> Shelf:
    """What lies under the path of the corpus, and what was imported into it. ``FileNotFoundError`` if the path is gone."""
    own = walk(corpus.path, bounds, _WANTED)
    skipped = [*own.skipped]
    units = {unit.name: unit for unit in _units(own, skipped)}
    imported = os.path.join(corpus.folder, IMPORTED)
    complete = own.complete
    if os.path.isdir(imported):
        more = walk(imported, bounds, _WANTED)
        complete = complete and more.complete
        for unit in _units(more, skipped):
            unit.name = f"{IMPORTED}:{unit.name}"
            units[unit.name] = unit
    return Shelf(units, tuple(skipped), complete)


def _units(listing: Listing, skipped: list[tuple[str, str]]) -> Iterator[Unit]:
    bundles = {path.rpartition("/")[0] for path in listing.files if path.rpartition("/")[2] in _TELLING}
    found: dict[str, Unit] = {}
    whole = os.path.basename(listing.root) if any(path in _CONTENTS for path in listing.files) else ""
    for path, stamp in listing.files.items():
        folder, _, name = path.rpartition("/")
        home = _bundle_of(folder, bundles)
        if home is not None:
            if folder == home and name in BUNDLE:
                key = home or os.path.basename(listing.root)
                found.setdefault(key, Unit(key, listing.root, bundle=True)).files[path] = stamp
        elif name in BUNDLE:
            continue
        elif stamp[0] > LARGEST:
            skipped.append((path, f"larger than {LARGEST // 1_000_000} MB"))
        else:
            key = whole or path.partition("/")[0]
            found.setdefault(key, Unit(key, listing.root, bundle=False)).files[path] = stamp
    for key, unit in found.items():
        unit.fresh = any(path in listing.fresh for path in unit.files)
        if len(found) == 1 or unit.bundle or not _about(key):
            yield unit


def _bundle_of(folder: str, bundles: set[str]) -> str | None:
    """The folder of the bundle that a folder lies in."""
    while folder and folder not in bundles:
        folder = folder.rpartition("/")[0]
    return folder if folder in bundles else None


def _about(name: str) -> bool:
    """Whether a file beside books speaks of the collection and is no book."""
    stem, dot, _ = name.rpartition(".")
    return bool(dot) and stem.lower().startswith(_ABOUT)
