"""What is there and what is not: the one place that may find a library missing."""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.ports import Card, Cli, Contact, Key, Option, Package, Program, Requirement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


class Absent(NamedTuple):
    """Something that could not be loaded, why in a few words, and what to do about it."""

    reason: str
    hint: str = ""


UNREGISTERED = Absent("it is not registered: install encyclopedia-search again")
"""Of an entry point of ours that nobody finds."""


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
        return Absent(f"{error.name or module} is not installed", f"pip install {error.name or module}")
    found = sys.modules[module]
    return getattr(found, attribute, Absent(f"{module} has no {attribute}")) if attribute else found


def plugin(target: str) -> Any:
    """As ``load``, for what strangers may have registered: whatever it does while it is imported, the rest goes on.

    What it prints goes to standard error: standard output is for results.
    """
    out, sys.stdout = sys.stdout, sys.stderr
    try:
        return load(target)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's module may raise what it likes
        module = target.partition(":")[0]
        return Absent(
            f"{module or repr(target)} cannot be imported ({type(error).__name__})", f"`python -c 'import {module}'` shows why"
        )
    finally:
        sys.stdout = out


@cache
def installed(module: str) -> bool:
    """Whether a top-level module can be imported; looked up without importing it, once a process."""
    if module in sys.modules:
        return sys.modules[module] is not None
    from importlib.machinery import PathFinder

    return PathFinder.find_spec(module) is not None


def lacking(packages: Iterable[Package]) -> Absent | None:
    """The first library of these that is not installed, with the remedy."""
    missing = next((need for need in packages if not installed(need.module)), None)
    return Absent(f"{missing.module} is not installed", _install(missing)) if missing else None


def unmet(card: Card, options: Mapping[str, object], secret: Callable[[str], str], *, contact: str = "") -> Unmet | None:
    """The first requirement of ``card`` that is not met, or ``None``."""
    for need in card.requires:
        problem = _check(need, options, secret, contact)
        if problem is not None:
            return problem
    return None


def _check(need: Requirement, options: Mapping[str, object], secret: Callable[[str], str], contact: str) -> Unmet | None:
    match need:
        case Package():
            absent = lacking((need,))
            return Unmet(absent.reason, absent.hint, expected=bool(need.extra)) if absent else None
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
        case Contact():
            hint = "set contact, or ENCYCLOPEDIA_CONTACT, to a mail address of yours"
            return None if contact else Unmet("contact is not set", hint, expected=True)
        case Program() | Cli():
            return _program(need)


def _install(need: Package) -> str:
    return f"pip install '{f'encyclopedia-search[{need.extra}]' if need.extra else need.module}'"


def _program(need: Program | Cli) -> Unmet | None:
    if on_path(need.name):
        return None
    if isinstance(need, Program):
        return Unmet(f"{need.name} is not installed", f"install the program {need.name}", expected=True)
    hint = f"install {need.name}, or {f'set {need.env}' if need.env else 'correct command in the table of the source'}"
    return Unmet(f"cli_not_found: {need.name} is not there", hint, expected=False)


def on_path(program: str) -> bool:
    """Whether a program can be found on PATH."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return any(os.access(os.path.join(folder, program), os.X_OK) for folder in folders if folder)
