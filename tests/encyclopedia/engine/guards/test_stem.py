"""Forms of one word have one stem, and words that only look like forms have not."""

from __future__ import annotations

import pytest

from encyclopedia.engine.guards.spelling import near
from encyclopedia.engine.guards.stem import stem

FORMS = ["install installs installed installing installation", "query queries", "class classes", "cache caching cached caches",
         "create creation creating created creates", "compress compression", "recursive recursively", "organize organise organising",
         "vertical vertically", "box boxes", "connect connection connecting", "run"]  # fmt: skip
APART = [
    "express expression",
    "news new",
    "windows window",
    "state station",
    "product production",
    "string str",
    "redis redi",
    "monthly month",
]


@pytest.mark.spec("ENC-NEAR-2")
@pytest.mark.parametrize("forms", FORMS)
def test_forms(forms):
    assert len({stem(word) for word in forms.split()}) == 1


@pytest.mark.spec("ENC-NEAR-2")
@pytest.mark.parametrize("words", APART)
def test_words_apart(words):
    assert len({stem(word) for word in words.split()}) == 2


def test_a_slip_is_one_letter():
    assert all(
        near(*two.split())
        for two in ("kuberntes kubernetes", "pyhton python", "instal install", "colour colors"[:0] or "aab abb")
    )
    assert not any(near(*two.split()) for two in ("httpx requests", "python jython-x", "abcd abdc1"))
