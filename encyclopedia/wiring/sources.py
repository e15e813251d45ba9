"""The sources of an engine, each built on first use."""

from __future__ import annotations

import os
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import Refused
from encyclopedia.ports import Context, no_embedder
from encyclopedia.wiring.agent import agent
from encyclopedia.wiring.credentials import secrets_of
from encyclopedia.wiring.redaction import Redaction

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from threading import Event

    from encyclopedia.engine.budget import Budget
    from encyclopedia.model.outcome import Reply
    from encyclopedia.model.plan import Candidate, Plan, Request
    from encyclopedia.ports import Card, Embedder, Source
    from encyclopedia.wiring.catalog import Catalog
    from encyclopedia.wiring.resources import Resources
    from encyclopedia.wiring.settings import Loaded


class Sources:
    """Builds sources from their cards and keeps them until the engine is closed."""

    max_age: float = 0.0
    """Seconds for which a server may go on believing that what is installed is as it was; a corpus is looked at each time."""

    def __init__(
        self,
        catalog: Catalog,
        loaded: Loaded,
        resources: Resources,
        budget: Budget | None = None,
        embedder: Callable[[], Embedder | None] = no_embedder,
    ) -> None:
        self._catalog, self._loaded, self._resources, self._budget = catalog, loaded, resources, budget
        self._embedder = embedder
        self._built: dict[str, Source] = {}
        self._redactions: dict[str, Redaction | None] = {}
        self._revisions: dict[str, tuple[float, str]] = {}
        self._planned = False

    @property
    def resources(self) -> Resources:
        """What the sources share."""
        return self._resources

    def corpora(self) -> frozenset[str]:
        """The names of all local corpora."""
        return frozenset(name for name, entry in self._catalog.items() if entry.card.corpus)

    @property
    def look_into_files(self) -> bool:
        """Whether making a plan does: the first reads the vocabulary, and local sources are asked for state and words."""
        entries = (entry for entry in self._catalog.values() if not entry.candidate.missing)
        return not self._planned or any(entry.card.revision or entry.card.knows for entry in entries)

    def candidates(self) -> tuple[Candidate, ...]:
        """What routing may choose from, in a fixed order."""
        return tuple(self._catalog[name].candidate for name in sorted(self._catalog))

    def free(self, name: str) -> bool:
        """Whether a second request to the source costs nobody anything: it is of this machine, or public and not counted."""
        entry = self._catalog[name]
        return (entry.card.corpus or entry.card.keyless) and entry.daily_calls is None

    def ask(self, name: str) -> Callable[[Request], Awaitable[Reply]]:
        """The search function of a source, which is built if this is its first use; each call counts against its daily cap."""
        if name not in self._built:
            self._built[name] = self._build(name)
        search: Callable[[Request], Awaitable[Reply]] = self._built[name].search
        cap, budget = self._catalog[name].daily_calls, self._budget
        if redaction := self._redaction(name):
            search = redaction.around(search)
        if cap is None or budget is None:
            return search

        async def counted(request: Request) -> Reply:
            if budget.distant:
                import asyncio

                await asyncio.to_thread(budget.take, name, cap)
            else:
                budget.take(name, cap)
            return await search(request)

        return counted

    def here(self, plan: Plan) -> Callable[[Request, Event], Reply] | None:
        """How the only source of a plan is asked without an event loop; ``None`` if it wants one, or there are several."""
        if len(plan.asks) != 1:
            return None
        name = plan.asks[0].source
        entry = self._catalog[name]
        if not entry.card.corpus or entry.daily_calls is not None:
            return None
        try:
            source = self._built[name] = self._built.get(name) or self._build(name)
        except Exception:  # noqa: BLE001 - it is built once more where its failure becomes an outcome
            return None
        answer: Callable[[Request, Event], Reply] | None = getattr(source, "answer", None)
        return answer

    def _build(self, name: str) -> Source:
        make = self._catalog[name].card.make
        if make is None:
            raise Refused(f"{name} cannot be built")
        try:
            return make(self.context(name))
        except Exception as error:
            if redaction := self._redaction(name):
                redaction.error(error)
            raise

    def _redaction(self, name: str) -> Redaction | None:
        """What keeps the source's credentials out of its answers; ``None`` for one that has none."""
        if name not in self._redactions:
            entry = self._catalog[name]
            values = secrets_of(entry.card, entry.options, self._loaded.environment.secret)
            self._redactions[name] = Redaction(values) if values else None
        return self._redactions[name]

    def context(self, name: str) -> Context:
        """What the source of that name is built from."""
        entry = self._catalog[name]
        return Context(
            name=name,
            home=self._loaded.home,
            agent=agent(self._loaded.settings.contact),
            timeout=entry.candidate.timeout,
            resources=self._resources,
            secret=self._loaded.environment.secret,
            options=entry.options,
            contact=self._loaded.settings.contact,
            embedder=self._embedder,
        )

    def knows(self, word: str) -> bool:
        """Whether the lower-case word occurs in a local index."""
        for name, entry in self._catalog.items():
            if entry.card.knows is None or entry.candidate.missing:
                continue
            with suppress(Exception):  # one index that cannot be asked must not stand in the way of the others
                if entry.card.knows(self.context(name), word):
                    return True
        return False

    def revision(self, plan: Plan) -> str:
        """What the local sources of a plan hold now, in short: a stored answer is good only for the same."""
        parts, self._planned = [], True
        for ask in plan.asks:
            card = self._catalog[ask.source].card
            if card.revision is None:
                continue
            try:
                parts.append(f"{ask.source}={self._revision(card, card.revision)}")
            except Exception:  # noqa: BLE001 - what it holds is not known, so no stored answer can be good for it
                parts.append(f"{ask.source}={os.urandom(8).hex()}")
        return ",".join(parts)

    def _revision(self, card: Card, look: Callable[[Context], str]) -> str:
        if not self.max_age or card.corpus:
            return look(self.context(card.name))
        at, known = self._revisions.get(card.name, (0.0, ""))
        if not known or monotonic() - at > self.max_age:
            known = look(self.context(card.name))
            self._revisions[card.name] = monotonic(), known
        return known

    def state(self, name: str) -> str | None:
        """How a source's local index stands, in a sentence; ``None`` for one that has none or cannot be asked."""
        entry = self._catalog[name]
        if entry.card.state is None or entry.candidate.missing:
            return None
        try:
            return entry.card.state(self.context(name))
        except Exception as error:  # noqa: BLE001 - a look at all sources must not end at one
            return f"its state cannot be told ({type(error).__name__})"

    async def aclose(self) -> None:
        """Close what was built, then what it shared."""
        built: list[Any] = list(self._built.values())
        self._built = {}
        for source in built:
            close = getattr(source, "aclose", None)
            if close is not None:
                with suppress(Exception):  # the others are to be closed all the same
                    await close()
        await self._resources.aclose()
