"""What was measured, as lines for a terminal, as JSON, and as a page."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks._bars import MISSED, UNKNOWN, judged
from benchmarks._rows import Absent, Row

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks._bars import Verdict

INTRO = """# Benchmarks

`python -m benchmarks --save` made this page: ours and its peers side by side, in one run, on one machine. Times move with what
else the machine does (`load` is the number of processes that wanted a core, over 1, 5 and 15 minutes, when a benchmark began
and when it ended), so read the ratios, the CPU times and the counts. `x` is a ratio. An exponent says how a cost grows with the
size: 0 is flat, 1 in proportion. A peer is installed from its registry (the extra `bench`) and runs in a process of its own;
one that is not installed is named and has no row."""


class Section(NamedTuple):
    """One benchmark: when (UTC), on which commit, the load before and after, seconds, finds, why it broke off, niceness."""

    name: str
    about: str
    at: str
    commit: str
    load: tuple[float, ...]
    seconds: float
    found: tuple[Row | Absent, ...]
    failed: str = ""
    nice: int = 0

    @property
    def rows(self) -> list[Row]:
        """The rows without what is absent."""
        return [row for row in self.found if isinstance(row, Row)]


class Results(NamedTuple):
    """A run: the machine, the versions, and the sections."""

    machine: dict[str, Any]
    versions: dict[str, str]
    sections: tuple[Section, ...]

    def but(self, section: Section) -> Results:
        """With this section in the place of an earlier one."""
        sections = {each.name: each for each in (*self.sections, section)}
        return self._replace(sections=tuple(sections[name] for name in sorted(sections)))

    def verdicts(self) -> list[Verdict]:
        """The bars of the product."""
        return judged({section.name: section.rows for section in self.sections})

    def good(self) -> bool:
        """Whether every bar that was measured is kept and nothing broke off."""
        return all(row.kept for section in self.sections for row in section.rows) and not any(s.failed for s in self.sections)


def figure(row: Row) -> str:
    """Value and unit as a person reads them."""
    if not math.isfinite(row.value):
        return "-"
    value = f"{row.value:,.0f}" if abs(row.value) >= 1000 else f"{row.value:.3g}"
    return f"{value} {row.unit}".strip()


def wanted(row: Row) -> str:
    """The bar with its unit; empty without one."""
    return "" if row.bar in {None, "-", ""} else f"{row.bar} {row.unit}".strip()


def told_versions(results: Results) -> list[tuple[str, str]]:
    """What was compared, and what could not be."""
    return [(name, version or "not installed") for name, version in results.versions.items()]


def lines(section: Section) -> list[str]:
    """A section on a terminal."""
    out = [f"[{section.name}] {section.about}"]
    for row in section.found:
        if isinstance(row, Absent):
            out.append(f"  {row.peer}: absent, its rows are left out ({row.remedy})")
        else:
            told = "" if row.kept else f"   {MISSED}"
            out.append(f"  {row.what:64} {figure(row):>14} {wanted(row):>12}{told}{f'   {row.note}' if row.note else ''}")
    return [*out, f"  broke off: {section.failed}"] if section.failed else out


def bar_lines(results: Results) -> list[str]:
    """The bars on a terminal, those that nothing in this run could prove left out."""
    ran = {section.name for section in results.sections}
    told = [each for each in results.verdicts() if any(module in ran for module, _ in each.bar.rows)]
    return [f"  {each.state:12} {each.bar.what}: {_proof(each)}" for each in told]


def _proof(verdict: Verdict) -> str:
    return "; ".join(f"{figure(row)} ({wanted(row) or 'no bar'})" for row in verdict.proofs) or "-"


def page(results: Results) -> str:
    """The results page."""
    parts = [INTRO, "## On what", _table(("", ""), [*results.machine.items(), *told_versions(results)])]
    verdicts = results.verdicts()
    parts += ["## The bars", _table(("promise", "measured", "bar", ""), [_bar_row(each) for each in verdicts])]
    open_ones = [each for each in verdicts if each.state in {MISSED, UNKNOWN}]
    parts += [f"**{each.bar.what}** ({each.state}). {_why(each, results)}" for each in open_ones]
    for section in results.sections:
        parts += [f"## {section.name}", _about(section), _table(("what", "measured", "bar", "", ""), _rows(section))]
        parts += [f"Absent: {row.peer} (`{row.remedy}`)." for row in section.found if isinstance(row, Absent)]
        parts += [f"Broke off: {section.failed}"] if section.failed else []
    return "\n\n".join(parts) + "\n"


def _bar_row(verdict: Verdict) -> tuple[str, str, str, str]:
    measured = "; ".join(figure(row) for row in verdict.proofs)
    return verdict.bar.what, measured, "; ".join(dict.fromkeys(wanted(row) for row in verdict.proofs)), verdict.state


def _why(verdict: Verdict, results: Results) -> str:
    """The reason and the next step of a bar that is not kept, or which benchmark has to be run for it."""
    ran = {section.name for section in results.sections}
    lacking = sorted({module for module, _ in verdict.bar.rows} - ran)
    told = [f"Not part of this run: `python -m benchmarks {' '.join(lacking)}`."] if lacking else []
    if verdict.bar.reason:
        told.append(f"{verdict.bar.reason} Next: {verdict.bar.next}")
    if told:
        return " ".join(told)
    return "Its peer or its data are absent." if verdict.state == UNKNOWN else "No reason is known yet."


def _about(section: Section) -> str:
    nice = f", niceness {section.nice}" if section.nice else ""
    before, after = (", ".join(f"{value:g}" for value in half) for half in (section.load[:3], section.load[3:]))
    return f"{section.about} ({section.at}, commit {section.commit}, {section.seconds:.0f} s, load {before} to {after}{nice})"


def _rows(section: Section) -> list[tuple[str, ...]]:
    return [(row.what, figure(row), wanted(row), "" if row.kept else f"**{MISSED}**", row.note) for row in section.rows]


def _table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    rows = [[_cell(value) for value in row] for row in rows]
    if not any(row[-1] for row in rows) and len(head) > 2:
        head, rows = head[:-1], [row[:-1] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in [list(head), ["---"] * len(head), *rows])


def _cell(value: Any) -> str:
    return str(value).replace("|", "\\|").replace("\n", " ")


def packed(results: Results) -> str:
    """The results as JSON, from which ``unpacked`` makes them again."""
    sections = []
    for section in results.sections:
        found = [
            {"absent": row.peer, "remedy": row.remedy} if isinstance(row, Absent) else row._asdict() for row in section.found
        ]
        sections.append(section._asdict() | {"found": found})
    told = [
        {"what": each.bar.what, "state": each.state, "rows": [list(name) for name in each.bar.rows]}
        for each in results.verdicts()
    ]
    return json.dumps({**results._asdict(), "sections": sections, "bars": told}, indent=1) + "\n"


def unpacked(text: str) -> Results:
    """The results that ``packed`` wrote."""
    told = json.loads(text)
    return Results(told["machine"], told["versions"], tuple(_section(each) for each in told["sections"]))


def _section(told: dict[str, Any]) -> Section:
    found = tuple(Absent(row["absent"], row["remedy"]) if "absent" in row else Row(**row) for row in told["found"])
    return Section(**{**told, "found": found, "load": tuple(told["load"])})
