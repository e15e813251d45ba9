"""Threads that nobody waits for: not who asked and went away, not the end of a process."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading

import pytest

from encyclopedia_adapters.shared.unattended import unattended


@pytest.mark.spec("ENC-HTTP-11")
async def test_what_the_work_gives_or_raises_comes_back():
    assert await asyncio.wrap_future(unattended(lambda: 5, "five")) == 5
    with pytest.raises(ZeroDivisionError):
        await asyncio.wrap_future(unattended(lambda: 1 // 0, "never"))
    with pytest.raises(SystemExit):
        unattended(sys.exit, "leaves").result(10)


@pytest.mark.spec("ENC-HTTP-11")
async def test_who_went_away_is_told_nothing_and_nothing_breaks():
    go_on, faults = threading.Event(), []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context))
    begun = unattended(lambda: go_on.wait(10), "late")
    waiting = asyncio.ensure_future(asyncio.wrap_future(begun))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    go_on.set()
    assert await asyncio.to_thread(begun.result, 10) is True
    await asyncio.sleep(0)
    assert faults == []


@pytest.mark.spec("ENC-HTTP-11")
def test_a_thread_that_hangs_keeps_no_process_and_no_loop_alive():
    code = (
        "import asyncio, threading\n"
        "from encyclopedia_adapters.shared.unattended import unattended\n"
        "async def main():\n"
        "    asyncio.ensure_future(asyncio.wrap_future(unattended(threading.Event().wait, 'hangs')))\n"
        "    await asyncio.sleep(0)\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
