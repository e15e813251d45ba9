"""Equal work once, whoever leaves early."""

from __future__ import annotations

import asyncio
import threading

import pytest

from encyclopedia.engine.single_flight import SingleFlight


class Work:
    """Work that waits to be let go, and counts."""

    def __init__(self, result="done"):
        self.go = asyncio.Event()
        self.begun = asyncio.Event()
        self.runs = 0
        self.cancelled = 0
        self.result = result

    async def __call__(self):
        self.runs += 1
        self.begun.set()
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


def others():
    return asyncio.all_tasks() - {asyncio.current_task()}


async def fly(flights, work, callers=3, key="k"):
    tasks = [asyncio.create_task(flights.run(key, work)) for _ in range(callers)]
    await work.begun.wait()
    return tasks


@pytest.mark.spec("ENC-FLIGHT-1")
async def test_equal_keys_share_one_task():
    work = Work()
    tasks = await fly(SingleFlight(), work, 20)
    work.go.set()
    assert await asyncio.gather(*tasks) == ["done"] * 20
    assert work.runs == 1


async def test_other_keys_do_not():
    flights, one, two = SingleFlight(), Work("one"), Work("two")
    tasks = [*await fly(flights, one, 2, "a"), *await fly(flights, two, 2, "b")]
    one.go.set()
    two.go.set()
    assert await asyncio.gather(*tasks) == ["one", "one", "two", "two"]


async def test_what_is_done_is_done_again():
    flights, work = SingleFlight(), Work()
    work.go.set()
    await flights.run("k", work)
    await flights.run("k", work)
    assert work.runs == 2


@pytest.mark.spec("ENC-FLIGHT-2")
async def test_the_first_one_leaving_cancels_nobody_else():
    work = Work()
    first, second, third = await fly(SingleFlight(), work)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    work.go.set()
    assert await asyncio.gather(second, third) == ["done", "done"]
    assert work.cancelled == 0


@pytest.mark.spec("ENC-FLIGHT-2")
async def test_the_last_one_leaving_cancels_the_work():
    work = Work()
    tasks = await fly(SingleFlight(), work)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    assert [task.cancelled() for task in tasks] == [True] * 3
    assert work.cancelled == 1
    assert not others()


@pytest.mark.spec("ENC-FLIGHT-2")
async def test_who_comes_while_the_work_goes_down_starts_anew():
    flights, slow = SingleFlight(), asyncio.Event()

    async def reluctant():
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await slow.wait()
            raise

    async def quick():
        return "fresh"

    leaver = asyncio.create_task(flights.run("k", reluctant))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    leaver.cancel()
    await asyncio.sleep(0)
    assert await flights.run("k", quick) == "fresh"
    slow.set()
    await asyncio.wait({leaver})


@pytest.mark.spec("ENC-FLIGHT-3")
async def test_an_exception_reaches_all():
    work = Work(RuntimeError("boom"))
    tasks = await fly(SingleFlight(), work)
    work.go.set()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [str(result) for result in results] == ["boom"] * 3
    assert work.runs == 1


async def test_an_exception_that_nobody_waits_for_is_no_complaint():
    async def work():
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise RuntimeError("while going down") from None

    task = asyncio.create_task(SingleFlight().run("k", work))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not others()


@pytest.mark.spec("ENC-FLIGHT-4")
def test_different_loops_never_share_a_task():
    flights, meet, results = SingleFlight(), threading.Barrier(2), []

    async def work():
        await asyncio.to_thread(meet.wait, 10)  # passes only if both loops are at work
        return threading.get_ident()

    threads = [threading.Thread(target=lambda: results.append(asyncio.run(flights.run("k", work)))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(results)) == 2


async def test_nothing_is_kept_after_the_landing():
    flights, work = SingleFlight(), Work()
    work.go.set()
    await flights.run("k", work)
    await asyncio.sleep(0)
    assert not flights._flights
