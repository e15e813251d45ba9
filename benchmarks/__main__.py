"""Runs every benchmark, or those named, and prints one table.

Each module of this folder offers ``rows()``, which gives ``Row`` (or a tuple of name, value, unit, bar, kept) and ``Absent``.
Exits with 1 if a bar is not kept or a benchmark broke off, with 64 for a name that there is not.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import _machine, _size
from benchmarks._bars import bars
from benchmarks._report import Results, Section, bar_lines, lines, packed, page, told_versions, unpacked
from benchmarks._rows import named

HERE = Path(__file__).parent
LONG = frozenset(("million", "million_engine", "soak"))
"""Those that are run only if they are named: they take many minutes."""
FIGURES, PAGE = "results.json", "RESULTS.md"
"""What is kept of runs: the figures, and the page that is made of them."""


def names() -> list[str]:
    """The benchmarks that there are."""
    return sorted(path.stem for path in HERE.glob("*.py") if not path.stem.startswith("_"))


def about(name: str) -> str:
    """The first sentence of a benchmark's docstring; it is not imported for that."""
    told = ast.get_docstring(ast.parse((HERE / f"{name}.py").read_text(encoding="utf-8"))) or ""
    return told.splitlines()[0] if told else ""


def run(name: str) -> Section:
    """One benchmark; one that raises is a section that says so, and the others go on."""
    at, commit, load, start = datetime.now(UTC), _machine.commit(), _machine.load(), time.perf_counter()
    found, failed = [], ""
    try:
        for row in importlib.import_module(f"benchmarks.{name}").rows():
            found += named(name, row)
    except Exception as error:  # noqa: BLE001 - the table of the others must not be lost
        failed = f"{type(error).__name__}: {error}"
    spent, loads = time.perf_counter() - start, (*load, *_machine.load())
    return Section(name, about(name), f"{at:%Y-%m-%d %H:%M} UTC", commit, loads, spent, tuple(found), failed, os.nice(0))


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    made.add_argument("names", nargs="*", metavar="NAME", help=f"all but {', '.join(sorted(LONG))} if none is given")
    made.add_argument("--list", action="store_true", help="say which there are and which bars they prove")
    made.add_argument("--quick", action="store_true", help="small sizes: some minutes, to see that everything runs")
    made.add_argument(
        "--save",
        nargs="?",
        const=str(HERE),
        metavar="FOLDER",
        help=f"keep {FIGURES} and {PAGE} in FOLDER (this one), after each benchmark; earlier ones of this machine stay in them",
    )
    made.add_argument("--collections", metavar="FOLDER", help="where scifact/ and cranfield/ lie, in BEIR layout")
    return made


def listed() -> list[str]:
    """Each benchmark, and under it the bars that it proves."""
    out = []
    for name in names():
        out.append(f"{name:13} {about(name)}{' (only if named)' if name in LONG else ''}")
        out += [f"{'':13}   bar: {bar.what}" for bar in bars() if any(module == name for module, _ in bar.rows)]
    return out


def joined(folder: str, here: Results) -> Results:
    """``here`` with the sections that are kept in a folder; without them if they are of another machine or other versions.

    What was installed then and is not now keeps its version: it was compared then.
    """
    path = Path(folder, FIGURES)
    if not path.exists():
        return here
    before = unpacked(path.read_text(encoding="utf-8"))
    changed = [name for name, version in here.versions.items() if version and before.versions.get(name) not in {"", version}]
    if before.machine != here.machine or changed:
        told = f"other versions of {', '.join(changed)}" if changed else "another machine or at another size"
        print(f"{path} was measured with {told}: it is written anew", file=sys.stderr)
        return here
    return Results(here.machine, before.versions | {k: v for k, v in here.versions.items() if v}, before.sections)


def keep(folder: str, results: Results) -> None:
    """Write the figures and the page."""
    Path(folder, FIGURES).write_text(packed(results), encoding="utf-8")
    Path(folder, PAGE).write_text(page(results), encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line."""
    options = parser().parse_args(arguments)
    if options.list:
        print("\n".join(listed()))
        return 0
    if unknown := set(options.names) - set(names()):
        print(f"unknown benchmark {', '.join(sorted(unknown))}; there are {', '.join(names())}", file=sys.stderr)
        return 64
    if options.collections:
        os.environ["BENCH_COLLECTIONS"] = options.collections
    if options.quick:
        os.environ[_size.SWITCH] = "1"
    here = Results(_machine.machine(), _machine.versions(), ())
    print("; ".join(f"{key} {value}" for key, value in (*here.machine.items(), *told_versions(here))))
    ran = []
    chosen = options.names or [name for name in names() if name not in LONG]
    for at, name in enumerate(chosen, 1):
        print(f"{at} of {len(chosen)}: {name} …", file=sys.stderr)
        section = run(name)
        ran.append(section)
        print("\n".join(lines(section)), flush=True)
        if options.save:
            keep(options.save, joined(options.save, here).but(section))
    now = here._replace(sections=tuple(ran))
    print("\n".join(["the bars", *bar_lines(now)]))
    return 0 if now.good() else 1


if __name__ == "__main__":
    sys.exit(main())
