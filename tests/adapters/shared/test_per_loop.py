"""One engine, several event loops: each has its own connections, and none is left behind."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
from collections.abc import Coroutine, Iterator
from typing import Any

import pytest

from encyclopedia_adapters.shared.http import Call, Http
from tests.adapters.contract.stand_ins import AGENT
from tests.upstream import UpstreamProcess


@pytest.fixture
def up() -> Iterator[UpstreamProcess]:
    with UpstreamProcess() as up:
        up.on("/x", json={"a": 1})
        yield up


def made(up: UpstreamProcess) -> Http:
    http = Http(AGENT)
    http.allow(up.url)
    return http


def sockets() -> int:
    """Open descriptors of this process."""
    return len(os.listdir("/dev/fd"))


async def ask(http: Http, up: UpstreamProcess, times: int = 1, slots: int = 4) -> list[Any]:
    call = Call("s", f"{up.url}/x", 10.0, slots=slots)
    return [answer.data for answer in await asyncio.gather(*(http.get_json(call) for _ in range(times)))]


@pytest.mark.spec("ENC-HTTP-9")
@pytest.mark.filterwarnings("ignore:.*unclosed:pytest.PytestUnraisableExceptionWarning")  # whoever ends a loop first is told so
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_one_loop_after_another(up: UpstreamProcess) -> None:
    http, before = made(up), sockets()
    for _ in range(3):
        assert asyncio.run(ask(http, up, times=6, slots=2)) == [{"a": 1}] * 6  # the rest waits for a place of this loop
    asyncio.run(http.aclose())
    gc.collect()
    assert sockets() == before


@pytest.mark.spec("ENC-HTTP-9")
def test_two_loops_at_once_in_threads(up: UpstreamProcess) -> None:
    http, found, together = made(up), list[Any](), threading.Barrier(2)

    def run() -> None:
        async def both() -> None:
            together.wait()
            found.extend(await ask(http, up, times=20, slots=2))
            together.wait()
            await http.aclose()

        asyncio.run(both())

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [{"a": 1}] * 40


@pytest.mark.spec("ENC-HTTP-9")
async def test_a_closed_one_is_made_anew(up: UpstreamProcess) -> None:
    http = made(up)
    for _ in range(2):
        assert await ask(http, up) == [{"a": 1}]
        await http.aclose()


@pytest.mark.spec("ENC-HTTP-9")
def test_a_loop_that_still_runs_closes_its_own(up: UpstreamProcess) -> None:
    http, asked, over = made(up), threading.Event(), threading.Event()

    async def other() -> None:
        await ask(http, up)
        asked.set()
        await asyncio.to_thread(over.wait)
        while not all(held.session.closed for held in http._loops._by_loop.values()):
            await asyncio.sleep(0)
        await http.aclose()

    def run(work: Coroutine[Any, Any, None]) -> None:
        asyncio.run(work)

    thread = threading.Thread(target=run, args=(other(),))
    thread.start()
    asked.wait()
    asyncio.run(http.aclose())
    over.set()
    thread.join()
    gc.collect()
