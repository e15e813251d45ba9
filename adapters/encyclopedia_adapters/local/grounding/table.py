"""Reads a CSV table whole, within bounds, ragged rows included: the file is somebody else's and stays as it is."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LARGEST = 20_000_000
MOST_COLUMNS = 1000
MOST_CELLS = 4_000_000
"""Cells of a table, the empty ones of short rows included: a few bytes could otherwise ask for any amount of memory."""

Row = dict[str, str]


class TableError(ValueError):
    """A file that is no table for us; the message is a sentence about it without its name."""


class Ragged(NamedTuple):
    """A row that has more or fewer cells than the header has columns; ``lines`` are its first and last, counted from 1."""

    lines: tuple[int, int]
    cells: int


class Table(NamedTuple):
    """A table as it was read. A row that is too short has empty cells at its end, what is beyond the header is left out.

    ``lines`` are the first and the last line of each row; ``repeated`` the names that stand twice in the header, of which the
    last one counts; ``garbled`` tells that some bytes were no text and are shown as such.
    """

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    lines: tuple[tuple[int, int], ...]
    ragged: tuple[Ragged, ...] = ()
    repeated: tuple[str, ...] = ()
    garbled: bool = False


def read_table(path: str | os.PathLike[str]) -> Table:
    """The table in a file. Raises ``FileNotFoundError``, and ``TableError`` if it is none or goes beyond the bounds."""
    return parse(read_file(path, LARGEST))


def read_file(path: str | os.PathLike[str], largest: int) -> bytes:
    """The bytes of a plain file. Raises ``FileNotFoundError``, and ``TableError`` if it is too large or cannot be read."""
    from encyclopedia_adapters.local import walk

    real = os.path.realpath(path)
    try:
        return walk.read(os.path.dirname(real), os.path.basename(real), largest)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise TableError(f"it cannot be read: {error.strerror or error}") from None


def parse(raw: bytes) -> Table:
    """The table in the bytes of a file: UTF-8 (UTF-16 with its mark), any line ends, a byte order mark or none."""
    from encyclopedia_adapters.local import walk

    text = None if b"\0" in raw and not raw.startswith((b"\xff\xfe", b"\xfe\xff")) else walk.decode(raw)
    if text is None:
        raise TableError("it is not text")
    records = _records(text)
    columns, _ = next(records, ([], (0, 0)))
    if not columns:
        raise TableError("it has no header line")
    if len(columns) > MOST_COLUMNS:
        raise TableError(f"it has {len(columns)} columns, more than {MOST_COLUMNS}")
    rows, lines, ragged = list[Row](), list[tuple[int, int]](), list[Ragged]()
    for cells, span in records:
        if (len(rows) + 1) * len(columns) > MOST_CELLS:
            raise TableError(f"it has more than {MOST_CELLS:,} cells")
        rows.append(dict.fromkeys(columns, "") | dict(zip(columns, cells, strict=False)))
        lines.append(span)
        if len(cells) != len(columns):
            ragged.append(Ragged(span, len(cells)))
    repeated = tuple(name for name, times in Counter(columns).items() if times > 1)
    return Table(tuple(dict.fromkeys(columns)), tuple(rows), tuple(lines), tuple(ragged), repeated, "\ufffd" in text)


def _records(text: str) -> Iterator[tuple[list[str], tuple[int, int]]]:
    """The records that are not blank, each with its first and last line."""
    import csv
    from io import StringIO

    reader = csv.reader(StringIO(text, newline=""))
    first = 1
    try:
        for cells in reader:
            if cells:
                yield cells, (first, reader.line_num)
            first = reader.line_num + 1
    except csv.Error as error:
        raise TableError(f"line {first}: {error}") from None


def cell(row: Mapping[str, object], column: str) -> str:
    """A cell as text; empty if there is none, also in rows that ``csv.DictReader`` made, where a missing cell is ``None``."""
    value = row.get(column)
    return "" if value is None else str(value)
