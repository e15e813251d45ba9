"""How far work is: each step once, further each time, seldom enough, and on the event loop."""

from __future__ import annotations

import asyncio
import threading
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.engine.telling import MOST, from_thread, landing, steps
from encyclopedia.model.outcome import Outcome
from encyclopedia.model.status import Status

Told = list[tuple[str, int, int]]


@pytest.mark.spec("ENC-TELL-1")
def test_each_step_is_told_once_and_a_step_more_raises_the_total() -> None:
    told: Told = []
    step = steps(lambda *one: told.append(one), 2)
    for name in ("a", "b", "c"):
        step(name)
    assert told == [("a", 1, 2), ("b", 2, 2), ("c", 3, 3)]
    steps(None, 2)("nobody listens")


@pytest.mark.spec("ENC-TELL-1")
def test_each_source_is_told_as_it_lands() -> None:
    told: Told = []
    watch = landing(lambda *one: told.append(one), 2)
    assert watch.seen
    watch.seen(Outcome("exa", Status.RATE_LIMITED))
    watch.seen(Outcome("notes", Status.OK))
    assert told == [("exa: rate limited", 1, 2), ("notes: ok", 2, 2)]
    assert landing(None, 2).seen is None


@pytest.mark.spec("ENC-TELL-2")
@given(st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 3000)), max_size=400))
def test_whatever_a_thread_tells_comes_further_each_time_and_seldom(given: list[tuple[int, int]]) -> None:
    async def work() -> tuple[Told, set[int]]:
        told: Told = []
        threads = set[int]()

        def hear(name: str, done: int, total: int) -> None:
            told.append((name, done, total))
            threads.add(threading.get_ident())

        def tell(progress: object) -> None:
            for done, total in given:
                progress("a", done, total)

        await asyncio.to_thread(tell, from_thread(hear))
        return told, threads - {threading.get_ident()}

    told, elsewhere = asyncio.run(work())
    assert all(later[1] * earlier[2] > earlier[1] * later[2] for earlier, later in pairwise(told) if earlier[2] and later[2])
    assert len(told) <= MOST + 1
    assert not elsewhere
    assert bool(told) is bool(given)
