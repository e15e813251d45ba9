"""An engine of its own for each test: an empty data folder, no environment, sources as objects."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from encyclopedia import Encyclopedia
from tests.switches import off

OFF = {"PATH": "/usr/bin:/bin", **off()}


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Encyclopedia]:
    """``make(*sources, **settings)``: an engine that asks only the given sources, with dotted settings written with ``__``."""
    monkeypatch.chdir(tmp_path)

    def build(*sources: object, **settings: object) -> Encyclopedia:
        named = {name.replace("__", "."): value for name, value in settings.items()}
        return Encyclopedia(home=str(tmp_path / "home"), sources=sources, settings=named, environ=OFF)

    return build
