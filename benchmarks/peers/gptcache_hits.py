"""GPTCache's hit among so many questions, on SQLite and a flat faiss index; its embedding costs nothing here."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from typing import Any

import numpy as np
from gptcache import Cache
from gptcache.adapter.api import get
from gptcache.manager import CacheBase, VectorBase, get_data_manager
from gptcache.processor.pre import get_prompt
from gptcache.similarity_evaluation.distance import SearchDistanceEvaluation

BATCH = 1000


def main() -> None:
    given = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(hits(given["size"], given["rounds"], folder)))


def hits(size: int, rounds: int, folder: str) -> list[float]:
    """CPU milliseconds of each of some hits."""
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
    fill(manager, rows, size)
    spent = []
    for n in range(rounds):
        begun = time.process_time()
        answer = get(f"question {n * 7 % size}", cache_obj=cache)
        spent.append((time.process_time() - begun) * 1000)
        if answer != "{}":
            raise RuntimeError("it does not find what was stored")
    return spent


def fill(manager: Any, rows: Any, size: int) -> None:
    """Store the questions with their vectors."""
    for start in range(0, size, BATCH):
        numbers = range(start, min(start + BATCH, size))
        manager.import_data(
            questions=[f"question {n}" for n in numbers],
            answers=["{}"] * len(numbers),
            embedding_datas=[rows[n] for n in numbers],
            session_ids=[None] * len(numbers),
        )


if __name__ == "__main__":
    main()
