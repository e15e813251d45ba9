"""What the owner of a folder leaves out: by ``.gitignore`` files, by the settings of a vault, by those of the corpus."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia_adapters.local.walk import decode, read
from encyclopedia_adapters.shared.ignored import Rule, ignored, rules

if TYPE_CHECKING:
    from collections.abc import Collection

_FILE = ".gitignore"
_BY_GIT = "left out by .gitignore"
_BY_CORPUS = "left out by the settings of the corpus"
_BY_VAULT = "left out by the settings of the vault"
_TEMPLATE = "a template of the vault"
_DRAWING = "a drawing"
_VAULTS = (".obsidian", ".foam", ".logseq")
_SETTINGS = 1_000_000
_DEEPEST = 60


class LeftOut(NamedTuple):
    """The rules in force in one folder, each list with its reason; ``git`` rules grow on the way down."""

    root: str
    fixed: tuple[tuple[str, list[Rule]], ...]
    git: list[Rule] | None

    def below(self, folder: str, names: Collection[str]) -> LeftOut:
        """The same for a folder of the tree (relative, empty for the root) that holds ``names``."""
        if self.git is None or _FILE not in names:
            return self
        return self._replace(git=[*self.git, *rules(folder, _text(self.root, f"{folder}/{_FILE}".lstrip("/")))])

    def reason(self, path: str, *, folder: bool) -> str:
        """Why the path is left out; empty if it is not."""
        if path.lower().endswith(".excalidraw.md"):
            return _DRAWING
        for reason, found in (*self.fixed, (_BY_GIT, self.git or [])):
            if found and ignored(path, found, folder=folder):
                return reason
        return ""


def left_out(path: str, exclude: tuple[str, ...], *, gitignore: bool) -> LeftOut:
    """What is left out of the folder ``path``: ``exclude`` are patterns of the corpus."""
    root = os.path.realpath(path)
    fixed = [(_BY_CORPUS, rules("", "\n".join(exclude))), *_of_vault(root)]
    git = _above(root) if gitignore else None
    return LeftOut(root, tuple((reason, found) for reason, found in fixed if found), git)


def _of_vault(root: str) -> list[tuple[str, list[Rule]]]:
    """Templates and what else the settings of an Obsidian vault name; templates by their usual name in other vaults."""
    if not any(os.path.isdir(os.path.join(root, name)) for name in _VAULTS):
        return []
    core = _settings(root, ".obsidian/templates.json").get("folder")
    more = _settings(root, ".obsidian/plugins/templater-obsidian/data.json").get("templates_folder")
    filters = _settings(root, ".obsidian/app.json").get("userIgnoreFilters")
    templates = [f"/{folder.strip('/')}/" for folder in (core, more) if isinstance(folder, str) and folder.strip("/ ")]
    wishes = (
        [text for text in filters if isinstance(text, str) and not text.startswith("/")] if isinstance(filters, list) else []
    )
    return [
        (_TEMPLATE, rules("", "\n".join(templates or ("/Templates/", "/templates/")))),
        (_BY_VAULT, rules("", "\n".join(f"/{text}" for text in wishes))),
    ]


def _settings(root: str, name: str) -> dict[str, Any]:
    try:
        found = json.loads(_text(root, name))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _above(root: str) -> list[Rule]:
    """The rules of the repository that the folder lies in, if it lies in one."""
    top = root
    for _ in range(_DEEPEST):
        if os.path.lexists(os.path.join(top, ".git")):
            return _seen_from(root, top)
        top = os.path.dirname(top)
    return []


def _seen_from(root: str, top: str) -> list[Rule]:
    """The rules from ``top`` down to above ``root``, for paths that begin at ``root``; none if they leave out all of it."""
    steps = os.path.relpath(root, top).split(os.sep) if root != top else []
    found = rules("", _text(top, ".git/info/exclude"))
    for depth in range(len(steps)):
        base = "/".join(steps[:depth])
        found += rules(base, _text(top, f"{base}/{_FILE}".lstrip("/")))
    if steps and any(ignored("/".join(steps[: depth + 1]), found, folder=True) for depth in range(len(steps))):
        return []
    return [moved for rule in found if (moved := _moved(rule, tuple(steps))) is not None]


def _moved(rule: Rule, steps: tuple[str, ...]) -> Rule | None:
    """The rule for paths that begin below ``steps``; ``None`` if it says nothing of them."""
    below = steps[len(rule.base) :]
    if rule.names[:1] == ("**",):
        return rule._replace(base=())
    if rule.names[: len(below)] == below and len(rule.names) > len(below):
        return rule._replace(base=(), names=rule.names[len(below) :])
    return None


def _text(root: str, name: str) -> str:
    try:
        return decode(read(root, name, _SETTINGS)) or ""
    except (OSError, ValueError):
        return ""
