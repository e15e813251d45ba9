"""One process of several that get, set, look near, clear and are killed: ``python -m tests.adapters.storage.cache_soak``.

Arguments: folder, seed, seconds. Prints one line of JSON at the end: how often it did what, and what was wrong.
"""

from __future__ import annotations

import json
import random
import sys
import time
import traceback

import numpy as np

from encyclopedia.model.cached import CacheEntry
from encyclopedia.model.query import QueryType
from encyclopedia_adapters.storage.diskcache_answers import open_store
from encyclopedia_adapters.storage.near_index import open_index

TTL = 0.6
D = 32
KEYS = 60


def body(key: str, at: float) -> str:
    """A text that tells its key and time in each of its parts, so that a torn one is seen."""
    return f"{key} {at!r};" * 200


def vectors(texts: list[str]) -> np.ndarray:
    """A vector for each text, the same in every process."""
    rows = np.stack([np.random.default_rng(sum(map(ord, text)) * 7919).standard_normal(D) for text in texts]).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def soak(folder: str, seed: int, seconds: float) -> dict[str, object]:
    """Mixed work until the time is up; every exception but a lock that is held, and every wrong answer, is counted."""
    rng, until = random.Random(seed), time.monotonic() + seconds
    store, index = open_store(folder, ttl=TTL, entries=40), open_index(folder)
    done: dict[str, int] = {"get": 0, "hit": 0, "put": 0, "near": 0, "clear": 0, "busy": 0}
    wrong: list[str] = []

    def get(key: str) -> None:
        before = time.time()
        entry = store.get(key)
        done["get"] += 1
        if entry:
            done["hit"] += 1
            if before - entry.stored_at >= TTL:
                wrong.append(f"{key} is {before - entry.stored_at:.3f} s old")
            if entry.body != body(key, entry.stored_at):
                wrong.append(f"{key} is torn")

    def put(key: str) -> None:
        at = time.time()
        store.put(CacheEntry(key, rng.choice(list(QueryType)), key, body(key, at), at))
        index.add("g", key, f"text {key}")
        done["put"] += 1

    def near(key: str) -> None:
        found = index.pending("g", "mark", D, 20)
        if found:
            index.fill("g", "mark", found, vectors([text for _, text in found]))
        for question in index.nearest("g", "mark", vectors([f"text {key}"])[0], 3):
            if question.text != f"text {question.key}":
                wrong.append(f"{question.key} stands beside {question.text}")
            get(question.key)
        done["near"] += 1

    def clear(_key: str) -> None:
        if rng.random() < 0.05:
            store.clear(rng.choice([None, *QueryType]))
            done["clear"] += 1

    while time.monotonic() < until:
        key = f"key{rng.randrange(KEYS)}"
        try:
            rng.choice([get, get, get, put, put, near, clear])(key)
        except Exception as error:
            if "locked" in str(error) or type(error).__name__ == "Timeout":
                done["busy"] += 1
            else:
                wrong.append(traceback.format_exc())
    store.close()
    index.close()
    return {"done": done, "wrong": wrong[:5], "problem": store.problem}


if __name__ == "__main__":
    print(json.dumps(soak(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))), flush=True)
