"""An installed distribution, or a module of the standard library, as passages for the index."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.local.builtin_docs import describe
from encyclopedia_adapters.local.dist_metadata import read_metadata
from encyclopedia_adapters.local.dist_sources import files_in, import_names, source_files
from encyclopedia_adapters.local.dist_units import COMPILED, standard_folder
from encyclopedia_adapters.local.docstrings import is_private, public_path, public_paths, read_sources
from encyclopedia_adapters.local.readme import sections
from encyclopedia_adapters.shared.text_index import Passage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from encyclopedia_adapters.local.dist_metadata import Metadata
    from encyclopedia_adapters.local.dist_sources import SourceFile
    from encyclopedia_adapters.local.dist_units import Unit
    from encyclopedia_adapters.local.docstrings import Described

_PUBLISHED_AS = {"posixpath": "os.path", "_collections": "collections", "_io": "io", "_sqlite3": "sqlite3"}


class Reading(NamedTuple):
    """What reading a unit gave: passages, the names that it is imported by, and the files that could not be read and why."""

    passages: list[Passage]
    imports: tuple[str, ...]
    skipped: list[tuple[str, str]]


def read(unit: Unit, check: Callable[[], None], *, docstrings: bool = True) -> Reading:
    """Read ``unit``; ``check`` is called now and then and may raise to stop."""
    if unit.item is None:
        return _read_standard(unit, check) if docstrings else Reading([], (), [])
    metadata = read_metadata(unit.item)
    files = source_files(unit.item)
    # The folder of an egg in development says no version; its metadata does.
    known = unit._replace(version=unit.version or metadata.version)
    passages = list(_described_by_itself(known, metadata))
    skipped: list[tuple[str, str]] = []
    if docstrings and files:
        passages, skipped = _with_docstrings(known, files, passages, check)
    return Reading(passages, import_names(files), skipped)


def _read_standard(unit: Unit, check: Callable[[], None]) -> Reading:
    name = unit.document.partition("/")[2]
    imports = tuple(dict.fromkeys((name, _published(name))))
    if name in COMPILED:
        return Reading(list(_of_objects(unit, describe(name), {})), imports, [])
    files = files_in(standard_folder(), name)
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
