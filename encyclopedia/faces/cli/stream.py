"""Outcomes as they land, as lines of JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.report import outcome

if TYPE_CHECKING:
    import asyncio

    from encyclopedia.engine.here import Stop
    from encyclopedia.faces.cli.output import Output
    from encyclopedia.model.outcome import Hit, Outcome


class Landing:
    """Prints each outcome; when nobody reads any more it stops the search instead of breaking it."""

    def __init__(self, output: Output, stop: asyncio.Event | Stop) -> None:
        self._output, self._stop = output, stop
        self._broken: BrokenPipeError | None = None

    def seen(self, one: Outcome) -> None:
        """Print the outcome, if this is a stream."""
        if not self._output.stream or self._broken:
            return
        hits = [_hit(rank, hit) for rank, hit in enumerate(one.reply.hits, 1)]
        try:
            self._output.event("source", outcome(one) | {"hits": hits})
        except BrokenPipeError as error:
            self._broken = error
            self._stop.set()

    def check(self) -> None:
        """Raise ``BrokenPipeError`` if one came up while outcomes landed."""
        if self._broken:
            raise self._broken


def _hit(rank: int, hit: Hit) -> dict[str, Any]:
    row: dict[str, Any] = {"rank": rank, "title": hit.title, "url": hit.url or None}
    if hit.locator:
        row["path"] = hit.locator.path
    return row
