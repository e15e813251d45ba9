"""The Python face: one asynchronous class with a method for each verb."""

from __future__ import annotations

import os
from functools import partial
from time import time
from typing import TYPE_CHECKING, Any, Self

from encyclopedia.engine.pipeline import Watch
from encyclopedia.faces.diagnostics import dry_run, explain, verbose
from encyclopedia.faces.local import LocalVerbs
from encyclopedia.faces.requests import label_of, query_from
from encyclopedia.model.errors import EncyclopediaError, InternalError, NoSourceAnswered
from encyclopedia.wiring import places
from encyclopedia.wiring.build import build
from encyclopedia.wiring.environment import environment
from encyclopedia.wiring.recording import record, record_now
from encyclopedia.wiring.settings import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Unpack

    from encyclopedia.engine.dispatch import Seen
    from encyclopedia.engine.here import Answer, Stop
    from encyclopedia.engine.pipeline import Pipeline
    from encyclopedia.faces.code import Code
    from encyclopedia.faces.lookup import Lookup
    from encyclopedia.faces.options import Options
    from encyclopedia.faces.report import Report
    from encyclopedia.model.plan import Plan
    from encyclopedia.model.query import Query
    from encyclopedia.model.ranking import Ranking
    from encyclopedia.model.trace import Trace
    from encyclopedia.ports import Progress
    from encyclopedia.wiring.build import Engine
    from encyclopedia.wiring.events import Search


class Encyclopedia(LocalVerbs):
    """A search engine over every source that this machine may use.

    ``home`` is the data folder (default: ``ENCYCLOPEDIA_HOME`` or ``~/.encyclopedia``), ``settings`` maps dotted names such as
    ``"fusion.formula"`` to values and speaks last, ``sources`` are objects with a ``card`` and an ``async search(request)``, or
    cards. ``ceiling`` is the highest label of what is shown: a corpus above it is not there, a result above it is only counted.
    Use it as an asynchronous context manager, so that connections are closed. Raises ``ConfigurationError`` for settings that
    do not fit.
    """

    def __init__(
        self,
        *,
        home: str | None = None,
        settings: Mapping[str, object] | None = None,
        sources: Iterable[object] = (),
        environ: Mapping[str, str] | None = None,
        ceiling: str = "secret",
    ) -> None:
        names = dict(os.environ if environ is None else environ)
        if home is not None:
            names["ENCYCLOPEDIA_HOME"] = home
        folder = places.home(names)
        loaded = load(folder, environment(folder, names), settings)._replace(ceiling=label_of(ceiling))
        self.engine: Engine = build(loaded, tuple(sources))

    async def __aenter__(self) -> Self:
        stores = self.engine.stores  # who enters also leaves, and then what is being stored is waited for
        if stores.shared:
            import asyncio

            await asyncio.to_thread(stores.stay)
        else:
            stores.stay()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close connections and everything else that sources hold."""
        await self.engine.aclose()

    async def search(self, query: str, **options: Unpack[Options]) -> Report:
        """The ranked, attributed answer to ``query``; a report with code 2 and no results where nothing was found.

        Options: ``type`` (a query type or its name), ``limit``, ``sources``, ``corpora``, ``tags`` (names that restrict),
        ``timeout`` (seconds for the whole query), ``max_tokens``, the switches ``correct``, ``expand`` and ``read_cache``, and
        ``verbose`` and ``explain``, which add diagnostics to the JSON form.
        Raises ``UsageError`` for a query that cannot be asked, ``ConfigurationError`` for an unknown name or a missing
        credential, ``NoSourceAnswered`` when every source failed.
        """
        asked, shown = self.query(query, options)
        return await self.answer(self.prepare(asked), shown)

    def query(self, text: str, options: Mapping[str, Any]) -> tuple[Query, tuple[str, ...]]:
        """The query of these options over the configured ones, and what of ``verbose`` and ``explain`` is wanted."""
        limit = options.get("limit")
        return query_from(text, {**options, "limit": self.engine.loaded.settings.limit if limit is None else limit})

    def plan(self, query: str, **options: Unpack[Options]) -> dict[str, object]:
        """What ``search`` would do, as the report of a dry run: opens no socket and writes nothing."""
        trace = self.engine.pipeline.prepare(self.query(query, options)[0])
        return dry_run(trace, self.engine.stores.answers.peek(trace.value))

    async def lookup(
        self,
        topic: str,
        *,
        version: str = "",
        timeout: float | None = None,  # noqa: ASYNC109 - the deadline of the query, as everywhere
        max_tokens: int | None = None,
        progress: Progress | None = None,
    ) -> Lookup:
        """The documentation of a library, API or topic: what is installed first, then local corpora, then services.

        ``version`` is kept to the letter: if it is not there, the result has code 2 and the ``versions`` that are.
        ``progress`` is told each source as it lands. Raises as ``search`` does.
        """
        from encyclopedia.engine.telling import landing
        from encyclopedia.faces.lookup import lookup_from

        options: dict[str, Any] = {"type": "library_docs", "version": version, "expand": False, "timeout": timeout}
        asked, _ = self.query(topic, options)
        trace = self.prepare(asked)
        with self.engine.stores.events.search(trace.value) as search:
            watch = landing(progress, len(trace.value.asks))
            finished = await _carried(self.engine.pipeline._replace(answers=None), trace, watch)
            found = lookup_from(finished, self.engine.sources.corpora(), max_tokens)
            if found.code and not any(outcome.answered for outcome in finished.value.outcomes):
                await self._reported(finished, (), search)  # which raises, with what became of each
            return search.told(found)

    async def code(
        self,
        repository: str,
        question: str,
        *,
        depth: str = "shallow",
        limit: int | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the deadline of the query, as everywhere
        progress: Progress | None = None,
    ) -> Code:
        """What stands in a repository about a question: files with lines, best first, and sentences that say what is there.

        ``repository`` is ``owner/name``, an address, or a folder of this machine, which is read as it lies there. ``depth``
        ``deep`` adds callers and callees. The result has code 2 where nothing was found. ``progress`` is told each reader as
        it lands. Raises as ``search`` does.
        """
        from encyclopedia.engine.telling import landing
        from encyclopedia.faces import code
        from encyclopedia.faces.code_place import repository as place_of

        asked = code.want(place_of(repository), depth, self.engine.catalog)
        settings = self.engine.loaded.settings
        options: dict[str, Any] = {"type": "code_context", "sources": asked.sources, "limit": limit}
        options |= {"correct": False, "expand": False}
        options["timeout"] = max(settings.deadline, code.SECONDS) if timeout is None else timeout
        query, _ = self.query(question, options)
        scope = query.scope._replace(repository=asked.place.name, folder=asked.place.folder)
        trace = self.prepare(query._replace(scope=scope, passages=code.PASSAGES))
        with self.engine.stores.events.search(trace.value) as search:
            watch = landing(progress, len(trace.value.asks))
            finished = await _carried(code.by_place(self.engine.pipeline, settings.fusion), trace, watch)
            if not any(outcome.answered for outcome in finished.value.outcomes):
                try:
                    await self._reported(finished, (), search)  # which raises, with what became of each
                except NoSourceAnswered as error:
                    error.details = code.unread(asked, question) | error.details
                    raise
            return search.told(code.code_from(finished, asked, query.limit))

    def prepare(self, query: Query) -> Trace[Plan]:
        """Decide everything about a query and ask nobody.

        Raises as ``search`` does if there is nobody to ask and no stored answer. Where those come over a network they are not
        looked for yet: then whoever carries the plan out raises.
        """
        trace = self.engine.pipeline.prepare(query)
        if not (trace.value.asks or self.engine.stores.answers.distant or self.engine.pipeline.recall(trace)):
            raise _nobody(trace.value)
        return trace

    def recall(self, trace: Trace[Plan], shown: Iterable[str] = ()) -> Report | None:
        """The answer from the cache, without any asynchronous work, or ``None``."""
        start, finished = time(), self.engine.pipeline.recall(trace)
        if finished is None:
            return None
        with self.engine.stores.events.search(trace.value, start) as search:
            return self._recorded(self._report(finished, shown), search.found(finished.value))

    async def answer(self, trace: Trace[Plan], shown: Iterable[str] = (), watch: Watch | None = None) -> Report:
        """Carry a plan out. ``shown`` may hold ``verbose`` and ``explain``; ``watch`` is told each outcome as it lands."""
        with self.engine.stores.events.search(trace.value) as search:
            return await self._reported(await _carried(self.engine.pipeline, trace, watch), shown, search)

    async def answer_here(
        self, trace: Trace[Plan], answer: Answer, stop: Stop, shown: Iterable[str] = (), seen: Seen | None = None
    ) -> Report:
        """As ``answer`` for a plan whose only source gives its ``answer`` without an event loop; nothing here waits for one."""
        from encyclopedia.engine.here import dispatch_here

        self.engine.stores.answers.alone = True
        dispatch = partial(dispatch_here, answer=answer, guard=self.engine.stores.circuit, stop=stop)
        with self.engine.stores.events.search(trace.value) as search:
            finished = await _carried(self.engine.pipeline._replace(dispatch=dispatch), trace, Watch(seen))
            return self._recorded(self._report(finished, shown), search.found(finished.value))

    async def _reported(self, finished: Trace[Ranking], shown: Iterable[str], search: Search) -> Report:
        """The report, recorded: in a thread for who asks but once, which waits for all that follows from it."""
        made, stores = self._report(finished, shown), self.engine.stores
        search.found(finished.value)
        if stores.answers.patient:
            import asyncio

            return await asyncio.to_thread(self._recorded, made, search)
        return made.told(await record_now(stores, search.told(made).body, search))

    def _report(self, finished: Trace[Ranking], shown: Iterable[str]) -> Report:
        from encyclopedia.faces.report import report  # a dry run has no use for them
        from encyclopedia.faces.standing import remedy

        wanted = tuple(shown)
        extra: dict[str, object] | None = verbose(finished) if wanted else None
        if "explain" in wanted and extra is not None:
            extra["explain"] = explain(finished)
        self.engine.stores.log.trace(finished)
        return report(finished, extra, lambda outcome: remedy(self.engine.catalog[outcome.source], outcome))

    def _recorded(self, made: Report, search: Search) -> Report:
        """The report, now in the history too. Raises ``NoSourceAnswered`` if that is what it says."""
        return made.told(record(self.engine.stores, search.told(made).body, search))


async def _carried(pipeline: Pipeline, trace: Trace[Plan], watch: Watch | None) -> Trace[Ranking]:
    try:
        finished = await pipeline.carry_out(trace, watch)
    except EncyclopediaError:
        raise
    except Exception as error:
        raise InternalError(f"something broke in encyclopedia itself ({type(error).__name__})") from error
    if not trace.value.asks and finished.value.cache.status != "hit":
        raise _nobody(trace.value)
    return finished


def _nobody(plan: Plan) -> EncyclopediaError:
    from encyclopedia.faces.nobody import nobody

    return nobody(plan)
