"""Labelled pairs of questions, asked as they would be: with the vectors and word lists that ship with the program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from encyclopedia.engine.near import Limits, Nearness
from encyclopedia.model.settings import CacheSettings, EmbedderSettings
from encyclopedia.wiring.near import guards
from encyclopedia.wiring.near import wording as shipped
from tests.near_doubles import Index

FOLDER = Path(__file__).parents[2] / "fixtures" / "cache_pairs"
SETTINGS = CacheSettings()
SETS = ("given", "seen", "kept")


def pairs(name):
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text().splitlines()]


class Remembered:
    """An embedder that makes each vector once."""

    def __init__(self, embedder):
        self.fingerprint, self.dimension = embedder.fingerprint, embedder.dimension
        self._embedder, self._known = embedder, {}

    def embed(self, texts):
        import numpy as np

        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known |= dict(zip(new, self._embedder.embed(new), strict=True))
        return np.stack([self._known[text] for text in texts])


@pytest.fixture(scope="module")
def embedder(tmp_path_factory):
    from encyclopedia_adapters.embedding.minilm import Kind

    return Remembered(Kind().open(EmbedderSettings(), str(tmp_path_factory.mktemp("home"))))


@pytest.fixture(scope="module")
def served(embedder):
    """Whether the second question of each pair is served the first one's answer, at the default settings."""
    wording = shipped()
    limits = Limits(SETTINGS.threshold, SETTINGS.threshold_same_words, guards(SETTINGS.guards))

    def served(name):
        rows, near = pairs(name), Nearness((Index(), None), lambda: embedder, lambda: wording, limits)
        embedder.embed([near._read(row[side]).text for row in rows for side in "ab"])
        found = []
        for number, row in enumerate(rows):
            near.add(str(number), row["a"], str(number))
            found.append((row, any(not one.refused_by for one in near.find(str(number), row["b"]))))
        return found

    return served


@pytest.mark.spec("ENC-NEAR-15")
@pytest.mark.parametrize("name", SETS)
def test_no_look_alike_is_served_and_most_paraphrases_are(served, name):
    found = served(name)
    same = [answered for row, answered in found if row["dup"]]
    assert [(row["a"], row["b"]) for row, answered in found if answered and not row["dup"]] == []
    assert sum(same) >= 0.85 * len(same)


def test_the_pairs_are_many_and_of_many_kinds():
    own = [row for name in SETS[1:] for row in pairs(name)]
    assert len({(row["a"], row["b"]) for row in own}) == len(own) >= 300
    assert sum(row["dup"] for row in own) >= 130
    assert sum(not row["dup"] for row in own) >= 170
    given = {(row["a"].lower(), row["b"].lower()) for row in pairs("given")}
    assert not given & {(row["a"].lower(), row["b"].lower()) for row in own}
