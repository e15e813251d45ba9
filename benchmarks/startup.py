"""How long commands take as whole processes, as multiples of an empty Python run beside them, and the memory they need.

Commands are run as a user runs them, through the installed script where there is one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benchmarks._rows import Row, most
from benchmarks._size import sized

if TYPE_CHECKING:
    from collections.abc import Iterator

EMPTY = [sys.executable, "-c", "pass"]
MEMORY = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
RUNS = sized(15, 3)
QUERY = "rotate the signing keys"
BARS = {
    "--help": (["--help"], 3),
    "--version": (["--version"], 3),
    "search --dry-run": (["search", QUERY, "--dry-run"], 8),
    "search, exact cache hit": (["search", QUERY, "--corpus", "notes"], 9),
    "search, local and lexical": (["search", QUERY, "--corpus", "notes", "--no-cache"], 12),
}


def script() -> list[str]:
    """The command as it is installed, else as a module."""
    installed = Path(sys.executable).with_name("encyclopedia")
    return [str(installed)] if installed.exists() else [sys.executable, "-m", "encyclopedia"]


def prepare(folder: str) -> dict[str, str]:
    """A data folder with one small indexed corpus and one stored answer; the environment that points to it."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("ENCYCLOPEDIA_", "PYTHONDONTWRITE"))}
    environ |= {"ENCYCLOPEDIA_HOME": f"{folder}/home"}
    notes = Path(folder, "notes")
    notes.mkdir()
    for number in range(200):
        text = f"# Note {number}\n\nHow to rotate the signing keys of service {number}, step by step.\n"
        (notes / f"note{number}.md").write_text(f"{text}\n## Undo\n\nPut them back.\n", encoding="utf-8")
    run([*script(), "corpus", "add", "notes", str(notes), "--no-vectors"], environ, folder)
    told = json.loads(run([*script(), "search", QUERY, "--corpus", "notes"], environ, folder))
    assert told["results"]
    assert json.loads(run([*script(), "search", QUERY, "--corpus", "notes"], environ, folder))["cached"]
    return environ


def run(command: list[str], environ: dict[str, str], folder: str) -> str:
    """What the command prints; raises if it fails."""
    return subprocess.run(command, env=environ, cwd=folder, capture_output=True, text=True, check=True).stdout


def seconds(command: list[str], environ: dict[str, str], folder: str) -> float:
    """The time of one whole process."""
    start = time.perf_counter()
    run(command, environ, folder)
    return time.perf_counter() - start


def memory(command: list[str], environ: dict[str, str], folder: str) -> float:
    """The most memory that a process holds, in MiB; started by an empty Python, whose own would count otherwise."""
    return float(run([*EMPTY[:2], MEMORY, *command], environ, folder).splitlines()[-1]) / 1024


def rows() -> Iterator[Row]:
    """Medians of runs that alternate with an empty Python, then memory."""
    commands = {name: [*script(), *arguments] for name, (arguments, _) in BARS.items()} | {"empty": EMPTY}
    times: dict[str, list[float]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as folder:
        environ = prepare(folder)
        for _ in range(RUNS):
            for name, command in commands.items():
                times[name].append(seconds(command, environ, folder))
        held = {name: memory(command, environ, folder) for name, command in commands.items()}
    empty = median(times.pop("empty"))
    yield Row("empty Python", empty * 1000, "ms")
    for name, (_, bar) in BARS.items():
        yield most(name, median(times[name]) / empty, "x", bar)
    for name, most_memory in held.items():
        yield Row(f"{name}: most memory", most_memory, "MiB")
