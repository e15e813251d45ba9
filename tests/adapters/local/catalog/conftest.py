"""Desks to work at: one that may be written on, and the whole fixture, indexed once."""

from __future__ import annotations

import pytest

from tests.adapters.local.catalog.desk import PATTERNS, Desk


@pytest.fixture
def desk(tmp_path):
    """An empty corpus."""
    made = Desk(tmp_path)
    made.root.mkdir()
    return made


@pytest.fixture(scope="session")
def patterns(tmp_path_factory):
    """The patterns of the fixture; nothing may be changed."""
    made = Desk(tmp_path_factory.mktemp("patterns"), PATTERNS)
    made.load("observer")
    return made
