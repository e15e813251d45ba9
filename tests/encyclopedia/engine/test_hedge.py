"""A second request helps where the first is late, and stays a small share of all."""

from __future__ import annotations

import asyncio

import pytest

from encyclopedia.engine.dispatch import dispatch
from encyclopedia.engine.hedge import Hedge
from encyclopedia.model.errors import Unavailable
from encyclopedia.model.plan import Waiting


class Work:
    """Does what the next of its turns says: hang, raise, or give a value."""

    def __init__(self, *turns):
        self.turns, self.begun, self.cancelled = list(turns), 0, 0

    async def __call__(self, _request=None):
        turn = self.turns[min(self.begun, len(self.turns) - 1)]
        self.begun += 1
        if turn == "hang":
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.cancelled += 1
                raise
        if isinstance(turn, Exception):
            raise turn
        return turn


async def saved(hedge):
    """A hedge that may send a request, as enough calls have gone before."""
    for _ in range(20):
        await hedge.run(Work("good"), 5.0, lambda: None)
    return hedge


def others():
    return asyncio.all_tasks() - {asyncio.current_task()}


@pytest.mark.spec("ENC-PATIENCE-3")
async def test_the_second_answer_counts_and_the_first_is_cancelled(make):
    work, sent = Work("hang", "good"), []
    assert await (await saved(Hedge(0.0501))).run(work, 0.01, lambda: sent.append(1)) == "good"
    assert (work.begun, work.cancelled, len(sent), others()) == (2, 1, 1, set())


@pytest.mark.spec("ENC-PATIENCE-3")
async def test_a_quick_answer_costs_no_second_request():
    work = Work("good")
    assert await (await saved(Hedge(0.0501))).run(work, 5.0, lambda: None) == "good"
    assert work.begun == 1


@pytest.mark.spec("ENC-PATIENCE-3")
async def test_of_a_hundred_late_calls_five_are_sent_twice_at_most():
    hedge, begun = Hedge(0.05), 0
    for _ in range(100):
        work = Work("hang", "good")
        call = asyncio.ensure_future(hedge.run(work, 0.0, lambda: None))
        await asyncio.wait({call}, timeout=0.002)
        call.cancel()
        await asyncio.wait({call})
        begun += work.begun
    assert 100 < begun <= 105


@pytest.mark.spec("ENC-PATIENCE-3")
async def test_a_failure_is_raised_if_neither_is_good():
    with pytest.raises(Unavailable, match="first"):
        await (await saved(Hedge(0.0501))).run(Work(Unavailable("first")), 5.0, lambda: None)


@pytest.mark.spec("ENC-PATIENCE-3")
async def test_cancelling_leaves_neither_behind():
    hedge, work = await saved(Hedge(0.0501)), Work("hang")
    call = asyncio.ensure_future(hedge.run(work, 0.0, lambda: None))
    while work.begun < 2:
        await asyncio.sleep(0)
    call.cancel()
    await asyncio.wait({call})
    assert (work.cancelled, others()) == (2, set())


@pytest.mark.spec("ENC-PATIENCE-3")
async def test_the_outcome_tells_of_the_second_request(make):
    plan = make.plan("alpha", "beta", waiting={"alpha": Waiting(2.0, 0.01, 2.0, 0.01), "beta": Waiting(2.0, 0.01, 2.0, 0.0)})
    work = {"alpha": Work("hang", make.reply("a")), "beta": Work(make.reply("b"))}
    found = await dispatch(plan, sources=work.__getitem__, hedge=await saved(Hedge(0.0501)))
    assert [(o.source, o.status.value, o.hedged) for o in found.outcomes] == [("alpha", "ok", True), ("beta", "ok", False)]
