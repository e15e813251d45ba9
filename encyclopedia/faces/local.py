"""The verbs of the Python face beside search: one local collection in the way of its kind, and what was learnt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from encyclopedia.faces.context import Searcher
    from encyclopedia.model.answer import Answer
    from encyclopedia.ports import Progress
    from encyclopedia.wiring.build import Engine

BUDGET = 1500
"""Tokens of the context that another program is given, where it names no budget."""


class LocalVerbs:
    """What ``Encyclopedia`` offers over corpora of the kinds catalog, grounding and graph."""

    engine: Engine

    async def ask(self, question: str, *, progress: Progress | None = None, **options: Any) -> Answer:
        """A cited answer from local corpora; code 2 where they do not answer the question. ``progress`` is told each step.

        Options: ``corpora``, ``tags`` (names that restrict), ``project`` (of a graph), ``web`` (remote sources too), ``fast``
        (one facet, no second look), ``rebuild``, ``max_tokens``, ``timeout`` (seconds for each search), ``verbose``. Raises as
        ``search`` does.
        """
        from encyclopedia.faces.ask import ask

        return await ask(self.engine, question, options, progress)

    async def load(
        self, topic: str = "", *, corpus: str = "", progress: Progress | None = None, **options: Any
    ) -> dict[str, Any]:
        """The pages of a knowledge catalog about a topic; see ``encyclopedia.faces.load.load``."""
        import asyncio

        from encyclopedia.engine.telling import from_thread
        from encyclopedia.faces.load import load

        return await asyncio.to_thread(load, self.engine, topic, corpus=corpus, progress=from_thread(progress), **options)

    async def ground(self, query: str, *, corpus: str = "", **options: Any) -> dict[str, Any]:
        """A grounded plan from curated tables; see ``encyclopedia.faces.ground.ground``."""
        import asyncio

        from encyclopedia.faces.ground import ground

        return await asyncio.to_thread(ground, self.engine, query, corpus=corpus, **options)

    async def graph(self, verb: str, *, corpus: str = "", **options: Any) -> dict[str, Any]:
        """A verb of a graph of books (``list_books``, ``match_concepts``, …); see ``encyclopedia.faces.graph.graph``."""
        import asyncio

        from encyclopedia.faces.graph import graph

        return await asyncio.to_thread(graph, self.engine, verb, corpus=corpus, **options)

    async def sources(self) -> list[dict[str, Any]]:
        """Every source by name with its health, and what to do about it; asks none of them."""
        import asyncio

        from encyclopedia.faces.cli.sources import source_rows

        return await asyncio.to_thread(source_rows, self.engine)

    async def request_context(self: Searcher, topic: str, budget: int = BUDGET) -> dict[str, Any]:
        """Documentation about a topic in one text of at most ``budget`` tokens; see ``encyclopedia.faces.context``."""
        from encyclopedia.faces.context import request_context

        return await request_context(self, topic, budget)

    async def feedback(self, target: str, vote: str) -> dict[str, Any]:
        """Say that a past search (its id, or ``last``) or one of its results was good (``up``) or not (``down``)."""
        import asyncio

        from encyclopedia.faces.feedback import feedback

        await self.engine.stores.behind.settle()  # a search of just now is not written down yet
        return await asyncio.to_thread(feedback, self.engine, target, vote)

    async def statistics(self, source: str = "", type: str = "") -> dict[str, Any]:
        """What sources did, and what that makes of their weights; see ``encyclopedia.faces.statistics``."""
        import asyncio

        from encyclopedia.faces.statistics import statistics

        await self.engine.stores.behind.settle()
        return await asyncio.to_thread(statistics, self.engine, source, type)

    async def evaluate(
        self, gold: str = "", *, queries: str = "", qrels: str = "", progress: Progress | None = None, **options: Any
    ) -> dict[str, Any]:
        """Search measured on the questions of ``gold`` (or of ``queries`` and ``qrels``); see ``encyclopedia.faces.evaluate``.

        Options: the fields of ``encyclopedia.faces.evaluate.Want``. The body holds the means under ``metrics``, each question
        under ``queries``, and what it was made with under ``configuration``.
        """
        import asyncio

        from encyclopedia.faces.evaluate import evaluate, want
        from encyclopedia.faces.gold import read

        wanted = want(options)
        questions = await asyncio.to_thread(read, gold, queries=queries, qrels=qrels)
        return await evaluate(self.engine, questions, wanted, progress or (lambda _label, _done, _total: None))

    async def evaluate_answers(self, gold: str, *, progress: Progress | None = None, **options: Any) -> dict[str, Any]:
        """Answers measured on the questions of ``gold``; options are those of ``ask``.

        See ``encyclopedia.faces.evaluate_answers``.
        """
        from encyclopedia.faces.evaluate_answers import evaluate_answers

        return await evaluate_answers(self.engine, gold, options, progress or (lambda _label, _done, _total: None))
