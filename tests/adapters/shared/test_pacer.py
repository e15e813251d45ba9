import asyncio

import pytest

from encyclopedia.model.errors import Refused
from encyclopedia_adapters.shared.pacer import Pacer


class Time:
    """A clock that sleeping moves."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now

    async def sleep(self, seconds):
        self.now += seconds


@pytest.fixture
def time():
    return Time()


@pytest.fixture
def pacer(time):
    return Pacer(3.0, time, time.sleep)


@pytest.mark.spec("ENC-PACER-1")
async def test_one_request_begins_each_interval(pacer, time):
    begun = []
    for _ in range(4):
        await pacer.turn("s", 10.0)
        begun.append(time.now)
    assert begun == [100.0, 103.0, 106.0, 109.0]
    time.now = 200.0
    assert await pacer.turn("s", 10.0) == 0.0


@pytest.mark.spec("ENC-PACER-1")
async def test_whoever_would_wait_too_long_is_refused_at_once_and_takes_no_turn(pacer, time):
    assert await pacer.turn("s", 1.0) == 0.0
    for _ in range(3):
        with pytest.raises(Refused, match="s takes one request every 3 s"):
            await pacer.turn("s", 2.9)
    assert await pacer.turn("s", 3.0) == 3.0


@pytest.mark.spec("ENC-PACER-2")
async def test_a_turn_that_is_cancelled_is_given_back():
    pacer = Pacer(3.0, lambda: 100.0, lambda seconds: asyncio.Event().wait() if seconds else asyncio.sleep(0))
    await pacer.turn("s", 10.0)
    waiting = asyncio.create_task(pacer.turn("s", 10.0))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    again = asyncio.create_task(pacer.turn("s", 3.0))
    await asyncio.sleep(0)
    assert not again.done()
    again.cancel()
    with pytest.raises(asyncio.CancelledError):
        await again


@pytest.mark.spec("ENC-PACER-2")
async def test_a_cancelled_turn_moves_nobody_who_stands_behind():
    pacer = Pacer(3.0, lambda: 100.0, lambda seconds: asyncio.Event().wait() if seconds else asyncio.sleep(0))
    await pacer.turn("s", 10.0)
    waiting = [asyncio.create_task(pacer.turn("s", 10.0)) for _ in range(2)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting[0]
    with pytest.raises(Refused):  # the second one's turn begins after 6 s, so the next after 9
        await pacer.turn("s", 8.9)
    waiting[1].cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting[1]
