"""One embedder for all tests of this folder: its weights are only read."""

from __future__ import annotations

from pathlib import Path

import pytest

from encyclopedia.model.settings import EmbedderSettings
from encyclopedia_adapters.embedding.minilm import KIND, MiniLM


@pytest.fixture(scope="session")
def minilm(tmp_path_factory: pytest.TempPathFactory) -> MiniLM:
    return KIND.open(EmbedderSettings(), str(tmp_path_factory.mktemp("home")))


@pytest.fixture(scope="session")
def folder() -> Path:
    """Where the files of the model are installed."""
    return Path(str(KIND.about(EmbedderSettings(), "/nowhere")["weights"])).parent
