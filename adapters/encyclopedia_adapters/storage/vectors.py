"""Vectors by number in memory, and the nearest of them to another: flat at first, a graph where scanning no longer pays."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PAYS = 30_000
"""Vectors from which on a graph is worth the time that it takes to build."""
STALE = 0.25
"""The part of a graph that may be of vectors no longer there before it is built anew."""


class Nearest(Protocol):
    """Vectors of length 1 by number."""

    def __len__(self) -> int:
        """How many there are."""
        ...

    def put(self, numbers: Sequence[int], rows: Any) -> None:
        """Add vectors under numbers that are not taken."""
        ...

    def remove(self, numbers: Iterable[int]) -> None:
        """Remove those that are there."""
        ...

    def search(self, vector: Any, most: int) -> list[tuple[int, float]]:
        """The nearest numbers with their cosine, best first."""
        ...


def vectors(dimension: int) -> Nearest:
    """An empty collection: on faiss, or on numpy alone where faiss is not installed."""
    from importlib.util import find_spec

    return FaissVectors(dimension) if find_spec("faiss") else NumpyVectors(dimension)


class NumpyVectors:
    """One array that grows; scanned whole."""

    def __init__(self, dimension: int) -> None:
        import numpy as np

        self._rows = np.empty((64, dimension), np.float32)
        self._numbers: list[int] = []
        self._places: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def put(self, numbers: Sequence[int], rows: Any) -> None:
        """Add vectors under numbers that are not taken."""
        import numpy as np

        start, end = len(self), len(self) + len(numbers)
        if end > len(self._rows):
            grown = np.empty((max(end, 2 * len(self._rows)), self._rows.shape[1]), np.float32)
            grown[:start] = self._rows[:start]
            self._rows = grown
        self._rows[start:end] = rows
        self._numbers += numbers
        self._places |= {number: start + at for at, number in enumerate(numbers)}

    def remove(self, numbers: Iterable[int]) -> None:
        """Remove those that are there; the last takes the place of each."""
        for number in numbers:
            place = self._places.pop(number, None)
            if place is None:
                continue
            last = self._numbers.pop()
            if last != number:
                self._rows[place] = self._rows[len(self._numbers)]
                self._numbers[place], self._places[last] = last, place

    def search(self, vector: Any, most: int) -> list[tuple[int, float]]:
        """The nearest numbers with their cosine, best first."""
        import numpy as np

        if not self._numbers:
            return []
        scores = self._rows[: len(self)] @ vector
        best = np.argpartition(scores, -most)[-most:] if len(scores) > most else np.arange(len(scores))
        return sorted(((self._numbers[at], float(scores[at])) for at in best), key=lambda pair: (-pair[1], pair[0]))


class FaissVectors:
    """A flat index, and beside it, once there are many, a graph that a thread has built."""

    def __init__(self, dimension: int, pays: int = PAYS) -> None:
        import faiss

        faiss.omp_set_num_threads(1)
        self._faiss, self._dimension, self._pays = faiss, dimension, pays
        self._flat: Any = faiss.IndexIDMap2(faiss.IndexFlatIP(dimension))
        self._graph: Any = None
        self._gone: set[int] = set()
        self._late: list[int] = []
        self._lock = threading.Lock()
        self.building: threading.Thread | None = None

    def __len__(self) -> int:
        return int(self._flat.ntotal)

    def put(self, numbers: Sequence[int], rows: Any) -> None:
        """Add vectors under numbers that are not taken."""
        import numpy as np

        ids = np.asarray(numbers, np.int64)
        with self._lock:
            self._flat.add_with_ids(rows, ids)
            if self._graph is not None:
                self._graph.add_with_ids(rows, ids)
            elif self.building:
                self._late += numbers
        if len(self) >= self._pays and self._graph is None and self.building is None:
            self._build()

    def remove(self, numbers: Iterable[int]) -> None:
        """Remove those that are there: a graph keeps them and they are passed over, until it is built anew."""
        import numpy as np

        gone = list(numbers)
        with self._lock:
            self._flat.remove_ids(np.asarray(gone, np.int64))
            if self._graph is not None or self.building:
                self._gone.update(gone)
        if self._graph is not None and len(self._gone) > STALE * max(len(self), 1) and self.building is None:
            self._build()

    def search(self, vector: Any, most: int) -> list[tuple[int, float]]:
        """The nearest numbers with their cosine, best first."""
        with self._lock:
            if not len(self):
                return []
            index = self._flat if self._graph is None else self._graph
            wanted = min(most if self._graph is None else most * 2, int(index.ntotal))
            scores, ids = index.search(vector.reshape(1, -1), wanted)
            pairs = zip(ids[0].tolist(), scores[0].tolist(), strict=True)
            return [(number, score) for number, score in pairs if number >= 0 and number not in self._gone][:most]

    def _build(self) -> None:
        with self._lock:
            count = len(self)
            ids = self._faiss.vector_to_array(self._flat.id_map).copy()
            rows = self._flat.index.reconstruct_n(0, count)
            self._late, before = [], set(self._gone)

        def build() -> None:
            graph = self._faiss.IndexHNSWFlat(self._dimension, 24, self._faiss.METRIC_INNER_PRODUCT)
            graph.hnsw.efConstruction, graph.hnsw.efSearch = 60, 64
            made = self._faiss.IndexIDMap2(graph)
            made.add_with_ids(rows, ids)
            with self._lock:
                import numpy as np

                late = [number for number in self._late if number not in self._gone]
                if late:
                    made.add_with_ids(np.stack([self._flat.reconstruct(number) for number in late]), np.asarray(late, np.int64))
                self._graph, self._late, self.building = made, [], None
                self._gone -= before

        self.building = threading.Thread(target=build, name="near graph", daemon=True)
        self.building.start()
