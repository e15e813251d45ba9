"""What is written down of each search before its answer goes out: the record in the history, and what its sources did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.wiring.sessions import session

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from encyclopedia.engine.profiler import Profiler
    from encyclopedia.wiring.events import Search
    from encyclopedia.wiring.stores import Stores

    Body = Mapping[str, Any]
    Record = Mapping[str, object]

PATIENCE = 0.1
"""Seconds for which an answer waits until it is recorded, where another process holds the file."""


def record(stores: Stores, body: Body, search: Search) -> str:
    """Add a search to the history; why that was not possible, or nothing. Waits for whoever holds the file."""
    return _write_down(stores, [(body, _session(stores, body, search))])


async def record_now(stores: Stores, body: Body, search: Search) -> str:
    """As ``record``, in some microseconds, for an event loop that serves others too.

    Where another process holds the file it is waited for, though not for longer than ``PATIENCE`` seconds. What replicas
    share is written behind the answer, and what went wrong with an earlier one is told. So is what follows from a record.
    """
    from functools import partial

    found = _session(stores, body, search)
    if stores.profiler and not stores.profiler.flush_now() and not stores.shared:
        await stores.behind.write("profile", partial(_profile, stores.profiler), None, PATIENCE)
    try:
        kept = stores.history is None or stores.history.append_now(found)
    except OSError as error:
        return _unkept(error)
    if not kept:
        write = partial(_write_down, stores, held=True)
        if not stores.shared:
            return await stores.behind.write("history", write, (body, found), PATIENCE)
        stores.behind.put("history", write, (body, found))
        return stores.behind.problem("history")
    if stores.profiler or stores.history is not None:
        stores.behind.put("upkeep", partial(_upkeep, stores), body)
    return ""


def keep(stores: Stores, *records: Record, held: bool = False) -> str:
    """Add records to the history, and write down what sources did; why the former was not possible, or nothing.

    With ``held`` raises ``BlockingIOError`` where another process holds the history too long: then nothing is in it.
    """
    if stores.profiler:
        stores.profiler.flush()
    if stores.history is None:
        return ""
    try:
        stores.history.append(*records)
    except OSError as error:
        if held and isinstance(error, BlockingIOError):
            raise
        return _unkept(error)
    return ""


def _session(stores: Stores, body: Body, search: Search) -> Record:
    return session(body, search.seconds, id=search.id, matched=search.matched) if stores.history else {}


def _write_down(stores: Stores, records: Sequence[tuple[Body, Record]], *, held: bool = False) -> str:
    problem = keep(stores, *(found for _, found in records), held=held)
    if stores.memories and not problem:
        stores.memories.remember(*(body for body, _ in records))
    return problem


def _profile(profiler: Profiler, _: Sequence[None]) -> str:
    profiler.flush()
    return ""


def _upkeep(stores: Stores, bodies: Sequence[Body]) -> str:
    """What follows from records that are written."""
    if stores.profiler:
        stores.profiler.flush()
    if stores.history is not None:
        stores.history.bound()
    if stores.memories:
        stores.memories.remember(*bodies)
    return ""


def _unkept(error: OSError) -> str:
    return f"this search is not in the history: {error.strerror or type(error).__name__}"
