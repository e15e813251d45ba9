"""sentence-transformers and our forward pass make the same of the same weights, and an index of the one is searched with the other."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from encyclopedia.model.settings import EmbedderSettings
from encyclopedia_adapters.embedding import minilm, transformers

ROOT = Path(__file__).parents[1]
ODD = [
    "",
    " ",
    "\x00",
    "\x07\x01",
    "\u200b",
    "\ud800 lone",
    "x" * 300_000,
    "word " * 100_000,
    "é 世界 🎉",
    "a\x00b",
    "\ufffd",
    "ไทย",
]


def passages() -> list[str]:
    """Pieces of our own documents, of every length up to some hundred words, and what nobody should write."""
    words = " ".join(path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("*.md"))).split()
    chance = random.Random(7)
    starts = [chance.randrange(len(words) - 400) for _ in range(150)]
    return [" ".join(words[start : start + chance.randrange(1, 400)]) for start in starts] + ODD


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[minilm.MiniLM, transformers.Transformers]:
    home = str(tmp_path_factory.mktemp("home"))
    return minilm.KIND.open(EmbedderSettings(), home), transformers.KIND.open(EmbedderSettings(), home)


def test_vectors_and_fingerprint_are_the_same(pair: tuple[minilm.MiniLM, transformers.Transformers]) -> None:
    ours, theirs = pair
    assert ours.fingerprint == theirs.fingerprint
    assert ours.dimension == theirs.dimension
    texts = passages()
    assert np.abs(ours.embed(texts) - theirs.embed(texts)).max() < 1e-5


def test_the_nearest_passages_are_the_same_whoever_filled_the_index(
    pair: tuple[minilm.MiniLM, transformers.Transformers],
) -> None:
    ours, theirs = pair
    texts = sorted(set(passages()))
    filled = theirs.embed(texts)
    own = ours.embed(texts)
    for question in ("how are settings layered", "who may write to the cache", "what does doctor check"):
        one, other = (filled @ ours.embed([question])[0], own @ theirs.embed([question])[0])
        assert np.abs(one - other).max() < 1e-5
        assert list(np.argsort(-one)[:5]) == list(np.argsort(-other)[:5])


def test_the_program_has_its_threads_back(pair: tuple[minilm.MiniLM, transformers.Transformers]) -> None:
    import torch

    before = torch.get_num_threads()
    pair[1].embed(["words"])
    assert torch.get_num_threads() == before
