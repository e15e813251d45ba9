"""What the programs about lexical indexes share: reading terms, CPU, memory, and what a folder holds."""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def asked() -> dict[str, Any]:
    """What standard input says: ``step`` (build or ask), ``folder``, files of ``passages`` and ``questions``, one a line."""
    given: dict[str, Any] = json.load(sys.stdin)
    return given


def lines(path: str) -> Iterator[list[str]]:
    """The terms of each line."""
    with Path(path).open(encoding="utf-8") as file:
        for line in file:
            yield line.split()


def peak() -> float:
    """The most memory that this process has held, in MiB; where the system tells it without that of the one that started it."""
    told = Path("/proc/self/status")
    lines = told.read_text().splitlines() if told.exists() else []
    kept = next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), None)
    return (kept or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) / 1024


def disk(folder: str) -> float:
    """MiB in a folder."""
    return sum(os.path.getsize(path) for path in Path(folder).rglob("*") if path.is_file()) / 2**20


def built(folder: str, build: Callable[[], object]) -> dict[str, float]:
    """CPU seconds of ``build``, with the memory and the disk that it took."""
    started = time.process_time()
    build()
    return {"build": time.process_time() - started, "memory": peak(), "disk": disk(folder)}


def answered(search: Callable[[list[str]], object], questions: list[list[str]], opened: float) -> dict[str, Any]:
    """CPU milliseconds of each question, best of three; the time of opening and the memory of a process that only asks."""
    turns = []
    for _ in range(3):
        spent = []
        for terms in questions:
            started = time.process_time()
            search(terms)
            spent.append((time.process_time() - started) * 1000)
        turns.append(spent)
    return {"query": [min(each) for each in zip(*turns, strict=True)], "open": opened, "memory": peak()}
