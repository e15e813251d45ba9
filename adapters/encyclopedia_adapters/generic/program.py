"""Runs somebody's program: no shell, a list of arguments, bounded in time and output, and ended with all that it started."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.model.errors import Garbled, Refused
from encyclopedia_adapters.shared.processes import end

if TYPE_CHECKING:
    from asyncio import StreamReader
    from collections.abc import Mapping, Sequence

MAX_OUTPUT = 2 * 1024 * 1024
_KEPT = ("PATH", "HOME", "LANG")
_TAIL = 8192


class Finished(NamedTuple):
    """A run that has ended: exit code, what it printed, the end of its messages."""

    code: int
    output: str
    messages: str


async def run(arguments: Sequence[str], passed: Mapping[str, str], limit: float) -> Finished:
    """Run to the end within ``limit`` seconds; the environment is PATH, HOME, LANG and ``passed``.

    Raises ``Refused`` if the program is not there or cannot be started, ``Garbled`` if it prints more than ``MAX_OUTPUT``
    bytes, ``TimeoutError``.
    """
    import asyncio
    from asyncio.subprocess import DEVNULL, PIPE

    name = os.path.basename(arguments[0])
    environment = {kept: os.environ[kept] for kept in _KEPT if kept in os.environ} | dict(passed)
    try:
        process = await asyncio.create_subprocess_exec(
            *arguments, stdin=DEVNULL, stdout=PIPE, stderr=PIPE, env=environment, start_new_session=True
        )
    except (FileNotFoundError, NotADirectoryError):
        raise Refused(f"cli_not_found: {name} is not there") from None
    except (OSError, ValueError):
        raise Refused(f"cli_not_found: {name} cannot be started") from None
    done = False
    try:
        async with asyncio.timeout(limit):
            output, messages = await asyncio.gather(_read(process.stdout, name), _tail(process.stderr))
            code = await process.wait()
        done = True
    except TimeoutError:
        raise TimeoutError(f"{name} did not answer within {limit:.3g} s") from None
    finally:
        if not done:
            await end(process)
    return Finished(code, output.decode("utf-8", "replace"), messages.decode("utf-8", "replace"))


async def _read(stream: StreamReader | None, name: str) -> bytes:
    output = bytearray()
    while stream and (chunk := await stream.read(65536)):
        output += chunk
        if len(output) > MAX_OUTPUT:
            raise Garbled(f"{name} printed more than {MAX_OUTPUT} bytes")
    return bytes(output)


async def _tail(stream: StreamReader | None) -> bytes:
    kept = b""
    while stream and (chunk := await stream.read(65536)):
        kept = (kept + chunk)[-_TAIL:]
    return kept
