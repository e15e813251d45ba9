"""Loads a manifest and says what is wrong with it: the contract of v1, kept to the last rule."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.local.grounding.shape import MANIFEST_VERSION, TIERS, is_contained, violations
from encyclopedia_adapters.local.grounding.table import TableError, read_file
from encyclopedia_adapters.shared.containment import within

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = [
    "MANIFEST_VERSION",
    "TIERS",
    "ManifestError",
    "load_manifest",
    "read_manifest",
    "resolve_data_path",
    "validate_manifest",
]

MANIFEST = "manifest.json"
FOLDER = "_manifest_dir"
"""Where ``load_manifest`` writes into a manifest which folder it came from."""
LARGEST = 2_000_000
MOST_TOLD = 20
"""Violations that one error lists; ``validate_manifest`` gives all."""


class ManifestError(ValueError):
    """A manifest, or a path in it, that breaks the contract; the message says how."""


def manifest_path(path: str | os.PathLike[str]) -> str:
    """The manifest file that a path means: the file itself, or ``manifest.json`` in the folder."""
    real = os.path.realpath(path)
    return os.path.join(real, MANIFEST) if os.path.isdir(real) else real


def read_manifest(path: str | os.PathLike[str]) -> object:
    """The JSON of a manifest, whatever it holds. Raises ``ManifestError`` if there is none or it is no JSON."""
    file = manifest_path(path)
    try:
        return json.loads(read_file(file, LARGEST).decode("utf-8-sig"))
    except (FileNotFoundError, NotADirectoryError):
        raise ManifestError(f"{file} is not there") from None
    except TableError as error:
        raise ManifestError(f"{file}: {error}") from None
    except (ValueError, RecursionError) as error:
        told = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ManifestError(f"{file} is not JSON: {told}") from None


def load_manifest(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The manifest in a file, or of a folder that has a ``manifest.json``, checked, with the folder it came from in it.

    Raises ``ManifestError`` that lists every violation. The tables are looked at when they are searched.
    """
    found = read_manifest(path)
    errors = validate_manifest(found)
    if errors or not isinstance(found, dict):
        more = f"; and {len(errors) - MOST_TOLD} more" if len(errors) > MOST_TOLD else ""
        raise ManifestError(f"{manifest_path(path)} breaks the contract: {'; '.join(errors[:MOST_TOLD])}{more}")
    return found | {FOLDER: os.path.dirname(manifest_path(path))}


def validate_manifest(data: object) -> list[str]:
    """What is wrong with a manifest, a sentence each; empty if nothing is.

    Of one that ``load_manifest`` has read, or that names its folder as that does, the tables are checked too.
    """
    errors = list(violations(data))
    if isinstance(data, dict) and data.get(FOLDER) and not errors:
        from encyclopedia_adapters.local.grounding.tables_check import check_tables

        errors += check_tables(data).errors
    return errors


def resolve_data_path(manifest: Mapping[str, Any], relative: str) -> Path:
    """The path of a file that the manifest names, links resolved; whether there is such a file is not looked at.

    Raises ``ManifestError`` for an absolute path, one with ``..``, and one that a link leads out of the manifest's folder.
    """
    from pathlib import Path

    base = os.path.realpath(str(manifest.get(FOLDER, ".")))
    parts = [str(manifest.get("data_dir") or "."), relative]
    for part in parts:
        if not is_contained(part):
            raise ManifestError(f"{part!r} must be a path below the manifest, without ..")
    real = os.path.realpath(os.path.join(base, *parts))
    if not within(base, real):
        raise ManifestError(f"{relative!r} leads out of the folder of the manifest")
    return Path(real)
