"""The index of bm25s over terms that were made beforehand, saved, and opened memory-mapped."""

from __future__ import annotations

import json
import time

import bm25s
import numpy as np
from bm25s.tokenization import Tokenized
from indexing import answered, asked, built, lines


def main() -> None:
    given = asked()
    folder = given["folder"]
    if given["step"] == "build":

        def build() -> None:
            numbers: dict[str, int] = {}
            ids = [[numbers.setdefault(term, len(numbers)) for term in terms] for terms in lines(given["passages"])]
            index = bm25s.BM25(method="lucene")
            index.index(Tokenized(ids=ids, vocab=numbers), show_progress=False)
            index.save(folder)

        print(json.dumps(built(folder, build)))
        return
    questions = list(lines(given["questions"]))
    started = time.perf_counter()
    index = bm25s.BM25.load(folder, mmap=True)
    opened = (time.perf_counter() - started) * 1000

    def search(terms: list[str]) -> object:
        return index.retrieve([terms], k=10, show_progress=False, n_threads=0)

    found = search(questions[0])
    if not np.asarray(found[1]).any():
        raise RuntimeError("it finds nothing")
    print(json.dumps(answered(search, questions, opened)))


if __name__ == "__main__":
    main()
