"""The nearest vectors to a question: all are compared while they are few, the likely ones when they are many."""

from __future__ import annotations

import math
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.shared.private_files import private_file
from encyclopedia_adapters.shared.text_index import vector_files
from encyclopedia_adapters.shared.threads import one_thread

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from encyclopedia.ports import Embedder
    from encyclopedia_adapters.shared.text_index.vector_files import Rows

FLAT = 20_000
"""Vectors up to which comparing with every one of them is as fast as anything else."""

PROBES = 64
"""Lists that are looked into: finds 98 of the 100 nearest of 100,000 and of a million."""


class Vectors:
    """The vectors of the index in ``folder``, with the inverted lists over the oldest of them if there are any."""

    def __init__(self, folder: str, rows: Rows) -> None:
        self._rows = rows
        self._lists: Any
        self._listed, self._lists = _open_lists(folder, rows) if len(rows.keys) > FLAT else (0, None)
        self._order: NDArray[np.intp] | None = None

    def __len__(self) -> int:
        return len(self._rows.keys)

    def nearest(self, vector: NDArray[np.float32], among: Sequence[int] | None = None) -> Iterator[list[int]]:
        """Keys by falling nearness, in growing batches until all were given; only those ``among`` if it is given.

        The nearest come first; without comparing all of them, some of the far ones may be missing.
        """
        import numpy as np

        chosen = None if among is None else self._at(among)
        size = len(self) if chosen is None else len(chosen)
        count = 128
        given = 0
        while given < size:
            pool = self._pool(vector, count, chosen)
            best = np.argsort(-self._cosines(vector, pool), kind="stable")[:count]
            found = best if pool is None else pool[best]
            if len(found) <= given:
                return
            yield self._rows.keys[found[given:]].tolist()
            given, count = len(found), count * 8

    def cosines(self, vector: NDArray[np.float32], keys: Sequence[int]) -> dict[int, float]:
        """The nearness of those keys that have a sound vector."""
        at = self._at(keys)
        values = self._cosines(vector, at).tolist()
        names = self._rows.keys[at].tolist()
        return {name: value for name, value, row in zip(names, values, at, strict=True) if self._rows.sound(int(row))}

    def known(self, keys: Sequence[int]) -> int:
        """How many of the keys have a vector."""
        return len(self._at(keys))

    def _at(self, keys: Sequence[int]) -> NDArray[np.intp]:
        """The rows of those keys that have one."""
        import numpy as np

        if self._order is None:
            self._order = np.argsort(self._rows.keys, kind="stable")
        wanted = np.unique(np.asarray(keys, np.uint64))
        if not len(self) or not len(wanted):
            return np.empty(0, np.intp)
        places = np.minimum(np.searchsorted(self._rows.keys, wanted, sorter=self._order), len(self) - 1)
        at: NDArray[np.intp] = self._order[places]
        return np.sort(at[self._rows.keys[at] == wanted])

    def _pool(self, vector: NDArray[np.float32], count: int, chosen: NDArray[np.intp] | None) -> NDArray[np.intp] | None:
        """Rows among which the nearest are; ``None`` is all."""
        import numpy as np

        if self._lists is None or count >= len(self) or (chosen is not None and len(chosen) <= FLAT):
            return chosen
        rest = np.arange(self._listed, len(self)) if chosen is None else chosen[chosen >= self._listed]
        return np.concatenate((self._probed(vector, count, chosen), rest))

    def _probed(self, vector: NDArray[np.float32], count: int, chosen: NDArray[np.intp] | None) -> NDArray[np.intp]:
        import faiss

        engine: Any = faiss  # its stubs do not know the options of a search
        lists = self._lists
        share = 1.0 if chosen is None else len(chosen) / len(self)
        selector = engine.IDSelectorAll() if chosen is None else engine.IDSelectorBatch(chosen[chosen < self._listed])
        options = engine.SearchParametersIVF(sel=selector, nprobe=min(lists.nlist, math.ceil(PROBES / share)))
        found: NDArray[np.intp] = lists.search(vector.reshape(1, -1), count, params=options)[1][0]
        return found[found >= 0]

    def _cosines(self, vector: NDArray[np.float32], pool: NDArray[np.intp] | None) -> NDArray[np.float32]:
        import numpy as np

        rows, step = self._rows.rows, vector_files.BLOCK
        with one_thread():
            if pool is None:
                return np.asarray(rows @ vector)
            return np.concatenate([rows[pool[at : at + step]] @ vector for at in range(0, len(pool), step)] or [vector[:0]])


class OpenVectors:
    """The vectors of the index in ``folder``, opened when they are asked for and have changed."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._seen: tuple[object, Vectors | None] = (None, None)

    def of(self, embedder: Embedder) -> Vectors | None:
        """Those that ``embedder`` has made, if there are any that can be used."""
        stamp = vector_files.stamp(self._folder)
        if stamp is None:
            return None
        seen, vectors = self._seen
        if seen != (stamp, embedder.fingerprint):
            rows = vector_files.load(self._folder, embedder)
            vectors = Vectors(self._folder, rows) if rows and len(rows.keys) else None
            self._seen = ((stamp, embedder.fingerprint), vectors)
        return vectors

    def problem(self, embedder: Embedder) -> str:
        """Why the vectors that are there cannot be used; empty if they can, or if there are none."""
        problem = vector_files.mismatch(self._folder, embedder)
        if not problem and vector_files.stamp(self._folder) and vector_files.load(self._folder, embedder) is None:
            return "the vectors are damaged"
        return problem


def list_rows(folder: str, rows: Rows) -> None:
    """Write inverted lists over all rows when those that are not in any are many.

    They hold a byte for each number, as whatever they find is compared with the rows themselves afterwards. Rows are read a
    block at a time, not through the map, so that a million of them take less than a gigabyte.
    """
    listed, _ = _newest(vector_files.place(folder), rows)
    if len(rows.keys) - listed <= FLAT:
        return
    import faiss

    count, dimension = rows.rows.shape
    quantiser, bytewise = faiss.IndexFlatIP(dimension), faiss.ScalarQuantizer.QT_8bit
    number = int(4 * math.sqrt(count))
    lists = faiss.IndexIVFScalarQuantizer(quantiser, dimension, number, bytewise, faiss.METRIC_INNER_PRODUCT)
    lists.train(_sample(folder, rows, 40 * number))
    for block in vector_files.blocks(folder, rows):
        lists.add(block)
    path = os.path.join(vector_files.place(folder), f"lists-{rows.born}-{count}")
    os.close(private_file(f"{path}.tmp"))  # made by us, so that it is nobody else's
    faiss.write_index(lists, f"{path}.tmp")
    os.replace(f"{path}.tmp", path)
    for name in os.listdir(vector_files.place(folder)):
        if name.startswith("lists-") and name != os.path.basename(path):
            with suppress(FileNotFoundError):
                os.remove(os.path.join(vector_files.place(folder), name))


def _sample(folder: str, rows: Rows, most: int) -> NDArray[np.float32]:
    """At most so many rows, each as likely as any other."""
    import numpy as np

    count = len(rows.keys)
    chosen = np.sort(np.random.default_rng(0).choice(count, min(count, most), replace=False))
    found, at = np.empty((len(chosen), rows.rows.shape[1]), np.float32), 0
    for place, block in enumerate(vector_files.blocks(folder, rows)):
        start = place * vector_files.BLOCK
        here = chosen[(chosen >= start) & (chosen < start + len(block))] - start
        found[at : at + len(here)] = block[here]
        at += len(here)
    return found


def _newest(path: str, rows: Rows) -> tuple[int, str]:
    """How many rows the best lists hold, and where they are."""
    start = f"lists-{rows.born}-"
    sizes = [int(name[len(start) :]) for name in os.listdir(path) if name.startswith(start) and name[len(start) :].isdecimal()]
    listed = max((size for size in sizes if size <= len(rows.keys)), default=0)
    return listed, os.path.join(path, f"{start}{listed}")


def _open_lists(folder: str, rows: Rows) -> tuple[int, Any]:
    import faiss

    listed, path = _newest(vector_files.place(folder), rows)
    if not listed:
        return 0, None
    faiss.omp_set_num_threads(1)  # two that wait for each other cost more on a busy machine
    with suppress(RuntimeError, OSError):  # what faiss cannot read is as if it were not there
        lists = faiss.read_index(path, faiss.IO_FLAG_MMAP)
        if lists.ntotal == listed and lists.d == rows.rows.shape[1]:
            return listed, lists
    return 0, None
