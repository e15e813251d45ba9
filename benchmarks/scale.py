"""What a lexical index costs as it grows: ours beside bare tantivy, bm25s and SQLite's FTS5, all fed the same terms.

Each engine builds in one process and is asked in another, so that its memory is its own. Times are CPU, with that of the
engine's threads. Ours and bare tantivy read and keep the texts and give them back; for the other two the terms were made
beforehand, at a cost that is added to their build. ``BENCH_COLLECTIONS`` names a folder of public collections whose sentences
the passages are then made of; without it they are made-up words with the frequencies of a language.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from itertools import accumulate, chain, islice
from itertools import count as counting
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import _peers
from benchmarks._collections import collections
from benchmarks._rows import Found, Row, growth, most, percentile
from benchmarks._size import sized
from benchmarks.lexical import RATIO, Bare
from benchmarks.peers.indexing import answered, built
from encyclopedia_adapters.shared.text_index import Passage, TextIndex, analyser

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SIZES = sized((1_000, 10_000, 100_000), (300, 1_000))
BATCH, ASKED = sized((20_000, 200), (1_000, 20))
PROOF = 100_000
"""The passages from which on the bars are meant: with fewer the fixed costs of both decide."""
OURS, BARE = "ours", "bare tantivy"
PEERS = {"bm25s": "bm25s_index", "SQLite FTS5": "fts5_index"}
Document = tuple[str, str, str]


def texts() -> Iterator[Document]:
    """Passages of some 40 words, each with a name of its own, without end."""
    rng, pool = random.Random(7), sentences()
    for at in counting():
        text = " ".join((pool[at % len(pool)], *rng.sample(pool, 1), f"item{at}"))
        yield str(at), f"{text[:40]} {at}", text


def sentences() -> list[str]:
    """Of the collections if they are there, else of made-up words after Zipf."""
    found = [part.strip() for each in collections().values() for _, _, text in each.documents for part in text.split(". ")]
    if found := [part for part in found if 8 <= len(part.split()) <= 40]:
        return found
    rng = random.Random(7)
    words = [f"{rng.choice('bcdfgklmnprst')}{rng.choice('aeiou')}word{at}" for at in range(50_000)]
    often = list(accumulate(1 / (rank + 10) for rank in range(len(words))))
    return [" ".join(rng.choices(words, cum_weights=often, k=20)) for _ in range(10_000)]


def questions(number: int = ASKED) -> list[str]:
    """Six words of those passages each."""
    rng = random.Random(8)
    return [" ".join(rng.sample(text.split(), 6)) for _, _, text in islice(texts(), number)]


def terms(text: str) -> str:
    """What our analyser makes of a text."""
    return analyser.terms(analyser.split(text))


def build(index: TextIndex, documents: Iterator[Document]) -> None:
    """Each passage a document of its own, in commits of ``BATCH``, as for a corpus that is read file by file."""
    while batch := list(islice(documents, BATCH)):
        with index.update() as writer:
            for name, title, text in batch:
                writer.put(name, [Passage(name, name, title, text)], state="state")


def built_here(side: str, size: int, folder: str) -> dict[str, float]:
    """One of the two that are built in our own interpreter."""
    source = texts()
    documents = islice(chain([next(source)], source), size)  # what the texts are made of is read before the clock starts
    if side == OURS:
        return built(folder, lambda: build(TextIndex(folder), documents))
    return built(folder, lambda: Bare(folder).build(documents, BATCH))


def asked_here(side: str, folder: str, number: int) -> dict[str, Any]:
    """The same, opened by another process; the first question is part of opening."""
    asked = questions(number)
    begun = time.perf_counter()
    index: Any = TextIndex(folder) if side == OURS else Bare(folder)
    search = (lambda text: index.search(text, limit=10)) if side == OURS else index.search
    assert search(asked[0])
    opened = (time.perf_counter() - begun) * 1000
    return answered(lambda words: search(words[0]), [[text] for text in asked], opened)


def prepared(folder: str, size: int, number: int) -> dict[str, Any]:
    """The terms of all passages and questions in files, and the CPU seconds of making them."""
    begun = time.process_time()
    with Path(folder, "passages").open("w", encoding="utf-8") as file:
        file.writelines(terms(f"{title} {text}") + "\n" for _, title, text in islice(texts(), size))
    spent = time.process_time() - begun
    Path(folder, "questions").write_text("\n".join(map(terms, questions(number))), encoding="utf-8")
    return {"seconds": spent}


STEPS = {
    "build": lambda side, size, folder, _: built_here(side, size, folder),
    "ask": lambda side, _, folder, number: asked_here(side, folder, number),
    "terms": lambda _, size, folder, number: prepared(folder, size, number),
}
"""What one process does, by name: of a side, a size, a folder, and a number of questions."""


def command(step: str, side: str, size: int, folder: str, number: int = ASKED) -> list[str]:
    """The process that takes one step."""
    return [sys.executable, "-m", "benchmarks.scale", step, side, str(size), folder, str(number)]


def child(step: str, side: str, size: int, folder: str, number: int = ASKED) -> dict[str, Any]:
    """What it prints."""
    done = subprocess.run(command(step, side, size, folder, number), capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def engine(side: str, size: int, number: int = ASKED) -> dict[str, Any] | None:
    """Building and asking one engine; ``None`` for a peer that is not installed."""
    with tempfile.TemporaryDirectory() as folder:
        if side in {OURS, BARE}:
            return merged(child("build", side, size, folder), child("ask", side, size, folder, number))
        if _peers.interpreter(PEERS[side]) is None:
            return None
        spent = child("terms", side, size, folder, number)["seconds"]
        os.mkdir(given := os.path.join(folder, "index"))
        files = {"folder": given, "passages": f"{folder}/passages", "questions": f"{folder}/questions"}
        steps = [_peers.ask(PEERS[side], {"step": step, **files}, timeout=3600) for step in ("build", "ask")]
        steps[0]["build"] += spent
        return merged(*steps)


def merged(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Figures of building and of asking in one."""
    return {**first, "query": second["query"], "open": second["open"], "resting": second["memory"]}


def best(turns: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The least CPU of each, the most memory."""
    shortest = [min(each) for each in zip(*(turn["query"] for turn in turns), strict=True)]
    least = {name: min(turn[name] for turn in turns) for name in ("build", "open", "disk", "resting")}
    return {**least, "query": shortest, "memory": max(turn["memory"] for turn in turns)}


def figures(size: int, side: str, found: dict[str, Any]) -> Iterator[Row]:
    """One engine at one size."""
    start = f"{size:,} passages, {side}"
    yield Row(f"{start}: build, CPU", found["build"], "s")
    yield Row(f"{start}: query, CPU p50", percentile(found["query"], 0.5), "ms")
    yield Row(f"{start}: query, CPU p99", percentile(found["query"], 0.99), "ms")
    yield Row(f"{start}: opening", found["open"], "ms")
    yield Row(f"{start}: most memory while building", found["memory"], "MiB")
    yield Row(f"{start}: most memory of a process that asks", found["resting"], "MiB")
    yield Row(f"{start}: on disk", found["disk"], "MiB")


def ratios(size: int, here: dict[str, Any], plain: dict[str, Any]) -> Iterator[Row]:
    """Ours over bare tantivy."""
    build_ratio, query = here["build"] / plain["build"], sum(here["query"]) / sum(plain["query"])
    for name, value in (("build", build_ratio), ("query", query)):
        what = f"{size:,} passages: {name} over bare tantivy"
        yield most(what, value, "x", RATIO) if size >= PROOF else Row(what, value, "x")


def rows() -> Iterator[Found]:
    """Every engine at every size in turns, then how each grows."""
    curves: dict[str, list[dict[str, Any]]] = {}
    for size in SIZES:
        turns = [{side: found for side in (OURS, BARE, *PEERS) if (found := engine(side, size))} for _ in range(2)]
        for side in turns[0]:
            curves.setdefault(side, []).append(best([turn[side] for turn in turns]))
            yield from figures(size, side, curves[side][-1])
        yield from ratios(size, curves[OURS][-1], curves[BARE][-1])
    yield from (_peers.absent(program) for side, program in PEERS.items() if side not in curves)
    for side, curve in curves.items():
        yield growth(f"build, {side}", SIZES, [point["build"] for point in curve])
        yield growth(f"query, {side}", SIZES, [sum(point["query"]) for point in curve])


if __name__ == "__main__":
    step, side, size, folder, number = sys.argv[1:]
    print(json.dumps(STEPS[step](side, int(size), folder, int(number))))
