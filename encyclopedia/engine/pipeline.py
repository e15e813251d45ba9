"""The way of a query: a spine of four steps that change the type, and ribs that may be missing."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from encyclopedia.model.errors import EncyclopediaError
from encyclopedia.model.trace import Step, Trace

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable, Iterable

    from encyclopedia.model.outcome import Outcome, Outcomes
    from encyclopedia.model.plan import Plan
    from encyclopedia.model.query import Query, Question
    from encyclopedia.model.ranking import Ranking

    class Dispatch(Protocol):
        """Asks everybody in the plan."""

        def __call__(self, plan: Plan, *, watch: Watch) -> Awaitable[Outcomes]:
            """All outcomes, in the order of the plan."""
            ...

    class Answers(Protocol):
        """A wrapper that may answer a plan without the work."""

        def lookup(self, plan: Plan) -> Ranking | None:
            """The stored ranking; blocks for about a millisecond."""
            ...

        async def run(self, plan: Plan, work: Callable[[Plan], Awaitable[Ranking]]) -> Ranking:
            """The stored ranking, or that of ``work``, which is then kept."""
            ...


class Rib(NamedTuple):
    """A stage that may be missing: with ``absent`` it is skipped and the trace says why."""

    name: str
    stage: Callable[[Any], Any]
    absent: str = ""


class Watch(NamedTuple):
    """Who looks on: ``seen`` is told each outcome as it lands, ``stop`` set means that what has arrived must do."""

    seen: Callable[[Outcome], None] | None = None
    stop: asyncio.Event | None = None


class Pipeline(NamedTuple):
    """All stages of a search; ``retreat`` ranks where ``fuse`` cannot.

    ``polish`` works on the whole ranking and is part of what is cached, ``finish`` on what is shown of it. ``absent`` names the
    wrappers that are missing (circuit, cache), each with its reason. ``profile`` is given what came of each plan that was
    carried out and not answered from what is stored.
    """

    classify: Callable[[Query], Question]
    refine: tuple[Rib, ...]
    route: Callable[[Question], Plan]
    dispatch: Dispatch
    fuse: Callable[[Outcomes], Ranking]
    retreat: Callable[[Outcomes], Ranking]
    polish: tuple[Rib, ...]
    finish: tuple[Rib, ...]
    answers: Answers | None = None
    absent: Iterable[tuple[str, str]] = ()
    profile: Callable[[Ranking], None] | None = None

    def prepare(self, query: Query) -> Trace[Plan]:
        """Decide everything and ask nobody: classify, refine, route.

        Raises ``UsageError`` and ``ConfigurationError`` for a query that cannot be asked.
        """
        trace: Trace[Any] = _spine(Trace(query), "classify", self.classify)
        for rib in self.refine:
            trace = _rib(trace, rib)
        return _spine(trace, "route", self.route)

    def recall(self, trace: Trace[Plan]) -> Trace[Ranking] | None:
        """The answer from the cache without any asynchronous work, or ``None``."""
        start = perf_counter()
        ranking = self.answers.lookup(trace.value) if self.answers and trace.value.query.read_cache else None
        if ranking is None:
            return None
        return self._finish(trace.then("cache", ranking, perf_counter() - start))

    async def carry_out(self, trace: Trace[Plan], watch: Watch | None = None) -> Trace[Ranking]:
        """Ask everybody in the plan, fuse and polish; with a cache, only if it does not know the answer."""
        plan, watch, done = trace.value, watch or Watch(), list[Step]()

        async def work(timed: Plan) -> Ranking:
            found = await self._ask(timed, watch)
            done.extend(found.steps)
            if self.profile:
                self.profile(found.value)
            return found.value

        start = perf_counter()
        ranking = await (self.answers.run(plan, work) if self.answers else work(plan))
        wrapping = max(perf_counter() - start - sum(step.seconds for step in done), 0.0)
        missing = tuple(Step(name, plan, plan, 0.0, reason) for name, reason in self.absent)
        kept = (Step("cache", plan, ranking, wrapping),) if self.answers else ()
        return self._finish(Trace(ranking, (*trace.steps, *missing, *done, *kept)))

    def preview(self, plan: Plan, outcomes: Iterable[Outcome]) -> Trace[Ranking]:
        """What the answer would be if nobody else answered any more."""
        from encyclopedia.model.outcome import Outcomes

        return self._finish(self._rank(Trace(Outcomes(plan, tuple(outcomes)))))

    async def _ask(self, plan: Plan, watch: Watch) -> Trace[Ranking]:
        start = perf_counter()
        outcomes = await self.dispatch(plan, watch=watch)
        return self._rank(Trace(plan).then("dispatch", outcomes, perf_counter() - start))

    def _rank(self, found: Trace[Outcomes]) -> Trace[Ranking]:
        trace: Trace[Any] = self._fuse(found)
        for rib in self.polish:
            trace = _rib(trace, rib)
        return trace

    def _fuse(self, trace: Trace[Outcomes]) -> Trace[Ranking]:
        start = perf_counter()
        try:
            return trace.then("fuse", self.fuse(trace.value), perf_counter() - start)
        except EncyclopediaError:
            raise
        except Exception as error:  # noqa: BLE001 - law 6: a ranking by priority is better than none
            return trace.then("fuse", self.retreat(trace.value), perf_counter() - start, _why(error))

    def _finish(self, trace: Trace[Ranking]) -> Trace[Ranking]:
        for rib in self.finish:
            trace = _rib(trace, rib)
        return trace


OPTIONAL = ("near cache",)
"""Stages that come with an extra: an installation without it promises nothing of them."""


def absent(trace: Trace[Any]) -> tuple[tuple[str, str], ...]:
    """The stages that were missing, each with its reason."""
    return tuple((step.name, step.absent) for step in trace.steps if step.absent)


def _spine(trace: Trace[Any], name: str, stage: Callable[[Any], Any]) -> Trace[Any]:
    start = perf_counter()
    value = stage(trace.value)
    return trace.then(name, value, perf_counter() - start)


def _rib(trace: Trace[Any], rib: Rib) -> Trace[Any]:
    start = perf_counter()
    if rib.absent:
        return trace.then(rib.name, trace.value, 0.0, rib.absent)
    try:
        value = rib.stage(trace.value)
    except EncyclopediaError:
        raise
    except Exception as error:  # noqa: BLE001 - law 6: a rib that fails is skipped, and the trace says so
        return trace.then(rib.name, trace.value, perf_counter() - start, _why(error))
    return trace.then(rib.name, value, perf_counter() - start)


def _why(error: Exception) -> str:
    if isinstance(error, ImportError) and error.name:
        return f"{error.name} is not installed"
    return f"failed: {type(error).__name__}"
