"""Lets one process at a time work on a question, so that others can use its answer."""

from __future__ import annotations

import os
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from encyclopedia_adapters.shared.private_files import private_file

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

STEP = 0.02
"""Seconds between two looks at a lock that another process holds."""

_files: dict[str, int] = {}
"""One descriptor for each path, never closed: closing any of them would release all locks of the process on the file."""


def open_lease(folder: str) -> ProcessLease | None:
    """The leases of ``folder``; ``None`` on a system without record locks."""
    from importlib.util import find_spec

    return ProcessLease(os.path.join(folder, "flights.lock")) if find_spec("fcntl") else None


class ProcessLease:
    """Record locks on single bytes of one file, which the system releases when a process dies.

    Two callers within one process do not hinder each other: that is the single flight's business.
    """

    def __init__(self, path: str) -> None:
        self._path = path

    @asynccontextmanager
    async def hold(self, key: str, patience: float) -> AsyncIterator[bool]:
        """Hold ``key``; tells whether another process was at it.

        Waits for that one at most ``patience`` seconds, then goes on without; a file that cannot be locked is no hindrance.
        """
        import asyncio
        import fcntl

        clock = asyncio.get_running_loop().time
        until, waited, place = clock() + patience, False, _place(key)
        file = self._file()
        while (held := _take(file, place)) is False and clock() < until:
            waited = True
            await asyncio.sleep(min(STEP, until - clock()))
        try:
            yield waited or held is False
        finally:
            if held and file is not None:
                fcntl.lockf(file, fcntl.LOCK_UN, 1, place)

    def _file(self) -> int | None:
        with suppress(OSError):
            if self._path not in _files:
                _files[self._path] = private_file(self._path)
            return _files[self._path]
        return None


def _take(file: int | None, place: int) -> bool | None:
    """Whether the byte is ours now; ``None`` where nothing can be locked."""
    import fcntl

    if file is None:
        return None
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
    except (BlockingIOError, PermissionError):  # the two ways of saying that somebody else has it
        return False
    except OSError:
        return None
    return True


def _place(key: str) -> int:
    """The byte that stands for a key."""
    import hashlib

    return int.from_bytes(hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()[:7])
