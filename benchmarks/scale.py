"""What the text index costs with 100,000 passages, and with a million, beside bare tantivy that is fed the same terms.

``python -m benchmarks.scale [--million]``. Each side runs in a process of its own, so that its memory is its own.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from itertools import islice
from typing import TYPE_CHECKING

from benchmarks.lexical import RATIO, Bare
from encyclopedia_adapters.shared.text_index import Passage, TextIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Row = tuple[str, float, str, str, bool]
BATCH = 20_000
MEMORY, OPEN, ADD = 1024.0, 30.0, 1.0


def texts() -> Iterator[tuple[str, str, str]]:
    """Passages of 40 words with the frequencies of a language (Zipf), each with a name of its own, without end."""
    rng = random.Random(7)
    words = [f"{rng.choice('bcdfgklmnprst')}{rng.choice('aeiou')}word{at}" for at in range(50_000)]
    weights = [1 / (rank + 10) for rank in range(len(words))]
    pool = [" ".join(rng.choices(words, weights, k=40)) for _ in range(10_000)]
    at = 0
    while True:
        text = pool[at % len(pool)]
        yield str(at), f"{text[:40]} {at}", f"{text} {pool[(at * 7919) % len(pool)][:60]} item{at}"
        at += 1


def questions() -> list[str]:
    """300 questions of six words of those texts."""
    rng = random.Random(8)
    return [" ".join(rng.sample(text.split(), 6)) for _, _, text in islice(texts(), 300)]


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds, with those of the engine's threads."""
    started = time.process_time()
    work()
    return time.process_time() - started


def build_ours(index: TextIndex, documents: Iterator[tuple[str, str, str]]) -> None:
    """Each passage a document of its own, in commits of 20,000, as for a corpus that is read file by file."""
    while batch := list(islice(documents, BATCH)):
        with index.update() as writer:
            for name, title, text in batch:
                writer.put(name, [Passage(name, name, title, text)], state="state")


def ours(folder: str, count: int) -> dict[str, float]:
    index = TextIndex(folder)
    documents = texts()
    found = {"build": cpu(lambda: build_ours(index, islice(documents, count)))}
    index.count()
    asked = questions()
    found["query"] = min(cpu(lambda: [index.search(text, limit=10) for text in asked]) for _ in range(3)) / len(asked) * 1000
    found["open"] = min(_open(folder) for _ in range(3))
    found["add"] = cpu(lambda: build_ours(index, islice(documents, 1000)))
    return found


def _open(folder: str) -> float:
    started = time.perf_counter()
    assert TextIndex(folder).search("wordless item7", limit=1)
    return (time.perf_counter() - started) * 1000


def bare(folder: str, count: int) -> dict[str, float]:
    index = Bare(folder)
    documents = texts()
    found = {"build": cpu(lambda: index.build(islice(documents, count), BATCH))}
    asked = questions()
    found["query"] = min(cpu(lambda: [index.search(text) for text in asked]) for _ in range(3)) / len(asked) * 1000
    return found


def child(side: str, count: int) -> dict[str, float]:
    """The figures of one side, taken in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.scale", side, str(count)], capture_output=True, text=True, check=True
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def compared(count: int) -> list[Row]:
    """Ours beside the bare one, the better of two turns each."""
    turns = [(child("ours", count), child("bare", count)) for _ in range(2 if count < 10**6 else 1)]
    here, plain = ({name: min(turn[side][name] for turn in turns) for name in turns[0][side]} for side in (0, 1))
    here["memory"] = max(turn[0]["memory"] for turn in turns)
    build, query = here["build"] / plain["build"], here["query"] / plain["query"]
    start, small = f"scale: {count:,} passages", count <= 10**5
    return [
        (f"{start}, build", here["build"], "s", "-", True),
        (f"{start}, build over bare tantivy", build, "x", f"<= {RATIO}", build <= RATIO),
        (f"{start}, query", here["query"], "ms", "-", True),
        (f"{start}, query over bare tantivy", query, "x", f"<= {RATIO}", query <= RATIO),
        (f"{start}, most memory", here["memory"], "MB", f"<= {MEMORY:g}", here["memory"] <= MEMORY),
        (f"{start}, opening and one query", here["open"], "ms", f"<= {OPEN:g}", here["open"] <= OPEN),
        (f"{start}, adding 1,000", here["add"], "s", f"<= {ADD:g}" if small else "-", not small or here["add"] <= ADD),
    ]


def rows() -> list[Row]:
    """Name, value, unit, bar, whether it is kept."""
    counts = [100_000]
    if "--million" in sys.argv or os.environ.get("ENCYCLOPEDIA_BENCH_MILLION"):
        counts.append(10**6)
    return [row for count in counts for row in compared(count)]


def main() -> None:
    if sys.argv[1:2] and sys.argv[1] in {"ours", "bare"}:
        with tempfile.TemporaryDirectory() as folder:
            found = (ours if sys.argv[1] == "ours" else bare)(folder, int(sys.argv[2]))
        found["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps(found))
        return
    for name, value, unit, bar, kept in rows():
        print(f"{name:<58} {value:9.3f} {unit:<3} bar {bar:<8} {'ok' if kept else 'MISSED'}")


if __name__ == "__main__":
    main()
