"""Runs every benchmark, or those named, and prints one table.

``python -m benchmarks [NAME…] [--write]``. Each module of this folder offers ``rows()``, which returns tuples of name, value,
unit, bar (``None`` for a figure without one) and whether the bar is kept. ``--write`` also keeps the table in ``results.md``.
Benchmarks whose peer is not installed leave that row out and say so.
"""

from __future__ import annotations

import importlib
import os
import platform
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
HEAD = f"{'what':58} {'measured':>12} {'bar':>12}"


def names() -> list[str]:
    """The benchmarks that there are."""
    return sorted(p.stem for p in HERE.glob("*.py") if not p.stem.startswith("_"))


def run(chosen: list[str]) -> list[str]:
    """Lines of a table over all rows of the chosen benchmarks."""
    lines = [machine(), "", HEAD, "-" * len(HEAD)]
    for name in chosen:
        start = time.perf_counter()
        lines.append(f"[{name}]")
        for what, value, unit, bar, good in importlib.import_module(f"benchmarks.{name}").rows():
            told = "" if bar is None else f"{bar} {unit}".strip()
            lines.append(f"{what:58} {f'{value:.3g} {unit}'.strip():>12} {told:>12}{'' if good else '   NOT KEPT'}")
        print(f"{name}: {time.perf_counter() - start:.1f} s", file=sys.stderr)
    return lines


def machine() -> str:
    """What this was measured on."""
    load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, load {load}"


def main() -> int:
    """Run from the command line."""
    wanted = [name for name in sys.argv[1:] if not name.startswith("-")]
    unknown = set(wanted) - set(names())
    if unknown:
        print(f"unknown benchmark {', '.join(sorted(unknown))}; there are {', '.join(names())}", file=sys.stderr)
        return 64
    lines = run(wanted or names())
    print("\n".join(lines))
    if "--write" in sys.argv:
        (HERE / "results.md").write_text("# Benchmark results\n\n```\n" + "\n".join(lines) + "\n```\n")
    return 1 if any("NOT KEPT" in line for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main())
