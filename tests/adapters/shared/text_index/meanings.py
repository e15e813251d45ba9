"""An embedder for tests: words of one meaning share an axis."""

from __future__ import annotations

import re

import numpy as np

MEANINGS = (
    "car automobile vehicle",
    "doctor physician",
    "fast quick rapid",
    "house home dwelling",
    "sea ocean",
    "cat",
    "tree oak",
)
AXES = {word: axis for axis, words in enumerate(MEANINGS) for word in words.split()}


class Meanings:
    """Counts the meanings of a text; of what it does not know it makes a weak direction of its own."""

    def __init__(self, fingerprint="meanings", dimension=24):
        self.fingerprint, self.dimension = fingerprint, dimension
        self.calls = []

    def embed(self, texts):
        self.calls.append(list(texts))
        found = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in zip(found, texts, strict=True):
            for word in re.findall(r"\w+", text.lower()):
                if word in AXES:
                    row[AXES[word]] += 1
                else:
                    row[len(MEANINGS) + sum(word.encode("utf-8", "replace")) % (self.dimension - len(MEANINGS))] += 0.1
            row /= np.linalg.norm(row) or 1
        return found


def no_progress(what, done, total):
    assert isinstance(what, str)
    assert 0 <= done < total
