"""A process of its own that parses: what makes a grammar crash, hang or grow ends it, and nobody else."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from types import TracebackType

SECONDS = 3.0
"""For one file; most need a few milliseconds."""
MEMORY = 1 << 31
_STEP = 65_536
MODULE = 1000
"""Bytes at the beginning of a file by which it is found as a whole."""


class Unparsed(Exception):
    """The file was too much for its grammar; says why."""


class Worker:
    """Parses files one after the other; started with the first, and again after one that ended it. Not for several threads."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._end()

    def parse(self, language: str, path: str, raw: bytes) -> dict[str, Any]:
        """The fields of ``Parsed`` as JSON has them, with the ``words`` of each definition and of the ``module``.

        Raises ``Unparsed``.
        """
        process = self._process or self._start()
        assert process.stdin is not None  # noqa: S101 - for the type checker: both were asked for
        assert process.stdout is not None  # noqa: S101 - as above
        try:
            process.stdin.write(f"{language} {len(raw)} {path}\n".encode() + raw)
            process.stdin.flush()
            line = _line(process.stdout, time.monotonic() + self._seconds)
        except BaseException as failure:
            self._end()
            if isinstance(failure, TimeoutError):
                raise Unparsed(f"it was not parsed within {self._seconds:g} s") from None
            if isinstance(failure, OSError):
                raise Unparsed("its grammar crashed") from None
            raise
        if line == b"null":
            raise Unparsed("its grammar failed")
        found: dict[str, Any] = json.loads(line)
        return found

    def _start(self) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "encyclopedia_adapters.code.graph_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with suppress(OSError):
                process.communicate()


def _line(output: IO[bytes], until: float) -> bytes:
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
    return b"".join(parts).rstrip(b"\n")


def main() -> None:
    """Answer requests on standard input, each a line with language, size and path and then the file, with a line of JSON."""
    import resource

    with suppress(ValueError, OSError):  # a system without this limit still has the other one
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    while head := sys.stdin.buffer.readline():
        language, size, path = head.decode().rstrip("\n").split(" ", 2)
        raw = sys.stdin.buffer.read(int(size))
        try:
            answer = json.dumps(_answer(language, path, raw))
        except (ValueError, RecursionError, MemoryError):
            answer = "null"
        sys.stdout.buffer.write(answer.encode("utf-8", "replace") + b"\n")
        sys.stdout.buffer.flush()


def _answer(language: str, path: str, raw: bytes) -> dict[str, Any]:
    from encyclopedia_adapters.code.graph_parse import parse
    from encyclopedia_adapters.shared.text_index.analyser import split, terms

    parsed = parse(language, raw)
    rows = [entry[:-1] for entry in parsed.definitions]
    words = [
        [terms(split(part)) for part in (entry.name, f"{entry.qualified} {entry.signature}", entry.doc, entry.text)]
        for entry in parsed.definitions
    ]
    start = raw[:MODULE].decode("utf-8", "replace")
    module = [terms(split(part)) for part in (path.rpartition("/")[2].partition(".")[0], path, "", start)]
    return {
        "module": module,
        "definitions": rows,
        "words": words,
        "calls": parsed.calls,
        "imports": parsed.imports,
        "bases": parsed.bases,
    }


if __name__ == "__main__":
    main()
