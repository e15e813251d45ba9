"""What is there and what is not: the one place that may find a library missing."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.ports import Card, Key, Option, Package, Program, Requirement

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Absent(NamedTuple):
    """Something that could not be loaded, and why in a few words."""

    reason: str


class Unmet(NamedTuple):
    """A requirement that is not met; ``expected`` when its absence is an ordinary choice of the user."""

    reason: str
    hint: str
    expected: bool


def load(target: str) -> Any:
    """The object that ``module:attribute`` names, or ``Absent``; the only guard against a missing library in the tree."""
    module, _, attribute = target.partition(":")
    try:
        __import__(module)
    except ImportError as error:
        return Absent(f"{error.name or module} is not installed")
    found = sys.modules[module]
    return getattr(found, attribute, Absent(f"{module} has no {attribute}")) if attribute else found


def installed(module: str) -> bool:
    """Whether a top-level module can be imported; looked up without importing it."""
    if module in sys.modules:
        return sys.modules[module] is not None
    from importlib.machinery import PathFinder

    return PathFinder.find_spec(module) is not None


def unmet(card: Card, options: Mapping[str, object], secret: Callable[[str], str]) -> Unmet | None:
    """The first requirement of ``card`` that is not met, or ``None``."""
    for need in card.requires:
        problem = _check(need, options, secret)
        if problem is not None:
            return problem
    return None


def _check(need: Requirement, options: Mapping[str, object], secret: Callable[[str], str]) -> Unmet | None:
    match need:
        case Package(module, extra):
            target = f"encyclopedia-search[{extra}]" if extra else module
            return (
                None
                if installed(module)
                else Unmet(f"{module} is not installed", f"pip install '{target}'", expected=bool(extra))
            )
        case Key(name):
            return (
                None
                if secret(name)
                else Unmet(f"{name} not found", f"set {name} in the environment or in .env.local", expected=True)
            )
        case Option(name, env):
            if options.get(name) or (env and secret(env)):
                return None
            return Unmet(f"{env or name} is not set", f"set {env or name}, or {name} in the source's table", expected=True)
        case Program(name):
            return None if on_path(name) else Unmet(f"{name} is not installed", f"install the program {name}", expected=True)


def on_path(program: str) -> bool:
    """Whether a program can be found on PATH."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return any(os.access(os.path.join(folder, program), os.X_OK) for folder in folders if folder)
