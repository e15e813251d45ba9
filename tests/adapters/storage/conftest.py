"""What the tests of the stores share: a clock that is told the time, and other processes."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest


class Clock:
    """Wall-clock seconds that move when they are told to."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now

    def tick(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def start():
    """Start a Python process on a text, with arguments; what is still there at the end is killed."""
    running = []

    def begin(code, *arguments):
        environment = {**os.environ, "PYTHONPATH": ":".join(sys.path)}
        process = subprocess.Popen(
            [sys.executable, "-c", code, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        running.append(process)
        return process

    yield begin
    for process in running:
        process.kill()
        process.communicate()


@pytest.fixture
def tree():
    """Every file below a folder with its bytes and time of change."""

    def look(folder):
        return {
            str(path): (path.read_bytes(), path.stat().st_mtime_ns)
            for path in pathlib.Path(folder).rglob("*")
            if path.is_file()
        }

    return look
