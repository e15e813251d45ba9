"""A million passages: building, memory, disk, and queries while it is built and afterwards, beside bare tantivy.

Only run if it is named, since it takes half an hour. Vectors come from a stand-in that makes them of a number, since a model
would need days for them: what is measured is what keeping and searching them costs.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any

from benchmarks._rows import Found, Row, most, percentile
from benchmarks._size import sized
from benchmarks.peers.indexing import answered, disk, peak
from benchmarks.scale import BARE, OURS, child, command, engine, figures, merged, questions, ratios
from encyclopedia_adapters.shared.text_index import TextIndex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SIZE, ASKED, PAUSE = sized((1_000_000, 100, 0.2), (10_000, 5, 0.01))
MEMORY = 1024.0
START = f"{SIZE:,} passages"


def meanwhile(folder: str, building: subprocess.Popen[str]) -> list[float]:
    """Milliseconds of each search in an index that another process is building, from its first commit on."""
    asked, index, spent = questions(ASKED), TextIndex(folder), []
    while building.poll() is None:
        text = asked[len(spent) % len(asked)]
        begun = time.perf_counter()
        found = index.search(text, limit=10)
        ended = time.perf_counter()
        if spent or found:
            assert found, f"nothing found during indexing, {index.problem or 'and no problem told'}"
            spent.append((ended - begun) * 1000)
        time.sleep(PAUSE)
    return spent


def ours(folder: str) -> tuple[dict[str, Any], list[float], float]:
    """Figures of ours, milliseconds of each search while it was built, and the seconds that building took."""
    begun = time.perf_counter()
    with subprocess.Popen(command("build", OURS, SIZE, folder), stdout=subprocess.PIPE, text=True) as building:
        spent = meanwhile(folder, building)
        seconds = time.perf_counter() - begun
        told, _ = building.communicate()
    return merged(json.loads(told), child("ask", OURS, SIZE, folder, ASKED)), spent, seconds


def rows() -> Iterator[Found]:
    """Ours, bare tantivy, the two beside each other, and vectors."""
    with tempfile.TemporaryDirectory() as folder:
        here, spent, seconds = ours(folder)
        yield from figures(SIZE, OURS, here)
        yield most(f"{START}: most memory while building", here["memory"], "MiB", MEMORY)
        yield Row(f"{START}: building, from start to end", seconds, "s")
        yield Row(f"{START}: searches while it was built", len(spent), note="each found something")
        yield Row(f"{START}: a search while it was built, p50", percentile(spent, 0.5), "ms")
        yield Row(f"{START}: a search while it was built, p99", percentile(spent, 0.99), "ms")
        done = subprocess.run([sys.executable, "-m", __name__, folder], stdout=subprocess.PIPE, text=True, check=True)
        yield from (most(*row) if len(row) == 4 else Row(*row) for row in json.loads(done.stdout))
    if plain := engine(BARE, SIZE, ASKED):
        yield from figures(SIZE, BARE, plain)
        yield from ratios(SIZE, here, plain)


class StandIn:
    """Vectors made of the hash of a text: they mean nothing, and cost nothing."""

    fingerprint, dimension = "stand-in", 384

    def embed(self, texts: Sequence[str]) -> Any:
        """Rows of length 1."""
        import numpy as np

        made = np.stack([np.random.default_rng(abs(hash(text))).standard_normal(384, np.float32) for text in texts])
        return made / np.linalg.norm(made, axis=1, keepdims=True)


def vectors(folder: str) -> list[tuple[Any, ...]]:
    """What keeping and searching a vector for each passage costs; run in a process of its own."""
    index, embedder, asked = TextIndex(folder), StandIn(), questions(ASKED)
    started = time.process_time()
    index.fill(embedder, lambda _label, _done, _total: None)
    filled, memory = time.process_time() - started, peak()
    begun = time.perf_counter()
    assert TextIndex(folder).search(asked[0], limit=10, embedder=embedder)
    opened = (time.perf_counter() - begun) * 1000
    told = answered(lambda words: index.search(words[0], limit=10, embedder=embedder), [[text] for text in asked], opened)
    return [
        (f"{START}, vectors: keeping and listing them, CPU", filled, "s"),
        (f"{START}, vectors: most memory while filling", memory, "MiB", MEMORY),
        (f"{START}, vectors: index and vectors on disk", disk(folder), "MiB"),
        (f"{START}, vectors: opening and one query by words and meaning", opened, "ms"),
        (f"{START}, vectors: query by words and meaning, CPU p50", percentile(told["query"], 0.5), "ms"),
        (f"{START}, vectors: query by words and meaning, CPU p99", percentile(told["query"], 0.99), "ms"),
    ]


if __name__ == "__main__":
    print(json.dumps(vectors(sys.argv[1])))
