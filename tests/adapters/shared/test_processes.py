"""A program that prints without end, and nobody reads it."""

import asyncio
import sys
from asyncio.subprocess import PIPE

import pytest

from encyclopedia_adapters.shared.processes import end

FLOOD = "import sys\nwhile True: sys.stdout.write('x' * 65536)"


@pytest.mark.spec("ENC-COMMAND-4")
async def test_a_program_whose_output_has_dammed_up_is_ended():
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", FLOOD, stdout=PIPE, start_new_session=True)
    await process.stdout.read(1)
    for _ in range(50):  # the reader's buffer fills, and reading is paused
        await asyncio.sleep(0.005)
        if not process._transport.get_pipe_transport(1).is_reading():
            break
    assert not process._transport.get_pipe_transport(1).is_reading()
    async with asyncio.timeout(5):
        await end(process)
    assert process.returncode == -9
    await end(process)
