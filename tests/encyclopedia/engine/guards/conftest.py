"""The word lists that ship with the program, read once."""

from __future__ import annotations

import pytest

from encyclopedia.model.wording import Wording
from encyclopedia.wiring.near import wording as shipped


@pytest.fixture(scope="session")
def wording() -> Wording:
    return shipped()
