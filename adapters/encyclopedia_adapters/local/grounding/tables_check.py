"""Holds the tables of a manifest against it: files and columns that are missing, rows that do not fit."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia_adapters.local.grounding.schema_validator import ManifestError, resolve_data_path
from encyclopedia_adapters.local.grounding.table import TableError, cell, read_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from encyclopedia_adapters.local.grounding.table import Table

RUN = "code that comes with the tables: `ground` runs it, nothing else does"


class Verdict(NamedTuple):
    """What breaks the contract, and what a reader of the corpus should know besides."""

    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def check_tables(manifest: Mapping[str, Any]) -> Verdict:
    """Read every table that a manifest without violations names, and its rules; nothing is run."""
    errors, warnings = list[str](), list[str]()
    _module(manifest, errors, warnings)
    for file, wanted in _wanted(manifest).items():
        table = _table(manifest, file, errors)
        if table is None:
            continue
        errors += [f"{file} has two columns {name!r}" for name in table.repeated]
        errors += [f"{file} has no column {name!r}, which {where} names" for name, where in wanted if name not in table.columns]
        warnings += _ragged(file, table)
        warnings += [f"{file}, somewhere: bytes that are not UTF-8 cannot be read"] if table.garbled else []
        warnings += [] if table.rows else [f"{file}, below its header: no rows"]
        if file == _reasoning(manifest).get("file"):
            warnings += _rules(file, table, _reasoning(manifest).get("rules_column"))
    return Verdict(tuple(errors), tuple(dict.fromkeys(warnings)))


def _reasoning(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    return manifest.get("reasoning") or {}


def _wanted(manifest: Mapping[str, Any]) -> dict[str, list[tuple[str, str]]]:
    """For each file the columns it must have, each with the place in the manifest that names it."""
    found: dict[str, list[tuple[str, str]]] = {}
    names = _reasoning(manifest).get("name_columns") or {}
    for name, config in manifest["domains"].items():
        columns = {key: config[key] for key in ("search_cols", "output_cols")} | {"filters": config.get("filters") or {}}
        wanted = [(column, f"domains.{name}.{key}") for key, each in columns.items() for column in each]
        wanted += [(names[name], f"reasoning.name_columns.{name}")] if name in names else []
        found.setdefault(config["file"], []).extend(wanted)
    for file in (manifest.get("stacks") or {}).values():
        columns = manifest["stack_cols"]
        wanted = [(column, f"stack_cols.{key}") for key in ("search_cols", "output_cols") for column in columns[key]]
        found.setdefault(file, []).extend(wanted)
    if reasoning := _reasoning(manifest):
        keys = [key for key in ("match_column", "rules_column", "priority_column") if key in reasoning]
        found.setdefault(reasoning["file"], []).extend((reasoning[key], f"reasoning.{key}") for key in keys)
    return found


def _table(manifest: Mapping[str, Any], file: str, errors: list[str]) -> Table | None:
    try:
        return read_table(resolve_data_path(manifest, file))
    except FileNotFoundError:
        errors.append(f"{file} is not there")
    except ManifestError as error:
        errors.append(str(error))
    except TableError as error:
        errors.append(f"{file}: {error}")
    return None


def _ragged(file: str, table: Table) -> Iterator[str]:
    for (first, last), cells in table.ragged:
        where = f"line {first}" if first == last else f"lines {first} to {last}"
        surplus = cells - len(table.columns) - len(table.repeated)
        told = f"{surplus} beyond the header are left out" if surplus > 0 else f"{-surplus} missing at its end count as empty"
        hint = ", is a quotation mark missing?" if first != last else ""
        yield f"{file}, {where}: a row of {cells} cells, {told}{hint}"


def _rules(file: str, table: Table, column: str | None) -> Iterator[str]:
    for row, (line, _) in zip(table.rows, table.lines, strict=True):
        if column and rules_in(cell(row, column)) is None:
            yield f"{file}, line {line}: {column} holds no JSON object"


def rules_in(text: str) -> dict[str, Any] | None:
    """The decision rules in a cell, none in an empty one; ``None`` if it holds no JSON object."""
    if not text.strip():
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _module(manifest: Mapping[str, Any], errors: list[str], warnings: list[str]) -> None:
    """Whoever takes a corpus from somebody else should hear that there is code in it."""
    import os

    from encyclopedia_adapters.local.grounding.rules_module import RulesError, source_of

    if name := _reasoning(manifest).get("rules_module"):
        try:
            path, _ = source_of(manifest, name)
        except RulesError as error:
            errors.append(str(error))
        else:
            warnings.append(f"{os.path.basename(path)}, {RUN}")
