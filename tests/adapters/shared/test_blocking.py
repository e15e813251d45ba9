"""Threads for local answers are counted, and a hanging one takes nothing from anybody else."""

from __future__ import annotations

import asyncio
import threading

import pytest

from encyclopedia.engine.attempt import attempt
from encyclopedia.engine.verdict import FAIL, NEUTRAL
from encyclopedia.model.errors import Refused
from encyclopedia.model.outcome import Hit, Reply
from encyclopedia.model.plan import Ask, Request
from encyclopedia.model.query import QueryType
from encyclopedia.model.status import Status
from encyclopedia_adapters.shared.blocking import THREADS, WAITING, in_thread

REQUEST = Request("x", QueryType.LIBRARY_DOCS, 5, 1.0)


def at_once(request, _cancelled):
    return Reply((Hit(request.text),))


def until_cancelled(_request, cancelled):
    assert cancelled.wait(30)
    return Reply()


async def gone(tasks):
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


@pytest.mark.spec("ENC-BLOCK-1")
async def test_an_answer_comes_back_and_what_it_raises_too():
    assert await in_thread(at_once, REQUEST) == Reply((Hit("x"),))
    with pytest.raises(ZeroDivisionError):
        await in_thread(lambda *_: 1 / 0, REQUEST)


@pytest.mark.spec("ENC-BLOCK-1")
async def test_who_is_too_many_is_refused_and_everybody_else_is_served_later():
    tasks = [asyncio.ensure_future(in_thread(until_cancelled, REQUEST)) for _ in range(THREADS + WAITING)]
    await asyncio.sleep(0)
    with pytest.raises(Refused, match=f"busy with {THREADS + WAITING} earlier local searches"):
        await in_thread(at_once, REQUEST)
    assert await asyncio.to_thread(lambda: 5) == 5  # what is no search has its own threads
    await gone(tasks)
    assert await in_thread(at_once, REQUEST) == Reply((Hit("x"),))


@pytest.mark.spec("ENC-BLOCK-1")
async def test_who_waits_for_a_thread_until_the_time_is_over_is_refused_and_nobody_has_failed():
    ask = Ask("notes", REQUEST._replace(timeout=0.05), 1.0)
    outcome, verdict = await attempt(ask, lambda: in_thread(until_cancelled, ask.request))  # it has a thread, and hangs
    assert (outcome.status, verdict.booked) == (Status.TIMEOUT, FAIL)
    tasks = [asyncio.ensure_future(in_thread(until_cancelled, REQUEST)) for _ in range(THREADS)]
    await asyncio.sleep(0)
    outcome, verdict = await attempt(ask, lambda: in_thread(at_once, ask.request))
    assert (outcome.status, verdict.booked) == (Status.ERROR, NEUTRAL)
    assert "busy with earlier local searches" in outcome.reason
    await gone(tasks)
    assert all(task.cancelled() for task in tasks)


@pytest.mark.spec("ENC-BLOCK-1")
async def test_no_more_threads_than_there_may_be():
    tasks = [asyncio.ensure_future(in_thread(until_cancelled, REQUEST)) for _ in range(THREADS + 5)]
    await asyncio.sleep(0)
    assert sum(thread.name.startswith("local search") for thread in threading.enumerate()) == THREADS
    await gone(tasks)
