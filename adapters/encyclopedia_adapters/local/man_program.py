"""The program `man`, run with a list of arguments, a time limit and a size limit."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from encyclopedia_adapters.shared.processes import end

if TYPE_CHECKING:
    from asyncio import StreamReader

MAX_OUTPUT = 8_000_000
"""Bytes taken from one run."""
# Where the systems that we know keep what `man -k` reads.
_FOLDERS = ("/var/cache/man", "/usr/share/man", "/usr/local/share/man", "/usr/local/man", "/opt/homebrew/share/man")
_DATABASES = ("index.db", "index.bt", "index.dir", "mandoc.db", "whatis", "whatis.db")


def database_stamp(folders: tuple[str, ...] = _FOLDERS) -> str:
    """Changes whenever a database of manual pages is rebuilt; empty without any."""
    marks = []
    for folder in folders:
        for name in _DATABASES:
            path = os.path.join(folder, name)
            with suppress(OSError):
                status = os.stat(path)
                marks.append(f"{path} {status.st_mtime_ns} {status.st_size}")
    return "\n".join(marks)


def is_safe(name: str, section: str) -> bool:
    """Whether a page can be asked for by these: neither a path nor an option, whatever the database says."""
    return bool(name) and "/" not in name and name[0] != "-" and name.isprintable() and section.isalnum()


async def run_man(*arguments: str, timeout: float, program: str = "man", width: int = 80) -> str:  # noqa: ASYNC109 - given on
    """What ``man`` prints; empty if it fails, or does not finish within ``timeout`` seconds. Never a shell, never a pager."""
    import asyncio
    from asyncio.subprocess import DEVNULL, PIPE

    kept = {name: os.environ[name] for name in ("PATH", "HOME", "MANPATH") if name in os.environ}
    environment = {**kept, "LC_ALL": "C.UTF-8", "MANWIDTH": str(width), "MANOPT": "", "GROFF_NO_SGR": "1"}
    process = None
    try:
        async with asyncio.timeout(timeout):
            process = await asyncio.create_subprocess_exec(
                program, *arguments, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL, env=environment, start_new_session=True
            )
            output, complete = await _read(process.stdout)
            failed = complete and await process.wait() != 0
            return "" if failed else output.decode("utf-8", "replace")
    except (OSError, TimeoutError):
        return ""
    finally:
        if process is not None and process.returncode is None:
            await end(process)  # man and the formatters that it started


async def _read(stream: StreamReader | None) -> tuple[bytes, bool]:
    """At most ``MAX_OUTPUT`` bytes, and whether that was all."""
    output = bytearray()
    while stream and len(output) < MAX_OUTPUT:
        chunk = await stream.read(65536)
        if not chunk:
            return bytes(output), True
        output += chunk
    return bytes(output[:MAX_OUTPUT]), False
