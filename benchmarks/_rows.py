"""What a benchmark gives back: rows with their bars, and peers that were not there."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Row(NamedTuple):
    """One figure. ``bar`` is ``None`` or ``-`` for a figure without one; ``note`` is a word for the page."""

    what: str
    value: float
    unit: str = ""
    bar: str | None = None
    kept: bool = True
    note: str = ""


class Absent(NamedTuple):
    """A peer, or a set of data, that is not there, so that the rows that need it are left out."""

    peer: str
    remedy: str


Found = Row | Absent


def most(what: str, value: float, unit: str, bar: float) -> Row:
    """A figure that may not be above its bar."""
    return Row(what, value, unit, f"<= {bar:g}", value <= bar)


def least(what: str, value: float, unit: str, bar: float) -> Row:
    """A figure that may not be below its bar."""
    return Row(what, value, unit, f">= {bar:g}", value >= bar)


def growth(what: str, sizes: Sequence[float], values: Sequence[float], bar: float | None = None) -> Row:
    """The exponent with which a cost grows from the first size to the last: 0 is flat, 1 in proportion, 2 with the square."""
    slope = math.log(max(values[-1], 1e-12) / max(values[0], 1e-12)) / math.log(sizes[-1] / sizes[0])
    name = f"{what}: growth from {sizes[0]:,} to {sizes[-1]:,}, exponent"
    return Row(name, slope) if bar is None else most(name, slope, "", bar)


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which ``share`` of them lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def named(module: str, found: Found | tuple[object, ...]) -> Iterator[Found]:
    """``found`` as one of the two values, whichever form a benchmark gave it in."""
    if isinstance(found, (Row, Absent)):
        yield found
    else:
        row = Row(*found)  # type: ignore[arg-type]  # plain tuples have the order of a row
        if not re.search(r"\w", row.what):
            raise ValueError(f"{module}: a row without a name")
        yield row
