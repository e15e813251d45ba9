"""Answers from the cache, and into it: a wrapper around the work from a plan to its ranking."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TypeVar

from encyclopedia.engine.keys import key_of
from encyclopedia.engine.single_flight import SingleFlight
from encyclopedia.model.label import Label

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable
    from contextlib import AsyncExitStack

    from encyclopedia.engine.recall import Found, Recall
    from encyclopedia.engine.write_behind import WriteBehind
    from encyclopedia.keeping import Lease
    from encyclopedia.model.plan import Plan
    from encyclopedia.model.ranking import CacheUse, Ranking

    Work = Callable[[Plan], Awaitable[Ranking]]

T = TypeVar("T")
PATIENCE = 2.0
"""Seconds to wait for another process that is asking the same, at most; a quarter of the deadline if that is less."""


def whole(ranking: Ranking) -> bool:
    """Whether nobody failed, was held back, gave too little or stood in for others; an answer may be whole and empty."""
    plan = ranking.plan
    answered = all(outcome.answered and not outcome.reply.reduced for outcome in ranking.outcomes)
    complete = all(declined.optional and not declined.refused for declined in plan.declined)
    return answered and complete and plan.primaries and not plan.fallback_used


class AnswerCache:
    """Wraps the work from a plan to its ranking; equal plans in flight share one piece of work, with or without a store.

    ``recall`` finds and keeps answers. ``lease`` keeps two processes from doing the same at once. ``behind`` writes what the
    answers do not wait for.
    """

    patient: bool = True
    """Whether an answer waits until it is stored, so that it can tell if that failed; if not, the next answer tells."""
    alone: bool = False
    """Whether nobody else asks in this process and no event loop runs: then nothing is shared, and nothing waits."""

    def __init__(self, recall: Recall, *, lease: Lease | None = None, behind: WriteBehind | None = None) -> None:
        self._recall, self._lease, self._behind = recall, lease, behind
        self._flights = SingleFlight()
        self._writing: dict[str, asyncio.Future[None]] = {}
        self._refreshing: dict[str, asyncio.Task[Ranking]] = {}
        self._problem = ""

    @property
    def distant(self) -> bool:
        """Whether the stored answers come over a network: then nobody waits for them on an event loop."""
        return self._recall.distant

    def lookup(self, plan: Plan) -> Ranking | None:
        """The stored ranking for the very words, or ``None``; blocks for a moment and loads no model."""
        return self._recall.exact(plan)[0] if plan.query.read_cache else None

    def peek(self, plan: Plan) -> str:
        """What a search would find for the very words: hit, miss, bypass, off or unknown; leaves no mark."""
        return self._recall.peek(plan)

    def storable(self, ranking: Ranking) -> bool:
        """Whether the answer is kept: whole, nothing in it secret, and not empty unless that is remembered too."""
        if any(result.hit.label is Label.SECRET for result in ranking.results):
            return False
        return whole(ranking) and bool(ranking.results or (ranking.outcomes and self._recall.lifetimes.nothing))

    async def run(self, plan: Plan, work: Work) -> Ranking:
        """The stored ranking, or that of ``work``, which is kept if it is whole; its ``cache`` tells which, and why.

        ``work`` is given the plan, with what is left of its deadline.
        """
        from encyclopedia.model.ranking import CacheUse

        if self._recall.store is None:
            found, use = None, self._recall.off()
        elif not plan.query.read_cache:
            found, use = None, CacheUse("bypass")
        else:
            await self.settle(key_of(plan))
            found, use = await self._look(plan)
        if found:
            return found
        if use.status == "miss" and not (self.patient or self.alone) and (late := await self._asked(self._recall.late, plan)):
            self._refresh(plan, work, use)
            return late
        if self.alone:
            return await self._fresh(plan, work, use)
        ranking = await self._flights.run(_shared(plan), lambda: self._lead(plan, work, use))
        return ranking._replace(plan=plan)

    def _refresh(self, plan: Plan, work: Work, use: CacheUse) -> None:
        """Ask anew in a task of its own; what comes of it is for the next who asks."""
        import asyncio

        key = key_of(plan)
        if key in self._refreshing:
            return
        fresh = self._flights.run(_shared(plan), lambda: self._lead(plan, work, use))
        task = self._refreshing[key] = asyncio.get_running_loop().create_task(fresh, name="ask anew")

        def done(task: asyncio.Task[Ranking]) -> None:
            self._refreshing.pop(key, None)
            _ = task.cancelled() or task.exception()  # nobody waits for it: whoever asks next sees what is wrong

        task.add_done_callback(done)

    async def _lead(self, plan: Plan, work: Work, use: CacheUse) -> Ranking:
        """Do the work; if another process was at it, use what that one has stored."""
        from contextlib import AsyncExitStack

        if self._lease is None or use.status != "miss":
            return await self._fresh(plan, work, use)
        begun = time.monotonic()
        async with AsyncExitStack() as held:
            if not await held.enter_async_context(self._lease.hold(key_of(plan), min(PATIENCE, plan.deadline / 4))):
                return await self._fresh(plan, work, use, held)
        # not held any longer: if the other one left nothing, those who waited for it need not queue up
        found = (await self._asked(self._recall.exact, plan))[0]
        if found:
            return found
        left = plan._replace(deadline=plan.deadline - (time.monotonic() - begun))  # the waiting is part of the query's time
        return await self._fresh(left, work, use)

    async def _fresh(self, plan: Plan, work: Work, use: CacheUse, held: AsyncExitStack | None = None) -> Ranking:
        ranking = await work(plan)
        if use.status != "off" and self.storable(ranking):
            await self._store_in_time(plan, ranking, held.pop_all() if held else None)
            reason, self._problem = self._problem, ""
            use = use._replace(reason=reason or use.reason)
        return ranking._replace(cache=use)

    async def _store_in_time(self, plan: Plan, ranking: Ranking, held: AsyncExitStack | None) -> None:
        """Store the answer, now or behind it, and let ``held`` go after that."""
        if not (self.patient or self.alone) and self._behind:
            return self._store_behind(self._behind, plan, ranking, held)
        try:
            self._problem = await self._keep(plan, ranking) or self._problem
        finally:
            if held:
                await held.aclose()

    def _store_behind(self, behind: WriteBehind, plan: Plan, ranking: Ranking, held: AsyncExitStack | None) -> None:
        import asyncio

        key, written = key_of(plan), asyncio.get_running_loop().create_future()
        self._writing[key] = written

        def then(problem: str) -> Awaitable[object] | None:
            self._problem = problem or self._problem
            if self._writing.get(key) is written:
                del self._writing[key]
            written.set_result(None)
            return held.aclose() if held else None

        behind.put("answers", self._recall.keep_all, (plan, ranking), then)

    async def _keep(self, plan: Plan, ranking: Ranking) -> str:
        if self.alone:
            return self._recall.keep_all(((plan, ranking),))
        import asyncio

        return await asyncio.to_thread(self._recall.keep_all, ((plan, ranking),))

    async def settle(self, key: str = "") -> None:
        """Wait until what is being stored is stored: under that key, or all of it, and then nobody is asked anew."""
        writing = [written for place, written in self._writing.items() if key in ("", place)]
        anew = [] if key else list(self._refreshing.values())
        if writing or anew:
            import asyncio

            loop = asyncio.get_running_loop()
            for task in anew:
                if task.get_loop() is loop:
                    task.cancel()
            if self._behind:
                self._behind.hurry()
            waited: list[asyncio.Future[Any]] = [*writing, *anew]
            if here := [one for one in waited if one.get_loop() is loop]:
                await asyncio.wait(here)

    async def _look(self, plan: Plan) -> Found:
        """The very words, then others that ask the same; what is asked alone is answered sooner than a model is loaded."""
        found, use = await self._asked(self._recall.exact, plan)
        if found or use.status != "miss" or self._recall.near is None or self.alone:
            return found, use
        import asyncio

        return await asyncio.to_thread(self._recall.similar, plan)

    async def _asked(self, look: Callable[[Plan], T], plan: Plan) -> T:
        """At once where the store is on this machine: that is shorter than the way to a thread."""
        if self.alone or not self._recall.distant:
            return look(plan)
        import asyncio

        return await asyncio.to_thread(look, plan)


def _shared(plan: Plan) -> tuple[object, ...]:
    """Who shares a piece of work must ask the same, want as much of it, and wait as long."""
    return key_of(plan), plan.depth, plan.deadline, plan.query.read_cache
