"""A search as it happens: the plan, each source as it lands, the ranking as it changes, the end."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from encyclopedia.engine.pipeline import Watch
from encyclopedia.faces.diagnostics import dry_run
from encyclopedia.faces.http.operations import prepared

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from encyclopedia.faces.http.service import Service
    from encyclopedia.faces.library import Encyclopedia
    from encyclopedia.faces.report import Report
    from encyclopedia.model.outcome import Outcome
    from encyclopedia.model.plan import Plan
    from encyclopedia.model.trace import Trace

    Events = AsyncGenerator[tuple[str, dict[str, Any]], None]


async def events(service: Service, given: dict[str, Any]) -> Events:
    """Name and body of each event: ``plan``, then ``source`` and ``ranking`` as outcomes land, ``done`` with the report.

    Raises as a search does. Closed early, it cancels the search.
    """
    from encyclopedia.faces.report import landed

    e = service.encyclopedia
    trace, shown = await service.within(prepared(e, given))
    yield "plan", dry_run(trace, e.engine.stores.answers.peek(trace.value)) | {"status": "plan"}
    arrived: asyncio.Queue[Outcome | None] = asyncio.Queue()
    search = asyncio.create_task(service.within(e.answer(trace, shown, Watch(arrived.put_nowait))), name="stream a search")
    search.add_done_callback(lambda _: arrived.put_nowait(None))
    here: list[Outcome] = []
    try:
        while (outcome := await arrived.get()) is not None:
            here.append(outcome)
            yield "source", landed(outcome)
            if outcome.reply.hits and len(here) < len(trace.value.asks) and arrived.empty():
                yield "ranking", ranking(e, trace, here)
        report: Report = await search
    finally:
        await _ended(search)
    service.metrics.answered(report.body)
    yield "done", report.body


async def _ended(search: asyncio.Task[Report]) -> None:
    """Cancel a search that nobody waits for any more; what it raises then is nobody's business."""
    search.cancel()
    await asyncio.wait((search,))
    if not search.cancelled():
        search.exception()


def ranking(e: Encyclopedia, trace: Trace[Plan], here: list[Outcome]) -> dict[str, Any]:
    """The results as they stand with the outcomes that are here, and who is still waited for."""
    from encyclopedia.faces.report import rows

    names = {outcome.source for outcome in here}
    waiting = [ask.source for ask in trace.value.asks if ask.source not in names]
    return {"results": rows(e.engine.pipeline.preview(trace.value, here).value), "waiting": waiting}
