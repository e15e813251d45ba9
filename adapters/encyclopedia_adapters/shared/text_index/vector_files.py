"""Vectors on disk: one file of keys and one of rows, which are appended to and never changed in place."""

from __future__ import annotations

import json
import os
import zlib
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.shared.private_files import plain_file, private_file
from encyclopedia_adapters.shared.text_index import manifest, questions

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from encyclopedia.ports import Embedder

FORMAT = 1
"""Raised with every change of these files."""

BLOCK = 16_384
"""Rows that are read or written at a time: 25 MB of 384 dimensions."""

_HEADER = 1024
_KEYS = "keys"
_RECORD = 12
_TAKEN = "the vectors were taken away while they were being written"


class Rows(NamedTuple):
    """Vectors as they stood when they were opened: ``keys`` (n,) name the texts, ``rows`` (n, dimension) are on disk.

    ``born`` is new whenever rows get other numbers.
    """

    born: str
    keys: NDArray[np.uint64]
    checks: NDArray[np.uint32]
    rows: NDArray[np.float32]

    def sound(self, at: int) -> bool:
        """Whether the row is as it was written."""
        return zlib.crc32(self.rows[at].tobytes()) == int(self.checks[at])


def place(folder: str) -> str:
    """Where the vectors of the index in ``folder`` are."""
    return os.path.join(folder, "vectors")


def stamp(folder: str) -> tuple[int, ...] | None:
    """Changes whenever vectors are added or made anew; ``None`` where there are none. Opens nothing."""
    try:
        status = os.stat(os.path.join(place(folder), _KEYS))
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_ino, status.st_size


def stored(folder: str) -> int:
    """How many vectors lie in the files, those of passages that are gone among them until they are swept. Opens nothing."""
    seen = stamp(folder)
    return max(0, seen[2] - _HEADER) // _RECORD if seen else 0


def mismatch(folder: str, embedder: Embedder) -> str:
    """Why the vectors that are there cannot be used with ``embedder``; empty if they can, or if there are none."""
    if stamp(folder) is None:
        return ""
    found = header(folder)
    if not found:
        return "the vectors are damaged"
    changed = manifest.differing(found, wanted(embedder))
    return f"the vectors were made by another version ({changed})" if changed else ""


def load(folder: str, embedder: Embedder) -> Rows | None:
    """The vectors that ``embedder`` has made, or ``None`` if there are none or ``mismatch`` has something to say."""
    for _ in range(2):  # rows may be exchanged between the reading of two files
        if stamp(folder) is None or mismatch(folder, embedder):
            return None
        with suppress(OSError, ValueError):
            return _load(place(folder), embedder.dimension)
    return None


def blocks(folder: str, rows: Rows) -> Iterator[NDArray[np.float32]]:
    """All rows in their order, ``BLOCK`` at a time, read from the file: nothing of it stays in memory."""
    import numpy as np

    count, dimension = rows.rows.shape
    with os.fdopen(plain_file(_rows_file(place(folder), rows.born)), "rb") as file:
        for start in range(0, count, BLOCK):
            here = min(BLOCK, count - start)
            yield np.frombuffer(file.read(here * dimension * 4), "<f4").reshape(here, dimension).astype(np.float32, copy=False)


def _load(path: str, dimension: int) -> Rows:
    import numpy as np

    with os.fdopen(plain_file(os.path.join(path, _KEYS)), "rb") as file:
        born = str(_parse(file.read(_HEADER)).get("born"))
        raw = file.read()
    with os.fdopen(plain_file(_rows_file(path, born)), "rb") as file:
        count = min(len(raw) // _RECORD, os.fstat(file.fileno()).st_size // (4 * dimension))
        shape = (count, dimension)
        # A file without bytes cannot be mapped.
        rows = np.asarray(np.memmap(file, np.float32, "r", shape=shape)) if count else np.empty(shape, np.float32)
    records = np.frombuffer(raw[: count * _RECORD], np.dtype([("key", "<u8"), ("check", "<u4")]))
    return Rows(born, records["key"].copy(), records["check"].copy(), rows)


def wanted(embedder: Embedder) -> dict[str, object]:
    """What vectors say of themselves, so that those of another embedder are never compared with its own."""
    return {
        "format": FORMAT,
        "text": questions.MEANING,
        "embedder": embedder.fingerprint,
        "dimension": embedder.dimension,
        "normalised": True,
    }


def header(folder: str) -> dict[str, object]:
    """What the vectors of an index say of themselves, ``born`` besides; empty without any that can be read."""
    with suppress(OSError, ValueError), os.fdopen(plain_file(os.path.join(place(folder), _KEYS)), "rb") as file:
        return _parse(file.read(_HEADER))
    return {}


def _parse(raw: bytes) -> dict[str, object]:
    found = json.loads(raw)
    if not isinstance(found, dict):
        raise ValueError("no header")  # noqa: TRY004 - met as any other damage
    return found


def _rows_file(path: str, born: str) -> str:
    # A name that somebody else wrote must not lead out of the folder.
    return os.path.join(path, f"rows-{born}" if born.isalnum() else "rows-")


class Appender:
    """The vectors of a folder while this process alone adds to them."""

    def __init__(self, folder: str, embedder: Embedder) -> None:
        self._folder, self._embedder, self._path = folder, embedder, place(folder)
        if load(folder, embedder) is None:
            import numpy as np

            self._write(np.empty(0, np.uint64), np.empty((0, embedder.dimension), np.float32))
        self._drop_damaged()

    @property
    def rows(self) -> Rows:
        """All that is there now."""
        found = load(self._folder, self._embedder)
        if found is None:
            raise OSError(_TAKEN)
        return found

    def add(self, keys: NDArray[np.uint64], vectors: NDArray[np.float32]) -> None:
        """Append vectors; they are there as a whole or, for whatever reason this ends early, in part, never torn."""
        born, count = header(self._folder).get("born"), stored(self._folder)
        if born is None:
            raise OSError(_TAKEN)
        # Keys come last: a row without one does not count.
        _append(_rows_file(self._path, str(born)), count * 4 * self._embedder.dimension, vectors.astype("<f4").tobytes())
        _append(os.path.join(self._path, _KEYS), _HEADER + count * _RECORD, _records(keys, vectors))

    def keep(self, chosen: NDArray[np.intp]) -> None:
        """Leave out all rows but the ``chosen``."""
        there = self.rows
        self._write(there.keys[chosen], there.rows, chosen)

    def _drop_damaged(self) -> None:
        import numpy as np

        there = self.rows
        sound = np.fromiter((there.sound(at) for at in range(len(there.keys))), bool, len(there.keys))
        if not sound.all() or len(sound) != stored(self._folder):
            self.keep(np.flatnonzero(sound))

    def _write(self, keys: NDArray[np.uint64], rows: NDArray[np.float32], chosen: NDArray[np.intp] | None = None) -> None:
        born = os.urandom(8).hex()
        head = json.dumps(wanted(self._embedder) | {"born": born}).encode()
        if len(head) > _HEADER:
            raise ValueError("the fingerprint of the embedder is too long")
        draft = os.path.join(self._path, f"{_KEYS}.tmp")
        with suppress(FileNotFoundError):
            os.remove(draft)
        _append(draft, 0, head.ljust(_HEADER))
        _append(_rows_file(self._path, born), 0, b"")
        for start in range(0, len(keys), BLOCK):
            block = rows[start : start + BLOCK] if chosen is None else rows[chosen[start : start + BLOCK]]
            _append(_rows_file(self._path, born), start * rows.shape[1] * 4, block.astype("<f4").tobytes())
            _append(draft, _HEADER + start * _RECORD, _records(keys[start : start + BLOCK], block))
        os.replace(draft, os.path.join(self._path, _KEYS))
        self.sweep(born)

    def sweep(self, born: str) -> None:
        """Remove what belongs to rows that are no more."""
        for name in os.listdir(self._path):
            if name.startswith(("rows-", "lists-")) and born not in name:
                with suppress(FileNotFoundError):
                    os.remove(os.path.join(self._path, name))


def _records(keys: NDArray[np.uint64], vectors: NDArray[np.float32]) -> bytes:
    import numpy as np

    records = np.empty(len(keys), np.dtype([("key", "<u8"), ("check", "<u4")]))
    records["key"] = keys
    records["check"] = [zlib.crc32(row.astype("<f4").tobytes()) for row in vectors]
    return records.tobytes()


def _append(path: str, size: int, data: bytes) -> None:
    """Write ``data`` behind the first ``size`` bytes, over whatever an interrupted run has left there."""
    with os.fdopen(private_file(path), "r+b") as file:
        file.truncate(size)
        file.seek(size)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def appending(folder: str, embedder: Embedder, wait: float) -> Iterator[Appender]:
    """Be the only one who adds vectors; those that cannot be used are made anew. Raises ``IndexBusy`` and ``OSError``."""
    with manifest.writing(place(folder), wait):
        yield Appender(folder, embedder)
