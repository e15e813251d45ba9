"""Standard input and output as the wire of the protocol: whatever else is printed goes to standard error."""

from __future__ import annotations

import io
import os
from typing import NamedTuple


class Wire(NamedTuple):
    """The two ends that carry JSON-RPC, as descriptors that nobody else has."""

    read: int
    write: int

    def streams(self) -> tuple[io.TextIOWrapper, io.TextIOWrapper]:
        """Both as text in UTF-8, whatever the locale says; what is no UTF-8 becomes an error of JSON, not of ours."""
        reading = io.TextIOWrapper(os.fdopen(self.read, "rb", closefd=False), encoding="utf-8", errors="replace")
        return reading, io.TextIOWrapper(os.fdopen(self.write, "wb", closefd=False), encoding="utf-8", newline="\n")


def claim() -> Wire:
    """Take both streams, before anything that may print is imported.

    From now on standard input is empty, and what modules, plug-ins and child processes print goes to standard error.
    """
    wire = Wire(_moved(0), _moved(1))
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.close(nowhere)
    os.dup2(2, 1)
    return wire


def _moved(number: int) -> int:
    """A copy of a descriptor beyond the three that everybody knows; child processes do not get it."""
    copy = os.dup(number)
    if copy > 2:  # noqa: PLR2004 - standard error
        return copy
    try:
        return _moved(number)
    finally:
        os.close(copy)
