"""Which bars of the product are kept: each with the rows that prove it, and what is said where it is not."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from benchmarks._rows import Row

TABLE = Path(__file__).with_name("bars.toml")
KEPT, MISSED, UNKNOWN = "kept", "NOT KEPT", "not measured"


class Bar(NamedTuple):
    """A promise, the rows that prove it (benchmark and name), and what is said where it is not kept."""

    what: str
    rows: tuple[tuple[str, str], ...]
    reason: str = ""
    next: str = ""


class Verdict(NamedTuple):
    """What became of a bar."""

    bar: Bar
    state: str
    proofs: tuple[Row, ...] = ()


def bars() -> tuple[Bar, ...]:
    """All of them, in the order of the product's own table."""
    found = tomllib.loads(TABLE.read_text(encoding="utf-8"))["bars"]
    return tuple(
        Bar(each["what"], tuple((module, row) for module, row in each["rows"]), each.get("reason", ""), each.get("next", ""))
        for each in found
    )


def judged(measured: Mapping[str, Iterable[Row]], promised: Iterable[Bar] | None = None) -> list[Verdict]:
    """Every bar with its rows out of ``measured`` (rows by benchmark); one without all of its rows is not measured."""
    rows = {(module, row.what): row for module, those in measured.items() for row in those}
    return [_verdict(bar, rows) for bar in (bars() if promised is None else promised)]


def _verdict(bar: Bar, rows: Mapping[tuple[str, str], Row]) -> Verdict:
    proofs = tuple(rows[name] for name in bar.rows if name in rows)
    if any(not row.kept for row in proofs):
        return Verdict(bar, MISSED, proofs)
    return Verdict(bar, KEPT if proofs and len(proofs) == len(bar.rows) else UNKNOWN, proofs)
