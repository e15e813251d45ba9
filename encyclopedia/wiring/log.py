"""The log: lines of JSON on standard error, written by structlog, which is imported at the first line."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from encyclopedia.wiring.requirements import Absent, load

if TYPE_CHECKING:
    from encyclopedia.model.trace import Trace

LEVELS = ("debug", "info", "warning", "error")


class Log:
    """Writes what is at least as grave as ``level``; without structlog it writes nothing.

    The logger is ours alone: a program that uses us keeps its own configuration of structlog.
    """

    def __init__(self, level: str) -> None:
        self._least = LEVELS.index(level)
        self._logger: Any = None

    def wants(self, level: str) -> bool:
        """Whether a line of this level is written."""
        return LEVELS.index(level) >= self._least

    def tell(self, level: str, event: str, **fields: object) -> None:
        """Write one line."""
        if not self.wants(level):
            return
        if self._logger is None:
            self._logger = _logger()
        if not isinstance(self._logger, Absent):
            getattr(self._logger, level)(event, **fields)

    def trace(self, trace: Trace[Any]) -> None:
        """Write one line for each step of a finished search, with its time; at level debug with its values too."""
        if not self.wants("info"):
            return
        for step in trace.steps:
            values = {"before": repr(step.before), "after": repr(step.after)} if self.wants("debug") else {}
            self.tell("info", "step", name=step.name, ms=round(step.seconds * 1000, 3), absent=step.absent, **values)


def _logger() -> Any:
    structlog = load("structlog")
    if isinstance(structlog, Absent):
        return structlog
    processors = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.JSONRenderer(),
    ]
    return structlog.wrap_logger(structlog.PrintLogger(sys.stderr), processors=processors)
