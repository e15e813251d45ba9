"""What commands need of a data folder without building an engine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.wiring import places
from encyclopedia.wiring.environment import environment
from encyclopedia.wiring.settings import load

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.ports import CorpusKind
    from encyclopedia.wiring.settings import Loaded


def home() -> str:
    """The data folder."""
    return places.home(os.environ)


def loaded() -> Loaded:
    """The settings in force. Raises ``ConfigurationError``."""
    folder = home()
    return load(folder, environment(folder))


def corpus_kind(groups: Mapping[str, Mapping[str, str]], name: str) -> CorpusKind:
    """The kind of corpus of that name. Raises ``ConfigurationError`` with the nearest one."""
    from encyclopedia.model.nearest import nearest
    from encyclopedia.wiring import requirements

    kinds = groups.get("encyclopedia.corpora", {})
    if name not in kinds:
        raise ConfigurationError(f"unknown kind of corpus {name!r}", nearest(name, kinds))
    kind: Any = requirements.load(kinds[name])
    if isinstance(kind, requirements.Absent):
        raise ConfigurationError(f"corpora of kind {name} cannot be read: {kind.reason}", "install what is missing")
    made: CorpusKind = kind
    return made
