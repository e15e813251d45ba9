"""The sources of an engine, each built on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import Refused
from encyclopedia.ports import Context
from encyclopedia.wiring.agent import agent

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from encyclopedia.model.outcome import Reply
    from encyclopedia.model.plan import Candidate, Plan, Request
    from encyclopedia.ports import Source
    from encyclopedia.wiring.catalog import Catalog
    from encyclopedia.wiring.resources import Resources
    from encyclopedia.wiring.settings import Loaded


class Sources:
    """Builds sources from their cards and keeps them until the engine is closed."""

    def __init__(self, catalog: Catalog, loaded: Loaded, resources: Resources) -> None:
        self._catalog, self._loaded, self._resources = catalog, loaded, resources
        self._built: dict[str, Source] = {}

    def corpora(self) -> frozenset[str]:
        """The names of all local corpora."""
        return frozenset(name for name, entry in self._catalog.items() if entry.card.corpus)

    def candidates(self) -> tuple[Candidate, ...]:
        """What routing may choose from, in a fixed order."""
        return tuple(self._catalog[name].candidate for name in sorted(self._catalog))

    def ask(self, name: str) -> Callable[[Request], Awaitable[Reply]]:
        """The search function of a source, which is built if this is its first use."""
        if name not in self._built:
            entry = self._catalog[name]
            if entry.card.make is None:
                raise Refused(f"{name} cannot be built")
            self._built[name] = entry.card.make(self.context(name))
        return self._built[name].search

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
        )

    def knows(self, word: str) -> bool:
        """Whether the lower-case word occurs in a local index."""
        for name, entry in self._catalog.items():
            if entry.card.knows is not None and not entry.candidate.missing and entry.card.knows(self.context(name), word):
                return True
        return False

    def revision(self, plan: Plan) -> str:
        """What the local sources of a plan hold now, in short: a stored answer is good only for the same."""
        parts = []
        for ask in plan.asks:
            revision = self._catalog[ask.source].card.revision
            if revision is not None:
                parts.append(f"{ask.source}={revision(self.context(ask.source))}")
        return ",".join(parts)

    async def aclose(self) -> None:
        """Close what was built, then what it shared."""
        built: list[Any] = list(self._built.values())
        self._built = {}
        for source in built:
            close = getattr(source, "aclose", None)
            if close is not None:
                await close()
        await self._resources.aclose()
