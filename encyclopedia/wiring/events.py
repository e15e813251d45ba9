"""Tells those who registered for events, and the log, when a source is left alone and when it is back."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from encyclopedia.wiring.requirements import Absent, plugin

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.ports import EventSink
    from encyclopedia.wiring.log import Log

DEGRADED = "ENCYCLOPEDIA_SOURCE_DEGRADED"
RESTORED = "ENCYCLOPEDIA_SOURCE_RESTORED"


class Announcer:
    """Turns changes of breakers into events; ``sinks`` maps names to ``module:attribute``, loaded at the first event."""

    def __init__(self, sinks: Mapping[str, str], log: Log) -> None:
        self._targets, self._log = sinks, log
        self._sinks: list[EventSink] | None = None

    def breaker(self, source: str, before: str, after: str) -> None:
        """A source's breaker went from one state to another: opened, or recovered."""
        from time import time

        from encyclopedia.model.event import Event

        name = RESTORED if after == "closed" else DEGRADED
        self._log.tell("info", name, source=source, before=before, after=after)
        event = Event(name, time(), source, {"source": source, "before": before, "after": after})
        if self._sinks is None:
            loaded = [plugin(target) for target in self._targets.values()]
            self._sinks = [sink for sink in loaded if not isinstance(sink, Absent)]
        for sink in self._sinks:
            with suppress(Exception):
                sink.emit(event)
