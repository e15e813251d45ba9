"""What each verb does over HTTP with the options that were read and checked; the body of its answer."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import UsageError

if TYPE_CHECKING:
    from encyclopedia.faces.library import Encyclopedia
    from encyclopedia.faces.report import Report
    from encyclopedia.model.plan import Plan
    from encyclopedia.model.trace import Trace


async def prepared(e: Encyclopedia, given: dict[str, Any]) -> tuple[Trace[Plan], tuple[str, ...]]:
    """The plan, and what of ``verbose`` and ``explain`` is wanted.

    It is made beside the event loop where it looks into files; else that way is longer than what is done at its end.
    """
    asked, shown = e.query(given["query"], {name: value for name, value in given.items() if name != "query"})
    if e.engine.sources.look_into_files or any(asked.scope):
        return await asyncio.to_thread(e.prepare, asked), shown
    return e.prepare(asked), shown


async def searched(e: Encyclopedia, given: dict[str, Any]) -> Report:
    """The report of a search."""
    return await e.answer(*await prepared(e, given))


async def search(e: Encyclopedia, given: dict[str, Any]) -> Any:
    """One ranked list."""
    return (await searched(e, given)).body


async def plan(e: Encyclopedia, given: dict[str, Any]) -> Any:
    """What a search would do."""
    text = given.pop("query")
    return await asyncio.to_thread(partial(e.plan, text, **given))


async def lookup(e: Encyclopedia, given: dict[str, Any]) -> Any:
    """The documentation of a topic."""
    return (await e.lookup(given.pop("topic"), **given)).body


async def code(e: Encyclopedia, given: dict[str, Any]) -> Any:
    """What stands in a repository; a folder of this machine is none for others. Raises ``UsageError``."""
    from encyclopedia.faces.code_place import repository

    named = given.pop("repository")
    if _local(named) or (await asyncio.to_thread(repository, named)).folder:
        raise UsageError("a folder of the machine that serves is not read for others", "name owner/name or an https:// address")
    return (await e.code(named, given.pop("question"), **given)).body


def _local(named: str) -> bool:
    """Whether a repository is named by a path, said before anybody looks whether there is such a folder."""
    return named.strip().startswith(("file:", "/", ".", "~"))


async def ask(e: Encyclopedia, given: dict[str, Any]) -> Any:
    """A cited answer."""
    return (await e.ask(given.pop("question"), **given)).body


async def load(e: Encyclopedia, given: dict[str, Any]) -> Any:
    """The pages of a catalog."""
    return await e.load(given.pop("topic", ""), **given)


async def ground(e: Encyclopedia, given: dict[str, Any]) -> Any:
    """Choices from curated tables."""
    return await e.ground(given.pop("query"), **given)


async def graph(e: Encyclopedia, given: dict[str, Any]) -> Any:
    """A verb of a graph of books."""
    return await e.graph(given.pop("verb"), **given)


async def sources(e: Encyclopedia, given: dict[str, Any]) -> Any:  # noqa: ARG001 - every verb is asked alike
    """Every source with its health."""
    from encyclopedia.faces.cli.sources import source_rows

    return await asyncio.to_thread(source_rows, e.engine)


async def feedback(e: Encyclopedia, given: dict[str, Any]) -> Any:
    """A vote on a past search."""
    return await e.feedback(**given)
