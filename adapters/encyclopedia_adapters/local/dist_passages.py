"""An installed distribution, or a module of the standard library, as passages for the index."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.local import dist_metadata, distributions
from encyclopedia_adapters.local.builtin_docs import COMPILED, describe
from encyclopedia_adapters.local.docstrings import is_private, public_path, public_paths, read_sources
from encyclopedia_adapters.local.readme import sections
from encyclopedia_adapters.shared.text_index import Passage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from encyclopedia_adapters.local.dist_metadata import Metadata, SourceFile
    from encyclopedia_adapters.local.distributions import Installed
    from encyclopedia_adapters.local.docstrings import Described

STANDARD_LEFT_OUT = frozenset({"antigravity", "idlelib", "lib2to3", "pydoc_data", "test", "this", "turtledemo"})
_PUBLISHED_AS = {"posixpath": "os.path", "_collections": "collections", "_io": "io"}


class Unit(NamedTuple):
    """One document of the index: a distribution, or a module of the standard library (``item`` is then ``None``).

    ``stamp`` changes whenever the unit must be read again.
    """

    document: str
    library: str
    version: str
    stamp: str
    item: Installed | None = None


class Reading(NamedTuple):
    """What reading a unit gave: passages, the names that it is imported by, and the files that could not be read and why."""

    passages: list[Passage]
    imports: tuple[str, ...]
    skipped: list[tuple[str, str]]


def units(paths: Sequence[str] | None = None, *, standard: bool = True) -> dict[str, Unit]:
    """All units by document; one ``stat`` for each distribution, and one for each file of an editable one."""
    found = {item.name: _distribution_unit(item) for item in distributions.installed(paths).values()}
    if standard:
        version = sys.version.partition(" ")[0]
        for name in _standard_modules():
            document = f"{distributions.PYTHON}/{name}"
            found[document] = Unit(document, distributions.PYTHON, version, version)
    return found


def read(unit: Unit, check: Callable[[], None], *, docstrings: bool = True) -> Reading:
    """Read ``unit``; ``check`` is called now and then and may raise to stop."""
    if unit.item is None:
        return _read_standard(unit, check) if docstrings else Reading([], (), [])
    metadata = dist_metadata.read_metadata(unit.item)
    files = dist_metadata.source_files(unit.item)
    # The folder of an egg in development says no version; its metadata does.
    known = unit._replace(version=unit.version or metadata.version)
    passages = list(_described_by_itself(known, metadata))
    skipped: list[tuple[str, str]] = []
    if docstrings and files:
        passages, skipped = _with_docstrings(known, files, passages, check)
    return Reading(passages, dist_metadata.import_names(files), skipped)


def _distribution_unit(item: Installed) -> Unit:
    for path in (os.path.join(item.metadata, "METADATA"), os.path.join(item.metadata, "PKG-INFO"), item.metadata):
        try:
            changed = os.stat(path).st_mtime_ns
            break
        except OSError:
            changed = 0
    stamp = f"{item.version} {changed}"
    if dist_metadata.is_editable(item):
        stamp += f" {_newest(dist_metadata.source_files(item))}"
    return Unit(item.name, item.name, item.version, stamp, item)


def _newest(files: list[SourceFile]) -> str:
    times = []
    for file in files:
        try:
            times.append(os.stat(file.path).st_mtime_ns)
        except OSError:
            times.append(0)
    return f"{len(times)} {max(times, default=0)}"


def _standard_folder() -> str:
    return os.path.dirname(os.path.abspath(os.__file__))


def _standard_modules() -> list[str]:
    names = (distributions.module_name(entry) for entry in distributions.listing(_standard_folder()))
    written = [n for n in names if n in sys.stdlib_module_names and not n.startswith("_") and n not in STANDARD_LEFT_OUT]
    return [*written, *COMPILED]


def _read_standard(unit: Unit, check: Callable[[], None]) -> Reading:
    name = unit.document.partition("/")[2]
    imports = tuple(dict.fromkeys((name, _published(name))))
    if name in COMPILED:
        return Reading(list(_of_objects(unit, describe(name), {})), imports, [])
    files = dist_metadata.files_in(_standard_folder(), name)
    passages, skipped = _with_docstrings(unit, files, [], check)
    return Reading(passages, imports, skipped)


def _described_by_itself(unit: Unit, metadata: Metadata) -> Iterator[Passage]:
    label = f"{metadata.name} {unit.version}".strip()
    folder = os.path.basename(unit.item.metadata) if unit.item else ""
    data = {"version": unit.version, "path": f"{folder}/METADATA"}
    if metadata.summary:
        summary = {**data, "kind": "metadata", "section": "summary", "url": metadata.url, "page": f"dist:{unit.document}"}
        yield Passage(f"{unit.document}:", unit.document, f"{label} — summary", metadata.summary, (unit.library,), summary)
    for number, section in enumerate(sections(metadata.description, metadata.markup)):
        heading = f"README > {section.heading}" if section.heading else "README"
        readme = {**data, "kind": "readme", "section": heading, "page": f"dist:{unit.document}#{section.heading}"}
        yield Passage(
            f"{unit.document}:readme:{number}", unit.document, f"{label} — {heading}", section.text, (unit.library,), readme
        )


def _with_docstrings(
    unit: Unit, files: list[SourceFile], passages: list[Passage], check: Callable[[], None]
) -> tuple[list[Passage], list[tuple[str, str]]]:
    sources = read_sources(files, check)
    return [*passages, *_of_objects(unit, sources.objects, public_paths(sources))], sources.skipped


def _of_objects(unit: Unit, objects: Iterable[Described], best: dict[str, str]) -> Iterator[Passage]:
    seen: set[str] = set()
    for item in objects:
        path = _published(public_path(item.path, best))
        if path not in seen and _worth_it(item, path):
            seen.add(path)
            data = {
                "kind": item.kind,
                "version": unit.version,
                "path": item.shown,
                "section": path,
                "lines": list(item.lines),
                "page": f"py:{path}",
            }
            yield Passage(f"{unit.document}:{path}", unit.document, path, _body(item), (unit.library,), data)


def _published(path: str) -> str:
    top, dot, rest = path.partition(".")
    return f"{_PUBLISHED_AS.get(top, top)}{dot}{rest}"


def _worth_it(item: Described, path: str) -> bool:
    if item.docstring:
        return True
    return not is_private(path) and (item.kind != "module" or bool(item.members))


def _body(item: Described) -> str:
    members = f"Contents: {item.members}" if item.kind == "module" and item.members else item.members
    return "\n\n".join(part for part in (item.signature, item.docstring, members) if part)
