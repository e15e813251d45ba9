"""The three standard streams: open, able to carry every script, and quiet when the reader goes away."""

from __future__ import annotations

import os
import sys

NAMES = ("stdin", "stdout", "stderr")


def prepare() -> None:
    """Open what was closed, and let no character fail to be written.

    A closed descriptor would be given to the next file that is opened, and results would be written into that.
    """
    for number, name in enumerate(NAMES):
        stream = getattr(sys, name)
        if stream is None:
            os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False))
        elif number and hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding=stream.encoding if stream.isatty() else "utf-8", errors="backslashreplace")


def flush() -> None:
    """Write out what is buffered. Raises ``BrokenPipeError`` when nobody reads any more."""
    sys.stdout.flush()
    sys.stderr.flush()


def abandon(descriptor: int = 1) -> None:
    """Send the rest of stdout (or stderr, 2) nowhere, so that the interpreter does not complain at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def leave(code: int) -> None:
    """End the process now, without waiting for threads that still work for a question nobody waits for."""
    try:
        flush()
    except OSError:
        code = 0
    os._exit(code)
