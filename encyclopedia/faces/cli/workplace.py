"""What commands need of a data folder without building an engine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from encyclopedia.wiring import places
from encyclopedia.wiring.environment import environment
from encyclopedia.wiring.settings import load

if TYPE_CHECKING:
    from encyclopedia.wiring.settings import Loaded


def home() -> str:
    """The data folder."""
    return places.home(os.environ)


def loaded() -> Loaded:
    """The settings in force. Raises ``ConfigurationError``."""
    folder = home()
    return load(folder, environment(folder))
