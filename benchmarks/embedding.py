"""What vectors cost: from process to first vector, a warm query, passages a second for each runtime, and how far they differ.

``python -m benchmarks.embedding``. Where sentence-transformers is not installed its rows are left out, and a line says so.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks._size import sized
from encyclopedia.model.settings import EmbedderSettings
from encyclopedia.wiring.requirements import installed
from encyclopedia_adapters.embedding import minilm, transformers

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parents[1]
RUNS, PASSAGES, ASKED = sized((9, 64, 100), (2, 8, 10))
WORDS, ROUND = 105, 16
QUERY = "how do I rotate the signing keys of a service"
FIRST = """
import sys
from encyclopedia_adapters.embedding.minilm import KIND
from encyclopedia.model.settings import EmbedderSettings
KIND.open(EmbedderSettings(), sys.argv[1]).embed([sys.argv[2]])
"""


def passages() -> list[str]:
    """Pieces of our own documents, of some 180 tokens."""
    words = " ".join(path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("*.md"))).split()
    return [" ".join(words[at : at + WORDS]) for at in range(0, WORDS * PASSAGES, WORDS)]


def seconds(command: Sequence[str]) -> float:
    """The time of one whole process."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "adapters")])
    start = time.perf_counter()
    subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, check=True, capture_output=True)
    return time.perf_counter() - start


def first_vector(home: str) -> tuple[float, float]:
    """Seconds of an empty Python and of one that makes a vector; medians of runs in turn, with the weights known as right."""
    commands = ([sys.executable, "-c", "pass"], [sys.executable, "-c", FIRST, home, QUERY])
    times = [[seconds(command) for command in commands] for _ in range(RUNS)]
    return median(row[0] for row in times), median(row[1] for row in times)


def queries(embedders: Sequence[Any]) -> list[float]:
    """Milliseconds of a warm query with each, in turn; each query is another, as a person asks."""
    times: list[list[float]] = [[] for _ in embedders]
    for number in range(ASKED):
        for spent, embedder in zip(times, embedders, strict=True):
            start = time.perf_counter()
            embedder.embed([f"{QUERY} {number}"])
            spent.append((time.perf_counter() - start) * 1000)
    return [median(spent) for spent in times]


def rate(embedders: Sequence[Any], texts: list[str]) -> list[float]:
    """Passages a second of each, a few passages in turn, so that all have the same machine."""
    spent = [0.0] * len(embedders)
    for begin in range(0, len(texts), ROUND):
        for number, embedder in enumerate(embedders):
            start = time.perf_counter()
            embedder.embed(texts[begin : begin + ROUND])
            spent[number] += time.perf_counter() - start
    return [len(texts) / time for time in spent]


def rows() -> list[tuple[str, float, str, str | None, bool]]:
    """Name, value, unit, bar, whether it is kept."""
    import numpy as np

    settings, texts = EmbedderSettings(), passages()
    with tempfile.TemporaryDirectory() as home:
        start = time.perf_counter()
        ours = minilm.KIND.open(settings, home)
        cold = time.perf_counter() - start
        empty, first = first_vector(home)
        table: list[tuple[str, float, str, str | None, bool]] = [
            ("opened with the weights checked by SHA-256, once", cold, "s", None, True),
            ("process to first vector", first, "s", None, True),
            ("process to first vector, empty Pythons", first / empty, "x", "<= 25", first / empty <= 25),
        ]
        if not installed("sentence_transformers"):
            print("sentence-transformers is not installed: its rows are left out", file=sys.stderr)
            table.append(("warm query, numpy", queries([ours])[0], "ms", None, True))
            return [*table, ("passages, numpy", rate([ours], texts)[0], "/s", None, True)]
        start = time.perf_counter()
        theirs = transformers.KIND.open(settings, home)
        table.append(("sentence-transformers, open", time.perf_counter() - start, "s", None, True))
    theirs.embed(texts[:2])
    (our_query, their_query), (our_rate, their_rate) = queries([ours, theirs]), rate([ours, theirs], texts)
    off = float(np.abs(ours.embed(texts) - theirs.embed(texts)).max())
    return [
        *table,
        ("warm query, numpy", our_query, "ms", None, True),
        ("warm query, sentence-transformers", their_query, "ms", None, True),
        (
            "warm query, numpy over sentence-transformers",
            our_query / their_query,
            "x",
            "<= 1.5",
            our_query <= 1.5 * their_query,
        ),
        ("passages, numpy", our_rate, "/s", None, True),
        ("passages, sentence-transformers, one thread", their_rate, "/s", None, True),
        ("passages, numpy over sentence-transformers", our_rate / their_rate, "x", ">= 0.7", our_rate >= 0.7 * their_rate),
        ("largest difference of two numbers", off, "", "<= 1e-5", off <= 1e-5),
    ]


def main() -> None:
    for name, value, unit, bar, kept in rows():
        print(f"{name:<50} {value:9.3g} {unit:<3} {f'bar {bar}' if bar else '':<12} {'ok' if kept else 'MISSED'}")


if __name__ == "__main__":
    main()
