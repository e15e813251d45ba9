"""The part of the standard library that is written in C, described by the objects themselves for want of a source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia_adapters.local.dist_units import COMPILED
from encyclopedia_adapters.local.docstrings import MAX_DOCSTRING, MAX_MEMBERS, Described

if TYPE_CHECKING:
    from collections.abc import Iterator

_BOUND = ("$module, /, ", "$module, ", "$module", "$self, /, ", "$self, ", "$self", "$type, ", "$type")


def describe(module: str) -> Iterator[Described]:
    """What the compiled standard module (one of ``COMPILED``) offers; nothing if this interpreter does not have it."""
    from importlib import import_module
    from importlib.util import find_spec

    if module not in COMPILED or find_spec(module) is None:
        return
    found = import_module(module)
    shown = f"{module} (compiled)"
    yield Described(module, "module", "", _doc(found), ", ".join(_public(found)[:MAX_MEMBERS]), shown, (0, 0))
    for name in _public(found):
        yield from _described(getattr(found, name, None), f"{module}.{name}", shown)


def _described(thing: object, path: str, shown: str) -> Iterator[Described]:
    name = path.rpartition(".")[2]
    if isinstance(thing, type):
        members = [each for each in vars(thing) if not each.startswith("_")]
        listed = f"Members: {', '.join(members[:MAX_MEMBERS])}" if members else ""
        yield Described(path, "class", f"class {name}{_signature(thing)}", _doc(thing), listed, shown, (0, 0))
        for each in members:
            yield from _described(vars(thing)[each], f"{path}.{each}", shown)
    elif callable(thing) and _doc(thing):
        yield Described(path, "function", f"{name}{_signature(thing)}", _doc(thing), "", shown, (0, 0))


def _public(module: object) -> list[str]:
    return [name for name in dir(module) if not name.startswith("_")]


def _doc(thing: object) -> str:
    doc = getattr(thing, "__doc__", None)
    return doc.strip()[:MAX_DOCSTRING] if isinstance(doc, str) else ""


def _signature(thing: object) -> str:
    text = getattr(thing, "__text_signature__", None)
    if not isinstance(text, str):
        return ""
    for bound in _BOUND:
        text = text.replace(bound, "")
    return text
