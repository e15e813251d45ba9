"""The semantic cache: what each guard is worth, what a look costs as it grows, eight processes at once, and GPTCache beside it.

``python -m benchmarks.cache --guards`` prints the table of the guards, ``--soak [SECONDS]`` runs eight processes for a minute,
three of them killed again and again; without either the rows of ``python -m benchmarks`` are printed. GPTCache is asked in the
environment that ``GPTCACHE_PYTHON`` names, since it installs packages by itself.
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
    from collections.abc import Callable, Sequence

Row = tuple[str, float, str, str | None, bool]
PAIRS = Path(__file__).parents[1] / "tests" / "fixtures" / "cache_pairs"
SIZES = (500, 10_000, 100_000)
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
    """Milliseconds that the first look holds up, of a later one, of a near hit with embedding, among ``size`` questions."""
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
    """Milliseconds, the median of some rounds."""
    spent = []
    for _ in range(rounds):
        begun = time.perf_counter()
        look()
        spent.append((time.perf_counter() - begun) * 1000)
    return median(spent)


PEER = """
import json, sys, time
import numpy as np
from statistics import median
from gptcache import Cache
from gptcache.adapter.api import get, put
from gptcache.manager import CacheBase, VectorBase, get_data_manager
from gptcache.processor.pre import get_prompt
from gptcache.similarity_evaluation.distance import SearchDistanceEvaluation
size, folder = int(sys.argv[1]), sys.argv[2]
rows = np.random.default_rng(0).standard_normal((size, 384)).astype("float32")
rows /= np.linalg.norm(rows, axis=1, keepdims=True)
place = {f"question {n}": n for n in range(size)}
manager = get_data_manager(
    CacheBase("sqlite", sql_url=f"sqlite:///{folder}/s.db"),
    VectorBase("faiss", dimension=384, index_path=f"{folder}/f.index"),
    max_size=size * 2,
)
cache = Cache()
cache.init(
    pre_embedding_func=get_prompt,
    embedding_func=lambda text, **_: rows[place[text]],
    data_manager=manager,
    similarity_evaluation=SearchDistanceEvaluation(),
)
for start in range(0, size, 1000):
    names = [f"question {n}" for n in range(start, min(start + 1000, size))]
    manager.import_data(
        questions=names,
        answers=["{}"] * len(names),
        embedding_datas=[rows[place[name]] for name in names],
        session_ids=[None] * len(names),
    )
spent = []
for n in range(30):
    begun = time.perf_counter()
    assert get(f"question {n * 7}", cache_obj=cache) == "{}"
    spent.append((time.perf_counter() - begun) * 1000)
print(json.dumps(median(spent)))
"""


def peer(size: int) -> float | None:
    """Milliseconds of a hit of GPTCache among ``size`` questions, its embedding left out; ``None`` without it."""
    python = os.environ.get("GPTCACHE_PYTHON")
    if not python:
        return None
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([python, "-c", PEER, str(size), folder], capture_output=True, text=True, check=False, timeout=600)
    if done.returncode:
        print(done.stderr[-500:], file=sys.stderr)
        return None
    return float(json.loads(done.stdout.splitlines()[-1]))


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


def rows() -> list[Row]:
    """Each figure with its bar."""
    found: list[Row] = []
    with tempfile.TemporaryDirectory() as home:
        embedder = Kind().open(EmbedderSettings(), home)
        judged = Judged(("given",), embedder), Judged(("seen",), embedder), Judged(("kept",), embedder)
        for name, one in zip(("given", "seen", "kept aside"), judged, strict=True):
            same, other = one.share(list(GUARDS), True), one.share(list(GUARDS), False)
            found += [
                (f"paraphrases served, pairs {name}", same, "%", ">= 85", same >= 85),
                (f"look-alikes served, pairs {name}", other, "%", "<= 1", other <= 1),
            ]
        hit = exact_hit(os.path.join(home, "exact"))[0]
        found.append(("exact hit, 50 results", hit, "ms", "<= 1", hit <= 1))
        for size in SIZES:
            first, look, whole = grown(os.path.join(home, str(size)), size, embedder)
            found.append((f"near, {size:,} questions: what the first look holds up", first, "ms", None, True))
            found.append((f"near, {size:,} questions: look-up alone", look, "ms", None, True))
            found.append((f"near, {size:,} questions: hit with embedding", whole, "ms", "<= 20", whole <= 20))
            theirs = peer(size) if size <= 10_000 else None
            if theirs is not None:
                good = theirs / look >= 10 if size == 10_000 else True
                found.append(
                    (f"GPTCache's hit / our look-up, {size:,}", theirs / look, "x", ">= 10" if size == 10_000 else None, good)
                )
    return found


if __name__ == "__main__":
    if "--soak" in sys.argv:
        sys.exit(soak(float(next(iter(sys.argv[2:]), 60))))
    if "--guards" in sys.argv:
        with tempfile.TemporaryDirectory() as place:
            model = Kind().open(EmbedderSettings(), place)
            for names in (("given",), ("seen", "kept")):
                print(f"pairs: {', '.join(names)}", *table(Judged(names, model)), "", sep="\n")
    else:
        for what, value, unit, bar, good in rows():
            print(f"{what:58} {value:8.3f} {unit:3} {bar or '':>6} {'ok' if good else 'MISSED'}")
