"""How large a benchmark is: as the bars want it, or quick, to see within minutes that every part runs."""

from __future__ import annotations

import os
from typing import TypeVar

SWITCH = "BENCH_QUICK"
T = TypeVar("T")


def quick() -> bool:
    """Whether this run, or the one that started this process, is a quick one."""
    return bool(os.environ.get(SWITCH))


def sized(whole: T, small: T) -> T:
    """A size of this run."""
    return small if quick() else whole
