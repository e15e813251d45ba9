"""Outcomes as they land, as lines of JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.faces.report import landed

if TYPE_CHECKING:
    import asyncio

    from encyclopedia.engine.here import Stop
    from encyclopedia.faces.cli.output import Output
    from encyclopedia.model.outcome import Outcome


class Landing:
    """Prints each outcome; when nobody reads any more it stops the search instead of breaking it."""

    def __init__(self, output: Output, stop: asyncio.Event | Stop) -> None:
        self._output, self._stop = output, stop
        self._broken: BrokenPipeError | None = None

    def seen(self, one: Outcome) -> None:
        """Print the outcome, if this is a stream."""
        if not self._output.stream or self._broken:
            return
        try:
            self._output.event("source", landed(one))
        except BrokenPipeError as error:
            self._broken = error
            self._stop.set()

    def check(self) -> None:
        """Raise ``BrokenPipeError`` if one came up while outcomes landed."""
        if self._broken:
            raise self._broken
