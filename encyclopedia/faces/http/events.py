"""Work as it happens: a search with its plan, sources and rankings, other long work with its steps; and the end."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from encyclopedia.engine.pipeline import Watch
from encyclopedia.faces.diagnostics import dry_run
from encyclopedia.faces.http.works import prepared
from encyclopedia.model.errors import NothingFound

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from encyclopedia.faces.http.operations import Operation
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


async def progress(service: Service, operation: Operation, given: dict[str, Any]) -> Events:
    """``progress`` for each step of a verb (``step``, ``done``, ``total``), then ``done`` with its body.

    Raises as the verb does. Closed early, it cancels the work.
    """
    told: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()

    def tell(step: str, done: int, total: int) -> None:
        told.put_nowait({"step": step, "done": done, "total": total})

    work = asyncio.create_task(answered(service, operation, {**given, "progress": tell}), name=f"stream {operation.name}")
    work.add_done_callback(lambda _: told.put_nowait(None))
    try:
        while (step := await told.get()) is not None:
            yield "progress", step
        body = await work
    finally:
        await _ended(work)
    yield "done", body


async def answered(service: Service, operation: Operation, given: dict[str, Any]) -> Any:
    """The body of an operation, counted; one that nothing was found is a body too."""
    try:
        body = await service.within(operation.run(service.encyclopedia, given))
    except NothingFound as error:
        return error.to_dict()
    if isinstance(body, dict) and "outcomes" in body:
        service.metrics.answered(body)
    return body


async def _ended(work: asyncio.Task[Any]) -> None:
    """Cancel work that nobody waits for any more; what it raises then is nobody's business."""
    work.cancel()
    await asyncio.wait((work,))
    if not work.cancelled():
        work.exception()


def ranking(e: Encyclopedia, trace: Trace[Plan], here: list[Outcome]) -> dict[str, Any]:
    """The results as they stand with the outcomes that are here, and who is still waited for."""
    from encyclopedia.faces.report import rows

    names = {outcome.source for outcome in here}
    waiting = [ask.source for ask in trace.value.asks if ask.source not in names]
    return {"results": rows(e.engine.pipeline.preview(trace.value, here).value), "waiting": waiting}
