"""What is installed now, told by its stamps: one unit for each distribution and each module of the standard library."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.local import distributions
from encyclopedia_adapters.local.dist_sources import is_editable, newest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from encyclopedia_adapters.local.distributions import Installed

COMPILED = (
    "_collections",
    "_io",
    "_sqlite3",
    "array",
    "binascii",
    "builtins",
    "cmath",
    "fcntl",
    "gc",
    "itertools",
    "math",
    "mmap",
    "select",
    "sys",
    "time",
    "unicodedata",
    "zlib",
)
"""Modules of the interpreter itself whose import does nothing but define names."""
STANDARD_LEFT_OUT = frozenset({"antigravity", "idlelib", "lib2to3", "pydoc_data", "test", "this", "turtledemo"})


class Unit(NamedTuple):
    """One document of the index: a distribution, or a module of the standard library (``item`` is then ``None``).

    ``stamp`` changes whenever the unit must be read again.
    """

    document: str
    library: str
    version: str
    stamp: str
    item: Installed | None = None


def units(paths: Sequence[str] | None = None, *, standard: bool = True) -> dict[str, Unit]:
    """All units by document; one ``stat`` for each distribution, and one for each file of an editable one."""
    found = {item.name: _distribution_unit(item) for item in distributions.installed(paths).values()}
    if standard:
        version = sys.version.partition(" ")[0]
        for name in _standard_modules():
            document = f"{distributions.PYTHON}/{name}"
            found[document] = Unit(document, distributions.PYTHON, version, version)
    return found


def revision(paths: Sequence[str] | None = None) -> list[object]:
    """What changes with every installation and with every edit of an editable distribution; cheaper than ``units``."""
    folders, links = distributions.marks(paths)
    names = [distributions.fold(link.rpartition(".")[0]) for link in links]
    items = distributions.installed(paths).values() if names else ()
    linked = [item for item in items if any(item.name in name for name in names) and is_editable(item)]
    return [folders, [(item.name, newest(item)) for item in linked]]


def _distribution_unit(item: Installed) -> Unit:
    for path in (os.path.join(item.metadata, "METADATA"), os.path.join(item.metadata, "PKG-INFO"), item.metadata):
        try:
            changed = os.stat(path).st_mtime_ns
            break
        except OSError:
            changed = 0
    stamp = f"{item.version} {changed}"
    if is_editable(item):
        stamp += f" {newest(item)}"
    return Unit(item.name, item.name, item.version, stamp, item)


def standard_folder() -> str:
    """Where the modules of the standard library lie."""
    return os.path.dirname(os.path.abspath(os.__file__))


def _standard_modules() -> list[str]:
    names = (distributions.module_name(entry) for entry in distributions.listing(standard_folder()))
    written = [n for n in names if n in sys.stdlib_module_names and not n.startswith("_") and n not in STANDARD_LEFT_OUT]
    return [*written, *COMPILED]
