"""The rows of curated tables as passages of an index, so that a search finds them among everything else."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia_adapters.local.grounding.bm25_search import apply_filters
from encyclopedia_adapters.local.grounding.table import cell
from encyclopedia_adapters.local.walk import Listing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from encyclopedia_adapters.local.corpus_format import Reading
    from encyclopedia_adapters.local.grounding.table import Row, Table
    from encyclopedia_adapters.local.walk import Bounds, Wanted
    from encyclopedia_adapters.shared.text_index import Passage

TITLE_COLUMNS = 3
STACK = "stack"


class GroundingListing(Listing):
    """The tables that a manifest names, with the manifest."""

    __slots__ = ("manifest",)

    def __init__(self, root: str, wanted: Wanted, manifest: dict[str, Any]) -> None:
        super().__init__(root, wanted)
        self.manifest = manifest


class GroundingFormat:
    """The corpus kind ``grounding``: a manifest, or a folder with ``manifest.json``, and the tables it names."""

    noun = "curated tables"
    reader = 1

    def listing(self, path: str, bounds: Bounds | None = None) -> Listing:  # noqa: ARG002 - a few stats are always done
        """The tables of all domains and stacks; each changes with its file and with the manifest."""
        import time

        from encyclopedia_adapters.local.corpus_format import Misfit
        from encyclopedia_adapters.local.grounding.schema_validator import (
            FOLDER,
            ManifestError,
            load_manifest,
            resolve_data_path,
        )
        from encyclopedia_adapters.local.walk import Wanted, joint

        if not os.path.exists(path):
            raise FileNotFoundError(path)
        try:
            manifest = load_manifest(path)
        except ManifestError as error:
            raise Misfit(str(error)) from None
        listing = GroundingListing(manifest[FOLDER], Wanted((".csv",)), manifest)
        now, said = time.time_ns(), repr({key: value for key, value in manifest.items() if key != FOLDER})
        for file in places(manifest):
            try:
                listing.take(file, os.stat(resolve_data_path(manifest, file)), now)
            except (OSError, ManifestError) as error:
                listing.skipped.append((file, getattr(error, "strerror", None) or str(error)))
            else:
                size, mark = listing.files[file]
                listing.files[file] = (size, joint(mark, said))
        return listing

    def reading(self, listing: Listing) -> Callable[[str], Reading]:
        """Reads one table after the other."""
        manifest = listing.manifest if isinstance(listing, GroundingListing) else {}
        return lambda file: _read(manifest, file)


class Place(NamedTuple):
    """A table as the manifest calls it, and where that is from the manifest."""

    file: str
    path: str


def places(manifest: Mapping[str, Any]) -> dict[str, list[tuple[str, Mapping[str, Any]]]]:
    """For each file the scopes that it serves, each with its columns and filters: a domain, or ``stack/NAME``."""
    found: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    for name, config in manifest["domains"].items():
        found.setdefault(config["file"], []).append((name, config))
    for name, file in (manifest.get("stacks") or {}).items():
        found.setdefault(file, []).append((f"{STACK}/{name}", manifest["stack_cols"]))
    return found


def _read(manifest: Mapping[str, Any], file: str) -> Reading:
    from encyclopedia_adapters.local.corpus_format import Reading, digest
    from encyclopedia_adapters.local.front_matter import nested
    from encyclopedia_adapters.local.grounding.schema_validator import FOLDER, resolve_data_path
    from encyclopedia_adapters.local.grounding.table import LARGEST, TableError, parse, read_file

    scopes, path = places(manifest)[file], resolve_data_path(manifest, file)
    names = (manifest.get("reasoning") or {}).get("name_columns") or {}
    try:
        raw = read_file(path, LARGEST)
        table = parse(raw)
    except TableError as error:
        return Reading(digest(file, str(error)), problem=str(error))
    tags = tuple(dict.fromkeys(tag for scope, _ in scopes for tag in nested(scope.replace(" ", "-"))))
    passages = _passages(Place(file, os.path.relpath(path, manifest[FOLDER])), table, scopes, names)
    return Reading(digest(raw, repr(scopes), repr(names)), passages, tags)


def _passages(
    place: Place, table: Table, scopes: list[tuple[str, Mapping[str, Any]]], names: Mapping[str, str]
) -> Iterator[Passage]:
    """One passage for each row that a scope lets through, called by the name of the row."""
    from encyclopedia_adapters.local.front_matter import nested
    from encyclopedia_adapters.shared.text_index import Passage

    output = tuple(dict.fromkeys(column for _, config in scopes for column in config["output_cols"]))
    search = dict.fromkeys(column for _, config in scopes for column in config["search_cols"] if column not in output)
    titles = _titles(table, next((names[scope] for scope, _ in scopes if scope in names), ""), output)
    kept = {scope: {id(row) for row in apply_filters(table.rows, config.get("filters"))} for scope, config in scopes}
    for number, row in enumerate(table.rows):
        tags = [tag for scope, _ in scopes if id(row) in kept[scope] for tag in nested(scope.replace(" ", "-"))]
        if tags:
            yield Passage(
                id=f"{place.file}#{number}",
                document=place.file,
                title=titles[number],
                also=" ".join(cell(row, column) for column in search),
                body="\n".join(f"{column}: {cell(row, column)}" for column in output if cell(row, column).strip()),
                tags=tuple(dict.fromkeys(tags)),
                data={
                    "page": f"{place.file}#{number}",
                    "path": place.path,
                    "section": tags[0],
                    "lines": list(table.lines[number]),
                },
            )


def _titles(table: Table, name: str, output: tuple[str, ...]) -> list[str]:
    """What each row is called: by the column that names it, else by the first columns that together tell the rows apart."""
    if name:
        return [cell(row, name) for row in table.rows]
    made: list[list[str]] = []
    for size in range(1, TITLE_COLUMNS + 1):
        made.append([_title(row, output[:size]) for row in table.rows])
        if len({title.casefold() for title in made[-1]}) == len(table.rows):
            return made[-1]
    return made[0]


def _title(row: Row, columns: tuple[str, ...]) -> str:
    return " > ".join(filter(None, (cell(row, column).strip() for column in columns)))
