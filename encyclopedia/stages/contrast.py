"""What differs between two measurements of the same queries, and whether chance would do the same."""

from __future__ import annotations

from itertools import compress, product
from random import Random
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROUNDS = 10_000
SEED = 1
FEW = 13
"""Up to so many queries that differ, all 2^n ways are tried instead of some at random."""
EQUAL = 1e-12
"""Differences below this are rounding."""
_BITS = bytes(number & 1 for number in range(256))


class Contrast(NamedTuple):
    """One measure before and after: means, numbers of queries that got better and worse, and the p-value of the difference."""

    before: float
    after: float
    better: int
    worse: int
    same: int
    p: float

    @property
    def difference(self) -> float:
        """How much larger the mean is than before."""
        return self.after - self.before


def contrast(before: Sequence[float], after: Sequence[float]) -> Contrast:
    """Compare the values of one measure for the same queries in the same order; at least one.

    ``p`` is of the paired randomisation test, two-sided: if neither is better, each query's difference might as well have had
    the other sign; ``p`` is how often such a draw moves the mean at least as far.
    """
    changes = [new - old for old, new in zip(before, after, strict=True)]
    moved = [change for change in changes if abs(change) > EQUAL]
    better = sum(change > 0 for change in moved)
    size = len(changes)
    return Contrast(sum(before) / size, sum(after) / size, better, len(moved) - better, size - len(moved), _chance(moved))


def _chance(changes: Sequence[float]) -> float:
    """The p-value for the differences that are none of 0; 1 where there are none."""
    whole = sum(changes)
    reached = abs(whole) - EQUAL * max(len(changes), 1)

    def reaches(flipped: Iterable[int]) -> bool:
        return abs(whole - 2 * sum(compress(changes, flipped))) >= reached

    if len(changes) <= FEW:
        ways = [reaches(flipped) for flipped in product((0, 1), repeat=len(changes))]
        return sum(ways) / len(ways)
    draw = Random(SEED)  # noqa: S311 - chance, not secrecy: the same seed gives the same p-value
    as_far = sum(reaches(draw.randbytes(len(changes)).translate(_BITS)) for _ in range(ROUNDS))
    return (as_far + 1) / (ROUNDS + 1)
