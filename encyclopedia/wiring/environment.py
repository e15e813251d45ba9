"""Names and values from the environment and from ``.env.local`` files, each with where it came from."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = ".env.local"
RUNS_PROGRAMS = ("_CLI", "PATH", "ENCYCLOPEDIA_HOME", "_EMBEDDER_MODEL", "_EMBEDDER_HUB", "_STATE_URL")
"""Endings of names that decide which program or model runs, or where it and data come from and go to.

They are not taken from the folder one happens to stand in.
"""


class Environment(NamedTuple):
    """What the environment holds; ``origins`` names the layer of each value."""

    values: Mapping[str, str]
    origins: Mapping[str, str]

    def __repr__(self) -> str:
        """Without values: there are keys among them, and this may come to stand in a log."""
        return f"<Environment of {len(self.values)} names>"

    def secret(self, name: str) -> str:
        """The value of a name, stripped; empty if it is not set."""
        return self.values.get(name, "").strip()


def environment(home: str, environ: Mapping[str, str] | None = None, folder: str | None = None) -> Environment:
    """The environment over ``.env.local`` of the working folder over that of the data folder.

    A file in the working folder may come with somebody else's repository, so it cannot set names that choose programs.
    """
    values: dict[str, str] = {}
    origins: dict[str, str] = {}
    here = _working_folder() if folder is None else folder
    layers = [(f"{home}/{FILE}", _read(f"{home}/{FILE}"))]
    if here and here != home:
        own = {k: v for k, v in _read(f"{here}/{FILE}").items() if not k.endswith(RUNS_PROGRAMS)}
        layers.append((f"{here}/{FILE}", own))
    layers.append(("environment", dict(os.environ if environ is None else environ)))
    for origin, layer in layers:
        for name, value in layer.items():
            values[name] = value
            origins[name] = origin
    return Environment(values, origins)


def _working_folder() -> str:
    """Where we stand; empty if that folder has been removed."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def _read(path: str) -> dict[str, str]:
    if not os.path.isfile(path):
        return {}
    from dotenv import dotenv_values

    try:
        return {name: value for name, value in dotenv_values(path, interpolate=False).items() if value is not None}
    except (OSError, UnicodeDecodeError):
        return {}
