"""What is kept open between calls."""

import asyncio
import contextlib
import threading

import pytest

from encyclopedia_adapters.generic.kept import Kept


class Things:
    """Counts what is opened and closed, and in which task."""

    def __init__(self, fails=0):
        self.opened, self.closed, self.fails, self.gate = [], [], fails, asyncio.Event()
        self.gate.set()

    @contextlib.asynccontextmanager
    async def open(self):
        task = asyncio.current_task()
        await self.gate.wait()
        if self.fails:
            self.fails -= 1
            raise ConnectionError("not now")
        self.opened.append(task)
        try:
            yield len(self.opened)
        finally:
            self.closed.append(asyncio.current_task())


@pytest.mark.spec("ENC-MCP-6")
async def test_it_is_opened_once_and_closed_in_the_task_that_opened_it():
    things = Things()
    kept = Kept(things.open)
    assert await asyncio.gather(*(kept.get() for _ in range(3))) == [(1, False)] * 3
    assert await kept.get() == (1, True)
    await kept.aclose()
    assert things.opened == things.closed


@pytest.mark.spec("ENC-MCP-6")
async def test_after_a_failure_or_a_drop_it_is_opened_anew():
    things = Things(fails=1)
    kept = Kept(things.open)
    with pytest.raises(ConnectionError):
        await kept.get()
    assert await kept.get() == (1, False)
    kept.drop()
    assert await kept.get() == (2, False)
    await kept.aclose()
    assert len(things.closed) == 2


@pytest.mark.spec("ENC-MCP-6")
async def test_giving_up_leaves_it_opening_and_closing_ends_that():
    things = Things()
    things.gate.clear()
    kept = Kept(things.open)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await kept.get()
    things.gate.set()
    assert (await kept.get())[0] == 1
    await kept.aclose()
    things.gate.clear()
    waiting = asyncio.create_task(kept.get())
    await asyncio.sleep(0)
    await kept.aclose()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert len(things.opened) == len(things.closed) == 1


@pytest.mark.spec("ENC-MCP-6")
async def test_every_loop_has_its_own():
    things = Things()
    kept = Kept(things.open)
    await kept.get()
    there = threading.Thread(target=lambda: asyncio.run(kept.get()))
    await asyncio.to_thread(lambda: (there.start(), there.join()))
    assert len(things.opened) == 2
    await kept.aclose()
    assert len(things.closed) == 2
