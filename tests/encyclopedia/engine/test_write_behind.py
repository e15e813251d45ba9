"""What is written behind the answers: in order, in few pieces, all of it, whatever a store does."""

from __future__ import annotations

import asyncio
import errno
import threading
from typing import TYPE_CHECKING

import pytest

from encyclopedia.engine.here import at_once
from encyclopedia.engine.write_behind import TRIES, WriteBehind

if TYPE_CHECKING:
    from collections.abc import Sequence

AGES = 3600.0


@pytest.mark.spec("ENC-BEHIND-1")
async def test_what_is_put_is_written_in_order_in_one_piece_and_in_another_thread() -> None:
    behind, pieces, threads = WriteBehind(AGES), [], []

    def write(things: Sequence[int]) -> str:
        pieces.append(list(things))
        threads.append(threading.current_thread())
        return ""

    for number in range(5):
        behind.put("answers", write, number)
    await behind.settle()
    assert pieces == [[0, 1, 2, 3, 4]]
    assert threads != [threading.main_thread()]


@pytest.mark.spec("ENC-BEHIND-1")
async def test_what_comes_while_something_is_written_is_written_too() -> None:
    behind, pieces = WriteBehind(), []

    def write(things: Sequence[str]) -> str:
        pieces.append(list(things))
        return ""

    behind.put("answers", write, "first", then=lambda _: behind.put("answers", write, "second"))
    await behind.settle()
    assert pieces == [["first"], ["second"]]


@pytest.mark.spec("ENC-BEHIND-2")
async def test_a_store_that_raises_is_told_once_and_keeps_nothing_else_from_being_written() -> None:
    behind, written, told = WriteBehind(AGES), [], []

    def fails(things: Sequence[str]) -> str:
        raise OSError("disk full")

    def write(things: Sequence[str]) -> str:
        written.extend(things)
        return ""

    behind.put("answers", fails, "lost", then=told.append)
    behind.put("history", write, "kept", then=told.append)
    await behind.settle()
    assert written == ["kept"]
    assert told == ["answers: disk full", ""]
    assert (behind.problem("answers"), behind.problem("answers"), behind.problem("history")) == ("answers: disk full", "", "")


@pytest.mark.spec("ENC-BEHIND-1")
def test_a_command_that_put_nothing_settles_without_an_event_loop() -> None:
    at_once(WriteBehind().settle())


@pytest.mark.spec("ENC-BEHIND-1")
def test_each_event_loop_writes_its_own() -> None:
    behind, written = WriteBehind(AGES), []

    def write(things: Sequence[int]) -> str:
        written.append(list(things))
        return ""

    async def one(number: int) -> None:
        behind.put("answers", write, number)
        await behind.settle()

    for number in range(3):
        asyncio.run(one(number))
    assert written == [[0], [1], [2]]


@pytest.mark.spec("ENC-BEHIND-2")
@pytest.mark.parametrize(("held", "written"), [(TRIES - 1, ["a", "b"]), (TRIES, [])])
async def test_what_another_process_held_up_is_tried_again_in_its_order(held: int, written: list[str]) -> None:
    behind, found, told = WriteBehind(0.001), [], []
    left = iter(range(held))

    def write(things: Sequence[str]) -> str:
        if next(left, None) is not None:
            raise BlockingIOError(errno.EWOULDBLOCK, "another process holds its lock")
        found.extend(things)
        return ""

    behind.put("history", write, "a", then=told.append)
    behind.put("history", write, "b", then=told.append)
    await behind.settle()
    assert found == written
    assert [bool(problem) for problem in told] == [not written] * 2
    assert bool(behind.problem("history")) is not bool(written)


@pytest.mark.spec("ENC-BEHIND-3")
async def test_what_is_waited_for_is_written_at_once() -> None:
    behind, written = WriteBehind(AGES), []

    def write(things: Sequence[str]) -> str:
        written.extend(things)
        return "no room" if "second" in things else ""

    assert await behind.write("history", write, "first", AGES) == ""
    assert await behind.write("history", write, "second", AGES) == "no room"
    assert written == ["first", "second"]


@pytest.mark.spec("ENC-BEHIND-3")
async def test_what_comes_too_late_is_waited_for_once_and_not_again_until_something_was_written() -> None:
    behind, written, free = WriteBehind(AGES), [], threading.Event()

    def write(things: Sequence[str]) -> str:
        if not free.wait(60.0):
            raise BlockingIOError(errno.EWOULDBLOCK, "held")
        written.extend(things)
        return ""

    assert await behind.write("history", write, "first", 0.01) == ""
    for name in ("second", "third"):
        async with asyncio.timeout(30):
            assert await behind.write("history", write, name, AGES) == ""
    assert written == []
    free.set()
    await behind.settle()
    assert written == ["first", "second", "third"]
    assert await behind.write("history", write, "fourth", AGES) == ""
    assert written[-1] == "fourth"
