"""Ends a program that somebody else may have written, with all that it started."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from asyncio.subprocess import Process


async def end(process: Process) -> None:
    """Kill the process group that ``process`` leads (``start_new_session``), and let go of its pipes."""
    import signal  # a dry run ends no program

    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    held: Any = process
    transport = held._transport  # noqa: SLF001 - wait() waits for pipes that nobody reads, and nothing public closes them
    for descriptor in range(3):  # not the transport itself: it asks after the process, and then nobody learns how it ended
        pipe = transport.get_pipe_transport(descriptor)
        if pipe is not None:
            pipe.close()
    await process.wait()
