"""Everybody at once, within the deadline, and nobody at another's cost."""

from __future__ import annotations

import asyncio
import gc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.engine.dispatch import dispatch
from encyclopedia.model.errors import Unavailable
from encyclopedia.model.outcome import Outcome
from encyclopedia.model.status import Status


class Sources:
    """Sources by name: a reply, an exception, or an asynchronous function of the request."""

    def __init__(self, **answers):
        self.answers = answers
        self.asked = []

    def __call__(self, name):
        async def search(request):
            self.asked.append(name)
            answer = self.answers[name]
            if callable(answer):
                return await answer(request)
            if isinstance(answer, BaseException):
                raise answer
            return answer

        return search


async def never(_request):
    await asyncio.Event().wait()


def after(seconds, reply):
    async def search(_request):
        await asyncio.sleep(seconds)
        return reply

    return search


def others():
    return asyncio.all_tasks() - {asyncio.current_task()}


@pytest.mark.spec("ENC-DISPATCH-1")
async def test_all_are_asked_at_once_and_come_in_the_order_of_the_plan(make):
    together = asyncio.Barrier(3)

    async def meet(_request):
        await together.wait()  # passes only when all three are under way
        return make.reply("a")

    answers = Sources(alpha=meet, beta=meet, gamma=meet)
    outcomes = (await dispatch(make.plan("gamma", "alpha", "beta"), sources=answers)).outcomes
    assert [(o.source, o.status) for o in outcomes] == [("gamma", "ok"), ("alpha", "ok"), ("beta", "ok")]


@pytest.mark.spec("ENC-DISPATCH-1")
@given(st.permutations(["alpha", "beta", "gamma", "delta"]), st.permutations([0, 1, 2, 3]))
async def test_the_order_of_arrival_does_not_matter(names, delays):
    async def late(turns):
        for _ in range(turns):
            await asyncio.sleep(0)
        raise Unavailable("down")

    from types import SimpleNamespace

    asks = tuple(SimpleNamespace(source=n, request=SimpleNamespace(timeout=5, limit=5)) for n in names)
    turns = dict(zip(names, delays, strict=True))
    plan = SimpleNamespace(asks=asks, deadline=5.0, soft_deadline=0.0, waiting={})
    outcomes = await dispatch(plan, sources=lambda name: lambda _request: late(turns[name]))
    assert [o.source for o in outcomes.outcomes] == names


@pytest.mark.spec("ENC-DISPATCH-2")
async def test_one_failing_costs_nobody_else_a_result(make):
    answers = Sources(
        alpha=make.reply("a"), beta=RuntimeError("boom"), gamma=OSError("gone"), delta=ExceptionGroup("g", [KeyError("x")])
    )
    outcomes = await dispatch(make.plan("alpha", "beta", "gamma", "delta", "missing"), sources=answers)
    assert [o.status for o in outcomes.outcomes] == ["ok", "error", "unavailable", "error", "error"]
    assert outcomes.outcomes[0].reply == make.reply("a")


@pytest.mark.spec("ENC-DISPATCH-2")
async def test_a_source_that_cannot_be_built_is_an_outcome(make):
    def sources(name):
        if name == "beta":
            raise ImportError("No module named 'beta'")
        return Sources(alpha=make.reply("a"))(name)

    outcomes = (await dispatch(make.plan("alpha", "beta"), sources=sources)).outcomes
    assert [o.status for o in outcomes] == ["ok", "error"]
    assert outcomes[1].reason == "ImportError: No module named 'beta'"


@pytest.mark.spec("ENC-DISPATCH-2")
async def test_a_guard_that_fails_costs_nobody_else_a_result(make):
    async def guard(ask, work):
        if ask.source == "beta":
            raise RuntimeError("defect")
        return Outcome(ask.source, Status.OK, await work())

    answers = Sources(alpha=make.reply("a"), beta=make.reply("b"))
    outcomes = (await dispatch(make.plan("alpha", "beta"), sources=answers, guard=guard)).outcomes
    assert [o.status for o in outcomes] == ["ok", "error"]


@pytest.mark.spec("ENC-DISPATCH-3")
async def test_the_deadline_keeps_what_has_arrived(make):
    answers = Sources(alpha=make.reply("a"), beta=never, gamma=make.reply("c"))
    outcomes = (await dispatch(make.plan("alpha", "beta", "gamma", deadline=0.05), sources=answers)).outcomes
    assert [o.status for o in outcomes] == ["ok", "timeout", "ok"]
    assert outcomes[1].reason == "query deadline"
    assert outcomes[1].seconds >= 0.05
    assert not others()


@pytest.mark.spec("ENC-DISPATCH-3")
async def test_the_deadline_is_no_failure_of_the_source(make, circuit, records):
    for _ in range(4):
        await dispatch(make.plan("alpha", deadline=0.01), sources=Sources(alpha=never), guard=circuit)
    assert records.peek("alpha") is None


async def test_without_a_guard_the_sources_timeout_holds(make):
    outcomes = await dispatch(make.plan("alpha", timeout=0.01), sources=Sources(alpha=never))
    assert outcomes.outcomes[0].reason == "no answer within 0.01 s"


@pytest.mark.spec("ENC-DISPATCH-4")
async def test_a_task_that_ignores_cancellation_is_left_behind(make):
    go, ended = asyncio.Event(), asyncio.Event()

    async def stubborn(_request):
        try:
            await never(_request)
        except asyncio.CancelledError:
            await go.wait()
            ended.set()
            raise RuntimeError("nobody hears this") from None

    heard = []
    answers = Sources(alpha=make.reply("a"), beta=stubborn)
    outcomes = (await dispatch(make.plan("alpha", "beta", deadline=0.02), sources=answers, on_outcome=heard.append)).outcomes
    assert [(o.status, o.reason) for o in outcomes] == [("ok", ""), ("timeout", "query deadline")]
    (left,) = others()
    gc.collect()
    go.set()
    await ended.wait()
    await asyncio.wait({left})
    assert len(heard) == 2
    del left
    gc.collect()  # an exception that nobody fetched would be complained about here


@pytest.mark.spec("ENC-DISPATCH-5")
async def test_stop_gives_what_has_arrived(make):
    stop, heard = asyncio.Event(), []

    def seen(outcome):
        heard.append(outcome.source)
        stop.set()

    answers = Sources(alpha=make.reply("a"), beta=never)
    outcomes = (await dispatch(make.plan("alpha", "beta"), sources=answers, on_outcome=seen, stop=stop)).outcomes
    assert [o.status for o in outcomes] == ["ok", "cancelled"]
    assert heard == ["alpha", "beta"]
    assert not others()


@pytest.mark.spec("ENC-DISPATCH-5")
async def test_a_stop_that_never_comes_changes_nothing(make):
    stop = asyncio.Event()
    outcomes = (
        await dispatch(
            make.plan("alpha", "beta"), sources=Sources(alpha=make.reply("a"), beta=after(0.01, make.reply("b"))), stop=stop
        )
    ).outcomes
    assert [o.status for o in outcomes] == ["ok", "ok"]
    assert not others()


async def test_stop_and_deadline_go_together(make):
    outcomes = await dispatch(make.plan("alpha", deadline=0.01), sources=Sources(alpha=never), stop=asyncio.Event())
    assert outcomes.outcomes[0].status == Status.TIMEOUT
    assert not others()


@pytest.mark.spec("ENC-DISPATCH-6")
@pytest.mark.parametrize("with_stop", [False, True])
async def test_cancelling_leaves_no_task_and_no_count(make, circuit, records, with_stop):
    begun = asyncio.Barrier(4)

    async def hang(_request):
        await begun.wait()
        await never(_request)

    names = ("alpha", "beta", "gamma")
    for _ in range(4):
        heard = []
        running = asyncio.create_task(
            dispatch(
                make.plan(*names),
                sources=Sources(**dict.fromkeys(names, hang)),
                guard=circuit,
                on_outcome=heard.append,
                stop=asyncio.Event() if with_stop else None,
            )
        )
        await begun.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert not others()
        assert heard == []
    assert [records.peek(name) for name in names] == [None] * 3


@pytest.mark.spec("ENC-DISPATCH-7")
async def test_each_outcome_is_told_once_as_it_lands(make):
    heard = []
    answers = Sources(alpha=after(0.03, make.reply("a")), beta=make.reply("b"), gamma=never, delta=OSError("x"))
    plan = make.plan("alpha", "beta", "gamma", "delta", deadline=0.1)
    outcomes = (await dispatch(plan, sources=answers, on_outcome=heard.append)).outcomes
    assert [o.source for o in heard] == ["beta", "delta", "alpha", "gamma"]
    assert sorted(heard, key=lambda o: o.source) == sorted(outcomes, key=lambda o: o.source)


async def test_a_listener_that_raises_changes_nothing(make):
    def seen(_outcome):
        raise RuntimeError("listener")

    outcomes = await dispatch(make.plan("alpha"), sources=Sources(alpha=make.reply("a")), on_outcome=seen)
    assert outcomes.outcomes[0].status == Status.OK


async def test_a_source_that_cancels_itself_is_cancelled(make):
    outcomes = await dispatch(make.plan("alpha", "beta"), sources=Sources(alpha=asyncio.CancelledError(), beta=make.reply("b")))
    assert [(o.status, o.reason) for o in outcomes.outcomes] == [("cancelled", "gave up by itself"), ("ok", "")]


async def test_a_plan_that_asks_nobody_has_no_outcomes(make):
    plan = make.plan()
    outcomes = await dispatch(plan, sources=Sources(), stop=asyncio.Event())
    assert outcomes.plan is plan
    assert outcomes.outcomes == ()


async def test_a_source_asked_twice_gives_two_outcomes(make):
    answers = Sources(alpha=make.reply("a"))
    outcomes = await dispatch(make.plan("alpha", "alpha"), sources=answers)
    assert len(outcomes.outcomes) == 2
    assert answers.asked == ["alpha", "alpha"]


@pytest.mark.spec("ENC-PATIENCE-4")
async def test_after_the_soft_deadline_enough_is_enough(make):
    answers = Sources(alpha=make.reply("a", "b", "c", "d", "e"), beta=never)
    plan = make.plan("alpha", "beta", deadline=30.0, timeout=30.0, soft_deadline=0.01)
    found = (await dispatch(plan, sources=answers)).outcomes
    assert [(o.status, o.reason) for o in found] == [
        ("ok", ""),
        ("cancelled", "not waited for: there was enough after 0.01 s"),
    ]
    assert others() == set()


@pytest.mark.spec("ENC-PATIENCE-4")
@pytest.mark.parametrize("titles", [("a",), ()])
async def test_with_too_little_the_hard_deadline_holds(make, titles):
    answers = Sources(alpha=make.reply(*titles), beta=never, gamma=never)
    plan = make.plan("alpha", "beta", "gamma", deadline=0.05, soft_deadline=0.01)
    found = (await dispatch(plan, sources=answers)).outcomes
    assert [o.reason for o in found] == ["", "query deadline", "query deadline"]


@pytest.mark.spec("ENC-PATIENCE-4")
async def test_the_soft_deadline_waits_until_there_is_enough(make):
    answers = Sources(alpha=after(0.05, make.reply("a", "b", "c", "d", "e")), beta=never)
    plan = make.plan("alpha", "beta", deadline=30.0, timeout=30.0, soft_deadline=0.01)
    found = (await dispatch(plan, sources=answers)).outcomes
    assert [o.status for o in found] == ["ok", "cancelled"]
