"""Work in a process of its own: what makes a library crash, hang or grow ends that process, and nobody else."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

MEMORY = 1 << 31
"""Bytes of address space that such a process may have."""
_STEP = 65_536
_FAILED = "null"


class Spoiled(Exception):
    """The work could not be done; the message says why: ``it took longer than 3 s``, ``it crashed``, ``it failed``."""


class Apart:
    """Does one piece of work after the other in ``python -m module``, whose ``main`` calls ``serve``.

    The process starts with the first piece, and again after one that ended it. Not for several threads.
    """

    def __init__(self, module: str, seconds: float) -> None:
        self._module, self.seconds = module, seconds
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def do(self, head: str, raw: bytes) -> str:
        """What the other side answers, as JSON; ``head`` is one line without a line feed. Raises ``Spoiled``."""
        process = self._process or self._start()
        assert process.stdin is not None  # noqa: S101 - for the type checker: both were asked for
        assert process.stdout is not None  # noqa: S101 - as above
        try:
            process.stdin.write(f"{len(raw)} {head}\n".encode() + raw)
            process.stdin.flush()
            line = _line(process.stdout, time.monotonic() + self.seconds)
        except BaseException as failure:
            self.close()
            if isinstance(failure, TimeoutError):
                raise Spoiled(f"it took longer than {self.seconds:g} s") from None
            if isinstance(failure, OSError):
                raise Spoiled("it crashed") from None
            raise
        if line == _FAILED:
            raise Spoiled("it failed")
        return line

    def _start(self) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        self._process = subprocess.Popen(  # noqa: S603 - our own module by our own interpreter
            [sys.executable, "-P", "-m", self._module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )
        return self._process

    def close(self) -> None:
        """End the process; the next piece of work would start another."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with suppress(OSError):
                process.communicate()


def _line(output: IO[bytes], until: float) -> str:
    """A line of what the process writes. Raises ``TimeoutError``, and ``OSError`` if it ended."""
    parts: list[bytes] = []
    while not parts or not parts[-1].endswith(b"\n"):
        left = until - time.monotonic()
        if left <= 0 or not select.select([output], [], [], left)[0]:
            raise TimeoutError
        part = os.read(output.fileno(), _STEP)
        if not part:
            raise BrokenPipeError
        parts.append(part)
    return b"".join(parts).rstrip(b"\n").decode()


def serve(answer: Callable[[str, bytes], object]) -> None:
    """The other side: answer each piece of work on standard input with a line of JSON, in bounded memory."""
    import json
    import resource

    with suppress(ValueError, OSError):  # a system without this limit still has the other one
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    out, sys.stdout = sys.stdout.buffer, sys.stderr  # what a library prints is no answer
    while first := sys.stdin.buffer.readline():
        size, head = first.decode().rstrip("\n").split(" ", 1)
        raw = sys.stdin.buffer.read(int(size))
        try:
            line = json.dumps(answer(head, raw))
        except (ValueError, RecursionError, MemoryError):
            line = _FAILED
        out.write(line.encode("utf-8", "replace") + b"\n")
        out.flush()
