"""Ends a program that somebody else may have written, with all that it started."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from asyncio.subprocess import Process


async def end(process: Process) -> None:
    """Kill the process group that ``process`` leads (``start_new_session``), and let go of its pipes."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    held: Any = process
    held._transport.close()  # noqa: SLF001 - wait() waits for pipes that nobody reads, and nothing public closes them
    await process.wait()
