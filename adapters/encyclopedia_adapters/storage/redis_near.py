"""Questions beside their answers in a Redis or Valkey server, each with a vector of every embedder that somebody uses."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

from encyclopedia.keeping import Kept
from encyclopedia_adapters.storage import redis_scripts as scripts
from encyclopedia_adapters.storage.near_index import NearIndex
from encyclopedia_adapters.storage.near_rows import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from encyclopedia_adapters.storage.redis_link import Link

PART = 500
"""Rows that are read or written at a time."""
LONGEST = 2**18
"""Bytes of a question or a vector that are read."""
FIELDS = 11
"""Fields of a row that are read: its group, its words, their checksum, and vectors of so many embedders less three."""
BARE = 3
"""Fields of a row that has no vector yet."""
SEAL = 4
"""Bytes of a checksum."""
VECTOR = "vector "
"""How the field of an embedder's vector begins; its fingerprint follows."""


def open_index(link: Link) -> NearIndex:
    """The index over the answers of ``link``; asks nobody before it is asked."""
    return NearIndex(RedisRows(link))


class RedisRows:
    """The rows of every group, shared by replicas. A row goes when its answer goes, whoever removes that.

    Each change of a row has a number, and a group is a set of rows by the number of their last change: whoever knows a number
    asks for what came after it. Beside that, a row ends when its answer does. Methods raise ``Gone`` without a server.
    """

    def __init__(self, link: Link, clock: Callable[[], float] = time.time) -> None:
        self._link, self._clock = link, clock
        self._place = link.key("cache")

    def state(self, group: str) -> tuple[int, int, int]:
        """1, the number of the group's last change, and how many rows the group has; zeros if there is none."""

        def ask(client: Any) -> list[Any]:
            with client.pipeline(transaction=False) as pipe:
                pipe.get(f"{self._place}:generation:{group}")
                pipe.zcount(f"{self._place}:last:{group}", f"({self._clock()!r}", "+inf")
                found: list[Any] = pipe.execute()
                return found

        try:
            generation, entries = self._link.run(ask)
            return (1, int(generation), entries) if entries else (0, 0, 0)
        except (ValueError, TypeError):  # what lies there is none of ours
            return 0, 0, 0

    def since(self, group: str, generation: int) -> tuple[list[Row], list[str]]:
        """The sound rows that changed after a generation, and the keys of those that are damaged."""
        rows, bad = list[Row](), list[str]()
        for part in _parts(self._names(f"changes:{group}", f"({generation}")):
            more, worse = self._read(group, part)
            rows += more
            bad += worse
        return rows, bad

    def parts(self, group: str, generation: int, size: int = PART) -> Iterator[tuple[list[Row], list[str]]]:
        """As ``since``, what has not changed after a generation, so many rows at a time that others can read in between."""
        name, begin = f"{self._place}:changes:{group}", "-inf"

        def more(client: Any) -> list[tuple[bytes, float]]:
            found: list[tuple[bytes, float]] = client.zrangebyscore(name, begin, generation, 0, size, withscores=True)
            return found

        while found := self._link.run(more):
            yield self._read(group, [_text(key) for key, _ in found])
            begin = f"({found[-1][1]!r}"

    def keys(self, group: str) -> set[str]:
        """The keys of all rows of a group that have not ended."""
        return set(self._names(f"last:{group}", f"({self._clock()!r}"))

    def all(self) -> dict[str, Kept]:
        """Every row by its key; of a damaged one nothing."""
        found: dict[str, Kept] = {}
        for part in _parts(self._alive()):
            for group, row in self._sound(part)[0]:
                if row.vector or row.key not in found:
                    found[row.key] = Kept(group, row.text, row.print, row.vector)
        return found

    def counted(self) -> tuple[int, int]:
        """How many rows there are, and how many of them have a vector."""

        def sizes(client: Any, keys: Sequence[str]) -> list[Any]:
            with client.pipeline(transaction=False) as pipe:
                for key in keys:
                    pipe.hlen(f"{self._place}:question:{key}")
                found: list[Any] = pipe.execute(raise_on_error=False)
                return found

        found = [self._link.run(partial(sizes, keys=keys)) for keys in _parts(self._alive())]
        fields = [size for part in found for size in part if isinstance(size, int)]
        return sum(size >= BARE for size in fields), sum(size > BARE for size in fields)

    def add(self, group: str, key: str, text: str) -> None:
        """Remember that ``key`` answers ``text``, without a vector, unless the answer is gone already."""
        self._run(scripts.ADD, group, key, _bytes(text), _sealed(Row(key, text, "", b"")))

    def fill(self, group: str, rows: Iterable[Row]) -> None:
        """Keep the vectors of rows that are still there."""
        told = [part for row in rows for part in (row.key, _bytes(row.text), VECTOR + row.print, _sealed(row))]
        self._run(scripts.FILL, group, FIELDS, *told)

    def drop(self, keys: Iterable[str]) -> None:
        """Forget rows; their answers stay."""
        self._run(scripts.LOSE, *keys)

    def _alive(self) -> list[str]:
        return self._names("ends", f"({self._clock()!r}")

    def _names(self, name: str, begin: str) -> list[str]:
        found = self._link.run(lambda client: client.zrangebyscore(f"{self._place}:{name}", begin, "+inf"))
        return [_text(key) for key in found]

    def _read(self, group: str, keys: Sequence[str]) -> tuple[list[Row], list[str]]:
        """The sound rows of a group, and the keys of the others."""
        rows, bad = self._sound(keys)
        return [row for place, row in rows if place == group], bad

    def _sound(self, keys: Sequence[str]) -> tuple[list[tuple[str, Row]], list[str]]:
        """The sound rows with their groups, and the keys of the others."""
        rows, bad = list[tuple[str, Row]](), list[str]()
        for key, *fields in self._run(scripts.ROWS, FIELDS, LONGEST, *keys):
            made = _rows(_text(key), dict(zip(fields[::2], fields[1::2], strict=True)))
            rows += made
            bad += [] if made else [_text(key)]
        return rows, bad

    def _run(self, script: str, *values: str | bytes | float) -> Any:
        return self._link.script(script, [self._place], values)

    def close(self) -> None:
        """Nothing: the connections belong to the link."""


def _rows(key: str, fields: dict[bytes, bytes]) -> list[tuple[str, Row]]:
    """A row for each embedder and one without a vector, if all are as we wrote them."""
    try:
        group, text = fields[b"group"].decode(), fields[b"text"].decode("utf-8", "surrogatepass")
        made = {name[len(VECTOR) :].decode(): value for name, value in fields.items() if name.startswith(VECTOR.encode())}
    except (KeyError, UnicodeDecodeError):
        return []
    rows = [Row(key, text, mark, sealed[SEAL:]) for mark, sealed in made.items()]
    sound = all(_sealed(row) == sealed for row, sealed in zip(rows, made.values(), strict=True))
    return [(group, row) for row in rows] if sound else []


def _sealed(row: Row) -> bytes:
    """The vector of a row behind the checksum of the whole."""
    return row.checksum.to_bytes(SEAL, "big") + row.vector


def _parts(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    return (keys[start : start + PART] for start in range(0, len(keys), PART))


def _text(key: bytes) -> str:
    return key.decode("utf-8", "replace")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
