"""A session over a data folder: its rules, its engine, and when both are read anew."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from encyclopedia.faces.mcp.session import Session
from encyclopedia.wiring import corpora, governance, places

if TYPE_CHECKING:
    from encyclopedia.faces.library import Encyclopedia
    from encyclopedia.wiring.governance import Policy


def session_of(home: str, client: str = "") -> Session:
    """What ``client`` is served from a data folder. Raises ``ConfigurationError`` for rules that cannot be."""

    def make(rules: Policy) -> Encyclopedia:
        from encyclopedia.faces.library import Encyclopedia

        return Encyclopedia(home=home, ceiling=str(rules.label))

    return Session(partial(governance.policy, home, client), make, partial(stamp, home))


def stamp(home: str) -> tuple[tuple[str, int], ...]:
    """Another value whenever settings, rules or the register of corpora were written; indexing changes nothing."""
    register = [f"{places.corpora(home)}/{name}/{corpora.FILE}" for name in sorted(_names(places.corpora(home)))]
    files = (places.config_file(home), governance.file(home), f"{home}/.env.local", *register)
    return tuple((file, at) for file in files if (at := _changed(file)))


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _changed(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0
