"""Asking the sources for one search and showing what they answer, without an event loop where one source needs none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli import streams
from encyclopedia.faces.cli.interrupts import Interrupts
from encyclopedia.faces.cli.progress import waiting
from encyclopedia.faces.cli.stream import Landing
from encyclopedia.model.errors import NoSourceAnswered

if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping

    from encyclopedia.engine.here import Answer
    from encyclopedia.faces.cli.searching import Search
    from encyclopedia.faces.report import Report
    from encyclopedia.model.plan import Plan
    from encyclopedia.model.trace import Trace


def ask(one: Search, trace: Trace[Plan]) -> int:
    """Ask the sources of the plan and show what they answer; the exit code."""
    answer = one.encyclopedia.engine.sources.here(trace.value)
    if answer is not None:
        return _here(one, trace, answer)
    import asyncio

    return asyncio.run(_in_loop(one, trace))


def _here(one: Search, trace: Trace[Plan], answer: Answer) -> int:
    from encyclopedia.engine.here import Stop, at_once

    stop = Stop()
    landing = Landing(one.output, stop)
    try:
        with Interrupts(None, stop) as interrupts:
            with waiting(one.output, _sentence(trace)):
                asked = one.encyclopedia.answer_here(trace, answer, stop, one.shown, landing.seen)
                body, code = at_once(_answered(asked, interrupts))
            return _ended(one, body, code, landing, interrupts)
    finally:
        at_once(one.encyclopedia.aclose())


async def _in_loop(one: Search, trace: Trace[Plan]) -> int:
    import asyncio
    from contextlib import aclosing

    from encyclopedia.engine.pipeline import Watch

    stop = asyncio.Event()
    landing = Landing(one.output, stop)
    async with aclosing(one.encyclopedia):
        with Interrupts(asyncio.get_running_loop(), stop) as interrupts:
            with waiting(one.output, _sentence(trace)):
                asked = one.encyclopedia.answer(trace, one.shown, Watch(landing.seen, stop))
                body, code = await _answered(asked, interrupts)
            return _ended(one, body, code, landing, interrupts)


def _sentence(trace: Trace[Plan]) -> str:
    return f"asking {', '.join(ask.source for ask in trace.value.asks)}"


async def _answered(asked: Awaitable[Report], interrupts: Interrupts) -> tuple[dict[str, Any], int]:
    try:
        report = await asked
    except NoSourceAnswered as error:
        if not interrupts.code:
            raise
        return error.to_dict() | {"results": []}, error.code
    return report.to_dict(), report.code


def _ended(one: Search, body: Mapping[str, Any], code: int, landing: Landing, interrupts: Interrupts) -> int:
    landing.check()
    code = one.show(body, code, interrupted=interrupts.code)
    if interrupts.code:
        streams.leave(code)
    return code
