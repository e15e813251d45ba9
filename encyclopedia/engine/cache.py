"""Answers from the cache, and into it: a wrapper around the work from a plan to its ranking."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from encyclopedia.engine.normal import normalised
from encyclopedia.engine.single_flight import SingleFlight
from encyclopedia.engine.verdict import sentence

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable
    from contextlib import AsyncExitStack

    from encyclopedia.model.cached import CacheEntry
    from encyclopedia.model.plan import Plan
    from encyclopedia.model.ranking import CacheUse, Ranking
    from encyclopedia.ports import CacheStore, Lease, NearTier

    Work = Callable[[Plan], Awaitable[Ranking]]

PATIENCE = 2.0
"""Seconds to wait for another process that is asking the same, at most; a quarter of the deadline if that is less."""
LULL = 0.005
"""Seconds that storing waits where the answer does not wait for it: what is on its way out goes first."""


def storable(ranking: Ranking) -> bool:
    """Whether the answer is whole: not empty, and nobody failed, was held back, gave too little or stood in for others."""
    plan = ranking.plan
    whole = all(outcome.answered and not outcome.reply.reduced for outcome in ranking.outcomes)
    complete = all(declined.optional and not declined.refused for declined in plan.declined)
    return bool(ranking.results) and whole and complete and plan.primaries and not plan.fallback_used


def group_of(plan: Plan) -> str:
    """Everything but the words that changes the answer: the query type, the repository and the cache key of the plan."""
    return f"{plan.question.type.value}\n{plan.question.repository}\n{plan.cache_key}"


def key_of(plan: Plan) -> str:
    """The key of a plan's answer: SHA-256 of the normalised words and of everything else that changes it."""
    return _key(group_of(plan), plan.question.text)


@lru_cache(256)
def _key(group: str, text: str) -> str:
    import hashlib  # only where there is a cache

    return hashlib.sha256(f"{group}\n{normalised(text)}".encode("utf-8", "surrogatepass")).hexdigest()


class AnswerCache:
    """Wraps the work from a plan to its ranking; equal plans in flight share one piece of work, with or without a store.

    ``store`` may be missing, and ``absent`` says why. ``near`` finds answers to almost the same words. ``lease`` keeps two
    processes from doing the same at once. ``clock`` gives wall-clock seconds. A store that fails costs nobody an answer.
    """

    patient: bool = True
    """Whether an answer waits until it is stored, so that it can tell if that failed; if not, the next answer tells."""

    def __init__(
        self,
        store: CacheStore | None,
        *,
        near: NearTier | None = None,
        lease: Lease | None = None,
        absent: str = "",
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store, self._near, self._lease, self._absent, self._clock = store, near, lease, absent, clock
        self._flights = SingleFlight()
        self._writing: dict[str, asyncio.Task[None]] = {}
        self._problem = ""

    def lookup(self, plan: Plan) -> Ranking | None:
        """The stored ranking, or ``None``; blocks for a moment, longer if a near tier has to be asked."""
        return self._find(plan)[0] if plan.query.read_cache else None

    def peek(self, plan: Plan) -> str:
        """What a search would find for the very words: hit, miss, bypass or off; leaves no mark that it was looked at."""
        if self._store is None:
            return "off"
        if not plan.query.read_cache:
            return "bypass"
        try:
            return "miss" if self._serve(plan, self._store.peek(key_of(plan))) is None else "hit"
        except Exception:  # noqa: BLE001 - a store may raise what it likes; we work without it
            return "off"

    async def run(self, plan: Plan, work: Work) -> Ranking:
        """The stored ranking, or that of ``work``, which is kept if it is whole; its ``cache`` tells which, and why.

        ``work`` is given the plan, with what is left of its deadline.
        """
        from encyclopedia.model.ranking import CacheUse

        if self._store is None:
            found, use = None, CacheUse("off", reason=self._absent)
        elif not plan.query.read_cache:
            found, use = None, CacheUse("bypass")
        else:
            await self.settle(key_of(plan))
            found, use = await self._look(plan)
        if found:
            return found
        # the words beside the key: who shares a piece of work must want as much of it, and wait as long
        shared = key_of(plan), plan.depth, plan.deadline, plan.query.read_cache
        ranking = await self._flights.run(shared, lambda: self._lead(plan, work, use))
        return replace(ranking, plan=plan)

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
        found = (await self._look(plan))[0]
        if found:
            return found
        left = replace(plan, deadline=plan.deadline - (time.monotonic() - begun))  # the waiting is part of the query's time
        return await self._fresh(left, work, use)

    async def _fresh(self, plan: Plan, work: Work, use: CacheUse, held: AsyncExitStack | None = None) -> Ranking:
        ranking = await work(plan)
        if use.status != "off" and storable(ranking):
            await self._store_in_time(plan, ranking, held.pop_all() if held else None)
            reason, self._problem = self._problem, ""
            use = replace(use, reason=reason or use.reason)
        return replace(ranking, cache=use)

    async def _store_in_time(self, plan: Plan, ranking: Ranking, held: AsyncExitStack | None) -> None:
        """Store the answer, now or in a task of its own, and let ``held`` go after that."""
        import asyncio

        async def write(lull: float = 0.0) -> None:
            try:
                if lull:
                    await asyncio.sleep(lull)
                self._problem = await asyncio.to_thread(self._keep, plan, ranking) or self._problem
            finally:
                if held:
                    await held.aclose()

        if self.patient:
            return await write()
        key = key_of(plan)
        task = self._writing[key] = asyncio.get_running_loop().create_task(write(LULL), name="store an answer")
        task.add_done_callback(lambda done: self._writing.pop(key) if self._writing.get(key) is done else None)
        return None

    async def settle(self, key: str = "") -> None:
        """Wait until what is being stored is stored: under that key, or all of it."""
        tasks = [task for place, task in self._writing.items() if key in ("", place)]
        if tasks:
            import asyncio

            loop = asyncio.get_running_loop()
            if here := [task for task in tasks if task.get_loop() is loop]:
                await asyncio.wait(here)

    async def _look(self, plan: Plan) -> tuple[Ranking | None, CacheUse]:
        """As ``_find``, in a thread if there is a model to ask; a look into the store alone is shorter than the way there."""
        if self._near is None:
            return self._find(plan)
        import asyncio

        return await asyncio.to_thread(self._find, plan)

    def _find(self, plan: Plan) -> tuple[Ranking | None, CacheUse]:
        from encyclopedia.model.ranking import CacheUse

        if self._store is None:
            return None, CacheUse("off", reason=self._absent)
        try:
            ranking = self._serve(plan, self._store.get(key_of(plan)))
        except Exception as error:  # noqa: BLE001 - a store may raise what it likes; we work without it
            return None, CacheUse("off", reason=_why("the cache cannot be read", error))
        if ranking or self._near is None:
            return ranking, CacheUse("miss")
        try:
            return self._find_near(self._near, self._store, plan)
        except Exception as error:  # noqa: BLE001 - the near tier is a rib: without it only the very words are found
            return None, CacheUse("miss", reason=_why("no look for similar questions", error))

    def _find_near(self, near: NearTier, store: CacheStore, plan: Plan) -> tuple[Ranking | None, CacheUse]:
        from encyclopedia.model.ranking import CacheUse

        found = near.find(group_of(plan), plan.question.text)
        if found is None:
            return None, CacheUse("miss")
        use = CacheUse("miss", found.query, found.similarity, refused_by=found.refused_by)
        return (None if found.refused_by else self._serve(plan, store.get(found.key), found.similarity)), use

    def _serve(self, plan: Plan, entry: CacheEntry | None, similarity: float = 1.0) -> Ranking | None:
        """The entry as an answer to the plan, if it is one."""
        if entry is None or entry.type != plan.question.type:
            return None
        from encyclopedia.engine.codec import CorruptError, decode
        from encyclopedia.model.ranking import CacheUse

        try:
            ranking = decode(entry.body, plan)
        except CorruptError:
            return None  # the next answer takes its place
        age = max(0.0, self._clock() - entry.stored_at)
        return replace(ranking, cache=CacheUse("hit", entry.query, similarity, age))

    def _keep(self, plan: Plan, ranking: Ranking) -> str:
        """Store the answer; why that did not work, or nothing."""
        from encyclopedia.engine.codec import encode
        from encyclopedia.model.cached import CacheEntry

        try:
            entry = CacheEntry(key_of(plan), plan.question.type, plan.query.text, encode(ranking), self._clock())
            if self._store:
                self._store.put(entry)
            if self._near:
                self._near.add(group_of(plan), plan.question.text, entry.key)
        except Exception as error:  # noqa: BLE001 - a store may raise what it likes; the answer is there all the same
            return _why("the answer could not be stored", error)
        return ""


def _why(what: str, error: Exception) -> str:
    return f"{what}: {sentence(error) or type(error).__name__}"
