"""The semantic cache: what each guard is worth, what a look costs as it grows, eight processes at once, and GPTCache beside it.

``python -m benchmarks.cache --guards`` prints the table of the guards, ``--soak [SECONDS]`` runs eight processes for a minute,
three of them killed again and again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks import _peers, _size
from benchmarks._rows import Found, Row, growth, least, most
from benchmarks.engine import exact_hit
from encyclopedia.engine.guards.align import align
from encyclopedia.engine.guards.checks import GUARDS, same_words
from encyclopedia.engine.guards.question import read
from encyclopedia.engine.near import Limits, Nearness, digest
from encyclopedia.model.cached import CacheEntry
from encyclopedia.model.query import QueryType
from encyclopedia.model.settings import CacheSettings, EmbedderSettings
from encyclopedia.wiring.near import wording
from encyclopedia_adapters.embedding.minilm import Kind
from encyclopedia_adapters.storage.diskcache_answers import open_store
from encyclopedia_adapters.storage.near_index import open_index

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

PAIRS = Path(__file__).parents[1] / "tests" / "fixtures" / "cache_pairs"
SIZES = _size.sized((100, 1_000, 10_000, 100_000), (50, 100, 500, 1_000))
BESIDE = SIZES[2]
"""As many as GPTCache is asked among: its look-up grows with the number, and so do the minutes of filling it."""

SETTINGS = CacheSettings()
ASKED = ("how do I rotate the logs of service 77", "rotating the logs of service 77")


class Judged:
    """Every labelled pair with its cosine and the guards that forbid it."""

    def __init__(self, names: Sequence[str], embedder: Any) -> None:
        words = wording()
        rows = [json.loads(line) for name in names for line in (PAIRS / f"{name}.jsonl").read_text().splitlines()]
        sides = [[read(row[side], words) for row in rows] for side in "ab"]
        a, b = (embedder.embed([asked.text for asked in side]) for side in sides)
        self.same = [bool(row["dup"]) for row in rows]
        self.cosines = [float(x @ y) for x, y in zip(a, b, strict=True)]
        pairs = [align(x, y, words) for x, y in zip(*sides, strict=True)]
        self.words = [same_words(pair) for pair in pairs]
        self.refused = [{name for name, forbids in GUARDS.items() if forbids(pair)} for pair in pairs]

    def share(self, guards: Sequence[str], same: bool, *, words: bool = True) -> float:
        """Percent of the pairs of one label that these guards let through at the default thresholds."""
        chosen = set(guards)
        near = [
            c >= SETTINGS.threshold or (words and w and c >= SETTINGS.threshold_same_words)
            for c, w in zip(self.cosines, self.words, strict=True)
        ]
        let = [n and not (r & chosen) for n, r, s in zip(near, self.refused, self.same, strict=True) if s == same]
        return 100 * sum(let) / len(let)


def table(judged: Judged) -> list[str]:
    """A line for each set of guards: percent of paraphrases and of look-alikes served."""
    every = list(GUARDS)
    rules: list[tuple[str, list[str], bool]] = [("0.92 alone", [], False), ("0.92, or 0.80 and equal words", [], True)]
    rules += [(f"0.92 and {name}", [name], False) for name in every]
    rules += [(f"all but {name}", [other for other in every if other != name], True) for name in every]
    rules += [
        ("all but scope, words, names", every[:10], True),
        ("0.92 and all guards", every, False),
        ("all guards", every, True),
    ]
    lines = [f"{'rule':34} {'same':>7} {'look-alike':>11}"]
    for name, guards, words in rules:
        lines.append(
            f"{name:34} {judged.share(guards, True, words=words):7.1f} {judged.share(guards, False, words=words):11.1f}"
        )
    return lines


def grown(folder: str, size: int, embedder: Any) -> tuple[float, float, float]:
    """Milliseconds that the first look holds up, CPU of a later one and of a near hit with embedding, among so many."""
    import numpy as np

    store, index = open_store(folder, ttl=9e9, entries=2 * size), open_index(folder)
    key, text = "k" * 64, ASKED[0]
    store.put(CacheEntry(key, QueryType.LIBRARY_DOCS, text, "{}", time.time()))
    group = digest("g")
    index.add(group, key, text)
    fill(folder, group, size - 1, embedder)
    words = wording()
    near = Nearness(
        (index, None), lambda: embedder, lambda: words, Limits(SETTINGS.threshold, SETTINGS.threshold_same_words, list(GUARDS))
    )
    embedder.embed([text])
    begun = time.perf_counter()
    with suppress(LookupError):  # many are read aside, and the question is a miss until they are there
        assert [one.query for one in near.find("g", ASKED[1])] == [text]
    first = (time.perf_counter() - begun) * 1000
    settle(index, group)
    assert [one.query for one in near.find("g", ASKED[1])] == [text]
    settle(index, group)
    vector = embedder.embed([read(ASKED[1], words).text])[0]
    look = timed(lambda: index.nearest(group, embedder.fingerprint, vector, 8))
    whole = timed(lambda: near.find("g", ASKED[1]))
    assert np.isfinite(look)
    store.close()
    index.close()
    return first, look, whole


def fill(folder: str, group: str, count: int, embedder: Any) -> None:
    """Plant so many questions with vectors near to nothing, written as the index writes them."""
    import numpy as np

    from encyclopedia_adapters.storage.near_rows import NearRows, Row

    rows = NearRows(folder)
    rows.add(group, "nobody", "makes the tables")
    random = np.random.default_rng(0)
    with rows._write() as con:  # noqa: SLF001 - a hundred thousand answers would take minutes
        for start in range(0, count, 5000):
            made = random.standard_normal((min(5000, count - start), embedder.dimension)).astype("<f4")
            made /= np.linalg.norm(made, axis=1, keepdims=True)
            planted = [Row(f"{n:064x}", f"question {n}", embedder.fingerprint, v.tobytes()) for n, v in enumerate(made, start)]
            con.executemany(
                "INSERT INTO Near VALUES (?, ?, 1, ?, ?, ?, ?)",
                [(row.key, group, row.text, row.print, row.vector, row.checksum) for row in planted],
            )
        con.execute("UPDATE NearGroups SET entries = (SELECT count(*) FROM Near), generation = generation + 1")
    rows.close()


def settle(index: Any, group: str) -> None:
    """Wait until what is read aside is there, and the graph that is built of it."""
    if reading := index._reading.get(group):  # noqa: SLF001 - nothing else tells
        reading.join()
    building = getattr(index._groups[group]._vectors, "building", None)  # noqa: SLF001 - nothing else tells
    if building:
        building.join()


def timed(look: Callable[[], object], rounds: int = 30) -> float:
    """Milliseconds of CPU, the median of some rounds."""
    spent = []
    for _ in range(rounds):
        begun = time.process_time()
        look()
        spent.append((time.process_time() - begun) * 1000)
    return median(spent)


def soak(seconds: float) -> int:
    """Eight processes on one folder; three of them are killed and started again all the time. The number that saw a fault."""

    def start(folder: str, seed: int) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.adapters.storage.cache_soak", folder, str(seed), str(seconds)],
            stdout=subprocess.PIPE,
            text=True,
        )

    until, kills = time.monotonic() + seconds, 0
    with tempfile.TemporaryDirectory() as folder:
        steady = [start(folder, seed) for seed in range(5)]
        doomed = [start(folder, seed) for seed in range(5, 8)]
        while time.monotonic() < until:
            for place, process in enumerate(doomed):
                with suppress(subprocess.TimeoutExpired):
                    process.wait(0.7)
                process.kill()
                process.communicate()
                kills += 1
                doomed[place] = start(folder, 100 + kills)
        for process in doomed:
            process.kill()
            process.communicate()
        told = [json.loads(process.communicate()[0]) for process in steady]
    print(f"{kills} kills", *told, sep="\n")
    return sum(bool(one["wrong"] or one["problem"]) for one in told)


def pairs(embedder: Any) -> Iterator[Row]:
    """What the labelled pairs show: the given ones, those that were looked at, and those that were kept aside."""
    whole = (("given", "given", 0), ("seen", "seen", 1), ("kept aside", "kept", 1))
    for name, file, bar in _size.sized(whole, whole[:1]):
        judged = Judged((file,), embedder)
        yield least(f"paraphrases served, pairs {name}", judged.share(list(GUARDS), True), "%", 85)
        yield most(f"look-alikes served, pairs {name}", judged.share(list(GUARDS), False), "%", bar)


def rows() -> Iterator[Found]:
    """Each figure with its bar."""
    looks = []
    with tempfile.TemporaryDirectory() as home:
        embedder = Kind().open(EmbedderSettings(), home)
        yield from pairs(embedder)
        yield most("exact hit, 50 results, CPU", exact_hit(os.path.join(home, "exact"))[0], "ms", 1)
        for size in SIZES:
            first, look, whole = grown(os.path.join(home, str(size)), size, embedder)
            looks.append(look)
            yield Row(f"near, {size:,} questions: what the first look holds up", first, "ms")
            yield Row(f"near, {size:,} questions: look-up alone, CPU", look, "ms")
            yield most(f"near, {size:,} questions: hit with embedding, CPU", whole, "ms", 20)
            if size <= BESIDE:
                yield from beside(size, look)
    yield growth("near look-up", SIZES[:3], looks[:3], 1.0)
    yield growth("near look-up, compared with all, then a graph", SIZES[2:], looks[2:], 0.7)


def beside(size: int, look: float) -> Iterator[Found]:
    """GPTCache's hit among as many."""
    spent = _peers.ask("gptcache_hits", {"size": size, "rounds": 30})
    if spent is None:
        yield _peers.absent("gptcache_hits")
        return
    theirs, name = median(spent), f"GPTCache's hit / our look-up, {size:,}"
    yield Row(f"GPTCache, {size:,} questions: hit, its embedding left out, CPU", theirs, "ms")
    yield least(name, theirs / look, "x", 10) if size == BESIDE else Row(name, theirs / look, "x")


if __name__ == "__main__":
    if "--soak" in sys.argv:
        sys.exit(soak(float(next(iter(sys.argv[2:]), 60))))
    if "--guards" in sys.argv:
        with tempfile.TemporaryDirectory() as place:
            model = Kind().open(EmbedderSettings(), place)
            for names in (("given",), ("seen", "kept")):
                print(f"pairs: {', '.join(names)}", *table(Judged(names, model)), "", sep="\n")
