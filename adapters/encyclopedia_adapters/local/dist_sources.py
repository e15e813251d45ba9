"""The Python files that an installed distribution brought."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.local.distributions import importable, listing, module_name, packages_in, pth_folders

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from encyclopedia_adapters.local.distributions import Installed

MAX_FILES = 20_000
"""Files looked at in one distribution."""
_SUFFIXES = (".py", ".pyi")
_LEFT_OUT = frozenset(
    {"test", "tests", "_test", "_tests", "conftest", "_vendor", "_vendored", "vendor", "vendored", "site-packages"}
)


class SourceFile(NamedTuple):
    """A Python file: its dotted module, where it is, and how it is shown (relative, with ``/``)."""

    module: str
    path: str
    shown: str


def source_files(item: Installed) -> list[SourceFile]:
    """The Python files of ``item``, packages before what is in them, tests and vendored copies left out.

    They are told by RECORD; without one (eggs, editable installs) by the packages that the distribution names.
    """
    recorded = _from_record(item)
    return _ordered(recorded or _walked(item))


def files_in(root: str, name: str) -> list[SourceFile]:
    """The Python files of the module or package ``name`` that stands in ``root``."""
    return _ordered(_files_under(root, name))


def is_editable(item: Installed) -> bool:
    """Whether ``item`` is run from its checkout, where files change without a new version."""
    try:
        with open(os.path.join(item.metadata, "direct_url.json"), encoding="utf-8", errors="replace") as file:
            return '"editable": true' in file.read(65536)
    except OSError:
        return os.path.exists(os.path.join(item.metadata, "SOURCES.txt")) and not item.root.endswith("-packages")


def _from_record(item: Installed) -> list[SourceFile]:
    import csv  # not needed to know what is installed

    try:
        with open(os.path.join(item.metadata, "RECORD"), encoding="utf-8", errors="replace", newline="") as file:
            paths = [row[0] for row in csv.reader(file) if row]
    except (OSError, csv.Error):
        return []
    files = (_source(item.root, path.replace("\\", "/")) for path in paths[:MAX_FILES])
    return [file for file in files if file]


def _source(root: str, shown: str) -> SourceFile | None:
    stem, suffix = os.path.splitext(shown)
    parts = stem.split("/")
    if suffix not in _SUFFIXES or not all(part.isidentifier() for part in parts) or any(map(_left_out, parts)):
        return None
    dotted = parts[:-1] if parts[-1] == "__init__" else parts
    return SourceFile(".".join(dotted), os.path.join(root, *parts) + suffix, shown) if dotted else None


def _left_out(part: str) -> bool:
    return part in _LEFT_OUT or part.startswith("test_") or part.endswith(("_test", "_tests"))


def _walked(item: Installed) -> Iterator[SourceFile]:
    for root, name in _tops(item):
        yield from _files_under(root, name)


def _tops(item: Installed) -> list[tuple[str, str]]:
    """Folder and name of each top-level module of a distribution whose files are not listed."""
    found = [
        (folder, name)
        for entry in _path_files(item)
        for folder in pth_folders(item.root, entry)
        for name in packages_in(folder)
    ]
    return found or [place for name in _named(item) for place in _place(item.root, name)]


def _path_files(item: Installed) -> list[str]:
    wanted = item.name.replace("-", "_")
    return [entry for entry in listing(item.root) if entry.endswith(".pth") and wanted in entry.lower().replace("-", "_")]


def _named(item: Installed) -> list[str]:
    try:
        with open(os.path.join(item.metadata, "top_level.txt"), encoding="utf-8", errors="replace") as file:
            names = file.read(65536).split()
    except OSError:
        names = []
    return [name for name in names if name.isidentifier()] or [item.name.replace("-", "_")]


def _place(root: str, name: str) -> list[tuple[str, str]]:
    if any(module_name(entry) == name for entry in listing(root)):
        return [(root, name)]
    # A finder of the build tool may know where the checkout is; asking for a top-level name imports nothing.
    from importlib.util import find_spec

    try:
        spec = find_spec(name)
    except Exception:  # noqa: BLE001 - the finder is a stranger's, and may raise what it likes
        return []
    places = list(spec.submodule_search_locations or ()) if spec else []
    return [(os.path.dirname(place), name) for place in places if os.path.basename(place) == name]


def newest(item: Installed) -> str:
    """Number and latest time of the source files of an editable distribution: changes with every edit."""
    count = latest = 0
    pending = [os.path.join(root, name) for root, name in _tops(item)]
    while pending:
        try:
            entries = os.scandir(pending.pop())
        except OSError:
            continue
        with entries:
            for entry in entries:
                if entry.name.endswith(_SUFFIXES):
                    count += 1
                    latest = max(latest, entry.stat().st_mtime_ns)
                elif entry.name.isidentifier() and not _left_out(entry.name) and entry.is_dir():
                    pending.append(entry.path)
    return f"{count} {latest}"


def _files_under(root: str, name: str) -> Iterator[SourceFile]:
    single = _source(root, f"{name}.py")
    if single and os.path.isfile(single.path):
        yield single
    count = 0
    start = os.path.join(root, "")
    for folder, folders, names in os.walk(start + name):
        folders[:] = sorted(each for each in folders if each.isidentifier() and not _left_out(each))
        above = folder[len(start) :].replace(os.sep, "/")
        for entry in sorted(each for each in names if each.endswith(_SUFFIXES)):
            source = _source(root, f"{above}/{entry}")
            count += source is not None
            if source and count <= MAX_FILES:
                yield source


def _ordered(files: Iterable[SourceFile]) -> list[SourceFile]:
    """One file a module (``.py`` before its stub), packages before their contents, none in a folder that is not a package."""
    chosen: dict[str, SourceFile] = {}
    packages: set[str] = set()
    for file in sorted(files, key=lambda file: (file.module.count("."), not _is_package(file), file.shown)):
        if _reachable(file.module, packages):
            chosen.setdefault(file.module, file)
            if _is_package(file):
                packages.add(file.module)
    return list(chosen.values())


def _is_package(file: SourceFile) -> bool:
    return file.shown.endswith(("/__init__.py", "/__init__.pyi"))


def _reachable(module: str, packages: set[str]) -> bool:
    # Namespace folders stand above packages; a plain folder within a package holds data (templates, stubs for others).
    parents = [module[:end] for end, letter in enumerate(module) if letter == "."]
    inside = [parent in packages for parent in parents]
    return True not in inside or all(inside[inside.index(True) :])


def import_names(files: Iterable[SourceFile]) -> tuple[str, ...]:
    """The public top-level names among ``files``, in order."""
    return tuple(dict.fromkeys(top for top in (file.module.partition(".")[0] for file in files) if importable(top)))
