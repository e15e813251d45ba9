"""Runs decision rules that are a Python file beside the manifest; nothing else of a corpus is ever run.

The file is trusted as the manifest is, and a manifest speaks only when its user has registered it as a corpus or has named its
path; searching, indexing and validating never run it.
"""

from __future__ import annotations

import ast
import json
import os
import sys
from importlib.abc import InspectLoader
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.local.grounding.schema_validator import ManifestError, resolve_data_path
from encyclopedia_adapters.local.grounding.table import TableError, read_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType

PATIENCE = 5.0
"""Seconds that rules may take, loading included. A thread that takes longer is left behind and ends with the process."""
LARGEST = 1_000_000
FUNCTION = "evaluate"


class RulesError(Exception):
    """Rules that cannot be loaded, or do not answer as they should; the message is a sentence."""


class _Rules(InspectLoader):
    """Loads a module from source that is already read: no search path, and no compiled copy left beside the file."""

    def __init__(self, path: str, source: str) -> None:
        self._path, self._source = path, source

    def get_source(self, _fullname: str) -> str:
        return self._source

    def get_code(self, _fullname: str) -> Any:
        return self.source_to_code(self._source, self._path)


def source_of(manifest: Mapping[str, Any], name: str) -> tuple[str, str]:
    """The path and the text of the module that the manifest names; ``.ts`` and ``.js`` mean the ``.py`` file beside them.

    Raises ``RulesError`` if it is not there, lies outside, does not parse, or defines no ``evaluate``.
    """
    stem, end = os.path.splitext(name)
    python = f"{stem}.py" if end in (".ts", ".js", ".mjs") else name
    try:
        path = os.fspath(resolve_data_path(manifest, python))
        source = read_file(path, LARGEST).decode("utf-8-sig")
        names = {getattr(node, "name", "") for node in ast.parse(source).body}
    except FileNotFoundError:
        raise RulesError(f"rules_module {python} is not there") from None
    except (ManifestError, TableError, ValueError, SyntaxError, RecursionError, MemoryError) as error:
        raise RulesError(f"rules_module {python} cannot be used: {error}") from None
    if FUNCTION not in names:
        raise RulesError(f"rules_module {python} defines no {FUNCTION}(rules, query, context)")
    return path, source


def run_rules(
    manifest: Mapping[str, Any], rules: dict[str, Any], query: str, context: Mapping[str, Any], patience: float = PATIENCE
) -> dict[str, Any]:
    """What the module's ``evaluate`` says: ``{matched, unmatched}``.

    Its ``print`` goes to stderr. Raises ``RulesError`` if it cannot be loaded, raises, leaves the interpreter, gives something
    else, or takes longer than ``patience`` seconds.
    """
    import threading

    path, source = source_of(manifest, manifest["reasoning"]["rules_module"])
    answers: list[object] = []

    def work() -> None:
        try:
            answers.append(_load(path, source)(rules, query, dict(context)))
        except BaseException as error:  # noqa: BLE001 - whatever a stranger's code raises is its answer
            answers.append(RulesError(f"{os.path.basename(path)} raised {type(error).__name__}: {error}"))

    worker = threading.Thread(target=work, name="grounding-rules", daemon=True)
    worker.start()
    worker.join(patience)
    if not answers:
        raise RulesError(f"{os.path.basename(path)} did not answer within {patience:g} seconds")
    return _checked(answers[0], os.path.basename(path))


def _load(path: str, source: str) -> Callable[[dict[str, Any], str, dict[str, Any]], object]:
    from functools import partial
    from hashlib import sha256
    from importlib.util import module_from_spec, spec_from_loader

    loader = _Rules(path, source)
    name = f"encyclopedia_rules_{sha256(path.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}"
    spec = spec_from_loader(name, loader, origin=path)
    if spec is None:
        raise RulesError(f"{path} cannot be loaded")
    spec.has_location = True  # so that it can tell where it lies
    module: ModuleType = module_from_spec(spec)
    vars(module)["print"] = partial(print, file=sys.stderr)  # stdout belongs to the answer
    sys.modules[name] = module  # dataclasses look their module up there
    loader.exec_module(module)
    found: Any = vars(module).get(FUNCTION)
    if not callable(found):
        raise RulesError(f"{os.path.basename(path)} has no {FUNCTION}(rules, query, context)")
    return partial(found)


def _checked(answer: object, name: str) -> dict[str, Any]:
    """The answer as plain JSON values, which is what every face shows."""
    if isinstance(answer, RulesError):
        raise answer
    try:
        plain = json.loads(json.dumps(answer, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise RulesError(f"{name} gave what is no JSON: {error}") from None
    match plain:
        case {"matched": dict(matched), "unmatched": dict(unmatched)}:
            return {"matched": matched, "unmatched": unmatched}
    raise RulesError(f"{name} gave no object with the objects matched and unmatched")
