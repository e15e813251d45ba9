"""Which Python distributions are installed, told from the names of their metadata folders."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PYTHON = "python"
"""The name under which the standard library is listed."""
METADATA = (".dist-info", ".egg-info")
_COMPILED = (".so", ".pyd")
# Folders that careless wheels leave beside the packages; nobody means them by these words.
_GENERIC = frozenset({"bin", "benchmarks", "build", "docs", "doc", "examples", "scripts", "src", "test", "tests", "tools"})


class Installed(NamedTuple):
    """A distribution: its folded name, version, metadata folder (or file), and the folder that it is installed in."""

    name: str
    version: str
    metadata: str
    root: str


def fold(name: str) -> str:
    """The name as PEP 503 compares it: lower case, runs of ``-``, ``_`` and ``.`` as one ``-``."""
    parts = name.lower().replace("_", "-").replace(".", "-").split("-")
    return "-".join(part for part in parts if part)


def listing(folder: str) -> list[str]:
    """The sorted names in ``folder``; none if it cannot be read."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def installed(paths: Sequence[str] | None = None) -> dict[str, Installed]:
    """Every distribution of ``paths`` (default ``sys.path``) by folded name; the first folder that has it counts."""
    found: dict[str, Installed] = {}
    for root in roots(paths):
        for entry in listing(root):
            if entry.endswith(METADATA):
                item = _installed(root, entry)
                if item.name:
                    found.setdefault(item.name, item)
    return found


def library_names(paths: Sequence[str] | None = None) -> frozenset[str]:
    """The names of installed distributions and of what they let one import, lower case, as written and as PEP 503 folds them.

    The standard library is left out but for the word ``python``: half of its modules are called like English words (see
    ``standard_names``).
    """
    names = {PYTHON}
    for root in roots(paths):
        entries = listing(root)
        if any(entry.endswith(METADATA) for entry in entries):
            for entry in entries:
                names.update(_entry_names(root, entry))
    names.update(*({name, fold(name)} for name in tuple(names)))
    return frozenset(names)


def standard_names() -> frozenset[str]:
    """The public top-level modules of the standard library, lower case."""
    return frozenset(name.lower() for name in sys.stdlib_module_names if not name.startswith("_"))


def importable(name: str) -> bool:
    """Whether a file or folder called ``name`` (without its suffix) can be what people import and mean."""
    return name.isidentifier() and not name.startswith("_") and name.lower() not in _GENERIC


def module_name(entry: str) -> str:
    """The module that a directory entry holds, by its suffix; empty if it is none. Folders are taken at their word."""
    stem, dot, suffix = entry.partition(".")
    if dot and suffix != "py" and not entry.endswith(_COMPILED):
        return ""
    return stem if stem.isidentifier() else ""


def pth_folders(root: str, entry: str) -> list[str]:
    """The folders that the path file ``entry`` of ``root`` adds to ``sys.path``."""
    try:
        with open(os.path.join(root, entry), encoding="utf-8", errors="replace") as file:
            lines = [line.strip() for line in file.read(65536).splitlines()]
    except OSError:
        return []
    return [line for line in lines if line and not line.startswith(("#", "import ", "import\t")) and os.path.isabs(line)]


def packages_in(folder: str) -> list[str]:
    """The importable packages (folders with an ``__init__.py``) that stand in ``folder``."""
    inits = ((name, os.path.join(folder, name, "__init__.py")) for name in listing(folder) if importable(name))
    return [name for name, init in inits if os.path.exists(init)]


def marks(paths: Sequence[str] | None = None) -> tuple[list[tuple[str, int]], list[str]]:
    """Name and time of every metadata folder in ``paths``, and the path files there: one listing of each folder."""
    found: list[tuple[str, int]] = []
    links: list[str] = []
    for root in roots(paths):
        try:
            with os.scandir(root) as entries:
                for entry in entries:
                    if entry.name.endswith(METADATA):
                        found.append((entry.path, entry.stat().st_mtime_ns))
                    elif entry.name.endswith(".pth"):
                        links.append(entry.name)
        except OSError:
            continue
    return sorted(found), links


def roots(paths: Sequence[str] | None) -> Iterator[str]:
    """The folders to look in, each once."""
    seen = set()
    for root in sys.path if paths is None else paths:
        if root and root not in seen:
            seen.add(root)
            yield root


def _installed(root: str, entry: str) -> Installed:
    name, _, rest = entry.rpartition(".")[0].partition("-")
    if not name[:1].isalnum():  # what an installer could not finish removing is called ~ame
        name = ""
    # An egg's folder may carry the interpreter too: name-1.0-py3.11.egg-info.
    version = rest.partition("-")[0]
    return Installed(fold(name), version, os.path.join(root, entry), root)


def _entry_names(root: str, entry: str) -> Iterator[str]:
    if entry.endswith(METADATA):
        name = entry.rpartition(".")[0].partition("-")[0].lower()
        if name[:1].isalnum():
            yield name
    elif entry.endswith(".pth"):
        for folder in pth_folders(root, entry):
            yield from (name.lower() for name in packages_in(folder))
    else:
        name = module_name(entry)
        if name and importable(name):
            yield name.lower()
