"""The bus: tells those who registered for events what a search came to, and when a source is left alone and is back."""

from __future__ import annotations

import os
from contextlib import contextmanager
from contextvars import ContextVar
from time import time
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from encyclopedia.model.plan import Plan
    from encyclopedia.model.ranking import Ranking
    from encyclopedia.wiring.log import Log
    from encyclopedia.wiring.postbox import Postbox


class Made(Protocol):
    """What a verb gives: an object with its JSON form."""

    @property
    def body(self) -> Mapping[str, Any]:
        """The JSON form."""
        ...


M = TypeVar("M", bound=Made)
DEGRADED = "ENCYCLOPEDIA_SOURCE_DEGRADED"
RESTORED = "ENCYCLOPEDIA_SOURCE_RESTORED"
"""What the two are called in the log."""
PREFIX = "encyclopedia."

_search: ContextVar[str] = ContextVar("search", default="")
"""The id of the search that is under way here."""


class Search:
    """One search that is under way: its id, its beginning, and the question whose stored answer was served."""

    def __init__(self, bus: Announcer, start: float) -> None:
        self.id, self.start = os.urandom(6).hex(), start
        self.matched = ""
        self.body: Mapping[str, Any] = {}
        self._bus = bus

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return time() - self.start

    def found(self, ranking: Ranking) -> Search:
        """Take note of what the cache did, and tell whether it had the answer; itself."""
        use = ranking.cache
        self.matched = use.matched_query if use.status == "hit" else ""
        if use.status in ("hit", "miss"):
            self._bus.tell(
                f"cache.{use.status}", {"query": ranking.plan.query.text, "matched_query": use.matched_query or None}
            )
        return self

    def told(self, made: M) -> M:
        """Take note of what is answered, which is given back."""
        self.body = made.body
        return made


class Announcer:
    """Turns what happens into events; ``sinks`` maps names to ``module:attribute``, loaded off the way of the search."""

    def __init__(self, sinks: Mapping[str, str], log: Log) -> None:
        self._targets, self._log = sinks, log
        self._boxes: list[Postbox] | None = None

    def breaker(self, source: str, before: str, after: str) -> None:
        """A source's breaker went from one state to another: opened, or recovered."""
        name, told = ("restored", RESTORED) if after == "closed" else ("degraded", DEGRADED)
        self._log.tell("info", told, source=source, before=before, after=after)
        self.tell(f"source.{name}", {"source": source, "before": before, "after": after, "event": told})

    @contextmanager
    def search(self, plan: Plan, start: float | None = None) -> Iterator[Search]:
        """Around a search: tells that it has started, and in the end once what it came to, whatever that is."""
        search = Search(self, time() if start is None else start)
        token = _search.set(search.id)
        query = {"query": plan.query.text, "query_type": plan.question.type.value}
        self.tell("search.started", query | {"sources": [ask.source for ask in plan.asks]})
        try:
            yield search
        except BaseException as error:
            self._completed(search, query | {"code": getattr(error, "code", 4), "error": type(error).__name__})
            raise
        else:
            self._completed(search, query | {"code": search.body.get("code", 0)})
        finally:
            _search.reset(token)

    def _completed(self, search: Search, data: dict[str, object]) -> None:
        body = search.body
        told = {"results": len(body.get("results", ())), "degraded": body.get("degraded"), "cached": body.get("cached")}
        self.tell("search.completed", data | told | {"ms": round(search.seconds * 1000)})

    def tell(self, name: str, data: dict[str, object]) -> None:
        """Hand an event to all who registered; waits for none of them, and raises nothing that they raise."""
        if not self._targets:
            return
        from encyclopedia.model.event import Event
        from encyclopedia.wiring.postbox import Postbox

        if self._boxes is None:
            self._boxes = [Postbox(target) for target in self._targets.values()]
        event = Event(PREFIX + name, time(), _search.get() or os.urandom(6).hex(), data, os.urandom(6).hex())
        for box in self._boxes:
            box.put(event)

    def close(self) -> None:
        """Let what is under way arrive, for a moment."""
        for box in self._boxes or ():
            box.close()
        self._boxes = None
