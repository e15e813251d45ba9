"""The stored questions nearest to another one, within one group: rows of the cache's database, held in memory as vectors."""

from __future__ import annotations

import threading
from collections import OrderedDict
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol

from encyclopedia.keeping import NearQuestion
from encyclopedia_adapters.storage.near_rows import NearRows, Row
from encyclopedia_adapters.storage.vectors import Nearest, vectors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from encyclopedia.keeping import Kept

GROUPS = 32
"""Groups that are held in memory; the one that was longest not asked goes first."""
AT_ONCE = 10_000
"""Questions that are read while somebody waits; more of them are read aside."""
LENGTH = 1e-3
"""How far the length of a vector may be from 1."""


class StillReadingError(LookupError):
    """So many questions are stored that they are still being read."""


def open_index(folder: str) -> NearIndex:
    """The index over the cache in ``folder``; opens and makes nothing before it is asked."""
    return NearIndex(NearRows(folder))


class Shared(Protocol):
    """Where the rows lie that an index holds in memory: ``NearRows`` in a file."""

    def state(self, group: str) -> tuple[int, int, int]:
        """The place, the generation of the group in it, how many rows the group has; zeros if there is none."""

    def since(self, group: str, generation: int) -> tuple[list[Row], list[str]]:
        """The sound rows that changed after a generation, and the keys of those that are damaged."""

    def parts(self, group: str, generation: int) -> Iterator[tuple[list[Row], list[str]]]:
        """As ``since``, what has not changed after a generation, a part at a time."""

    def keys(self, group: str) -> set[str]:
        """The keys of all rows of a group."""

    def all(self) -> Mapping[str, Kept]:
        """Every row by its key."""

    def counted(self) -> tuple[int, int]:
        """How many rows there are, and how many of them have a vector."""

    def add(self, group: str, key: str, text: str) -> None:
        """Remember a question without a vector, unless its answer is gone already."""

    def fill(self, group: str, rows: Iterable[Row]) -> None:
        """Keep the vectors of rows that are still there."""

    def drop(self, keys: Iterable[str]) -> None:
        """Forget rows."""

    def close(self) -> None:
        """Give back what is held."""


class NearIndex:
    """Questions by group. What other processes store, remove or fill in is seen at the next look.

    The first look at a group of more than ``at_once`` questions starts to read them and raises ``StillReadingError``, as does
    every other look until they are there.
    """

    def __init__(self, rows: Shared, at_once: int = AT_ONCE) -> None:
        self._rows, self._at_once = rows, at_once
        self._groups: OrderedDict[str, _Group] = OrderedDict()
        self._lock = threading.Lock()
        self._reading: dict[str, threading.Thread] = {}
        self._closing = threading.Event()

    def holds(self, group: str) -> bool:
        """Whether the group has any question; reads one row and needs no library."""
        return self._rows.state(group)[2] > 0

    def pending(self, group: str, mark: str, dimension: int, most: int) -> Sequence[tuple[str, str]]:
        """Key and text of questions without a vector of the embedder ``mark``, at most so many."""
        with self._lock:
            waiting = self._fresh(group, mark, dimension).pending
            return list(waiting.items())[-most:]

    def fill(self, group: str, mark: str, found: Sequence[tuple[str, str]], rows: Any) -> None:
        """Keep the vectors of pending questions, in the order of ``found``; one that is none makes its question go."""
        import numpy as np

        made = [Row(key, text, mark, _bytes(row)) for (key, text), row in zip(found, rows, strict=True) if sound(row)]
        lost = {key for key, _ in found} - {row.key for row in made}
        with self._lock:
            held = self._groups.get(group)
            if held is not None:
                held.take(made, np.shape(rows)[1])
                for key in lost:
                    held.lose(key)
        if made:
            self._rows.fill(group, made)
        if lost:
            self._rows.drop(lost)

    def nearest(self, group: str, mark: str, vector: Any, most: int) -> Sequence[NearQuestion]:
        """The nearest questions of a group by cosine, best first; none for a vector that is none."""
        if not sound(vector):
            return []
        with self._lock:
            return self._fresh(group, mark, len(vector)).search(vector, most)

    def add(self, group: str, key: str, text: str) -> None:
        """Remember that ``key`` answers ``text``."""
        self._rows.add(group, key, text)

    def all(self) -> Mapping[str, Kept]:
        """Every stored question by the key of its answer."""
        return self._rows.all()

    def counted(self) -> tuple[int, int]:
        """How many questions are stored, and how many of them have a vector."""
        return self._rows.counted()

    def close(self) -> None:
        """Give the connections back; what is being read is left."""
        self._closing.set()
        for reading in list(self._reading.values()):
            reading.join()
        self._rows.close()

    def _fresh(self, group: str, mark: str, dimension: int) -> _Group:
        """The group as the database has it now."""
        file, generation, entries = self._rows.state(group)
        if group in self._reading:
            raise StillReadingError("the stored questions are still being read")
        held = self._groups.get(group)
        if held is None or (held.file, held.mark, held.dimension) != (file, mark, dimension) or held.generation > generation:
            held = self._groups[group] = _Group(file, mark, dimension)
        if held.generation == 0 and entries > self._at_once:
            self._read_aside(group, held, generation)
            raise StillReadingError(f"{entries} stored questions are being read")
        self._groups.move_to_end(group)
        while len(self._groups) > GROUPS:
            self._groups.popitem(last=False)
        if (held.generation, held.entries) != (generation, entries):
            sound_rows, bad = self._rows.since(group, held.generation)
            held.take(sound_rows, dimension)
            held.generation, held.entries = generation, entries
            if len(held) != entries:
                held.keep(self._rows.keys(group) - set(bad))
            if bad:
                self._rows.drop(bad)
        return held

    def _read_aside(self, group: str, held: _Group, generation: int) -> None:
        """Fill a group that nobody uses yet in a thread; the next look reads what has changed since ``generation``."""

        def read() -> None:
            try:
                rows, bad = list[Row](), list[str]()
                for part in self._rows.parts(group, generation):
                    if self._closing.is_set():
                        return
                    rows += part[0]
                    bad += part[1]
                held.take(rows, held.dimension)
                held.generation = generation
                if bad:
                    self._rows.drop(bad)
            except Exception:  # noqa: BLE001 - the next look begins anew, and tells its own trouble
                self._groups.pop(group, None)
            finally:
                self._reading.pop(group, None)

        self._reading[group] = threading.Thread(target=read, name="read stored questions", daemon=True)
        self._reading[group].start()


class _Group:
    """One group in memory: ``pending`` are the texts without a vector, by key."""

    def __init__(self, file: int, mark: str, dimension: int) -> None:
        self.file, self.mark, self.dimension, self.generation, self.entries = file, mark, dimension, 0, 0
        self.pending: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        self._questions: dict[int, tuple[str, str]] = {}
        self._next = count()
        self._vectors: Nearest = vectors(dimension)

    def __len__(self) -> int:
        return len(self._numbers) + len(self.pending)

    def take(self, rows: Sequence[Row], dimension: int) -> None:
        """Add rows or put them in the place of older ones; a vector of another embedder counts as none."""
        import numpy as np

        for row in rows:
            self.lose(row.key)
        size = 4 * self.dimension if dimension == self.dimension else -1
        made = [row for row in rows if row.print == self.mark and len(row.vector) == size]
        array = np.frombuffer(b"".join(row.vector for row in made), "<f4").reshape(len(made), self.dimension)
        good = np.abs(np.linalg.norm(array, axis=1) - 1.0) < LENGTH
        fresh = [row for row, sound_one in zip(made, good.tolist(), strict=True) if sound_one]
        kept = {row.key for row in fresh}
        self.pending |= {row.key: row.text for row in rows if row.key not in kept}
        if not fresh:
            return
        numbers = [next(self._next) for _ in fresh]
        self._vectors.put(numbers, array[good])
        self._numbers |= {row.key: number for row, number in zip(fresh, numbers, strict=True)}
        self._questions |= {number: (row.key, row.text) for row, number in zip(fresh, numbers, strict=True)}

    def lose(self, key: str) -> None:
        self.pending.pop(key, None)
        if (number := self._numbers.pop(key, None)) is not None:
            del self._questions[number]
            self._vectors.remove([number])

    def keep(self, keys: set[str]) -> None:
        """Forget all but these."""
        for key in [key for key in (*self._numbers, *self.pending) if key not in keys]:
            self.lose(key)

    def search(self, vector: Any, most: int) -> list[NearQuestion]:
        return [NearQuestion(*self._questions[number], score) for number, score in self._vectors.search(vector, most)]


def sound(vector: Any) -> bool:
    """Whether a vector is one: finite, of length 1."""
    import numpy as np

    length = float(np.linalg.norm(np.asarray(vector, np.float32)))
    return abs(length - 1.0) < LENGTH


def _bytes(vector: Any) -> bytes:
    import numpy as np

    return bytes(np.asarray(vector, "<f4").tobytes())
