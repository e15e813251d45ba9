"""A bound on the searches that ask sources at the same time, with an honest refusal beyond it."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

from encyclopedia.model.errors import NoSourceAnswered

if TYPE_CHECKING:
    from collections.abc import Iterator

RETRY_AFTER = 1.0
"""Seconds after which it is worth asking again: most searches have ended by then."""


class Room:
    """Places for ``most`` searches of one engine, from whatever thread or event loop."""

    def __init__(self, most: int) -> None:
        self._most, self._taken, self._lock = most, 0, Lock()

    @contextmanager
    def place(self) -> Iterator[None]:
        """Hold a place. Raises ``NoSourceAnswered`` at once if there is none: a queue would only make everybody late."""
        with self._lock:
            if self._taken >= self._most:
                raise _refusal(self._most)
            self._taken += 1
        try:
            yield
        finally:
            with self._lock:
                self._taken -= 1


def _refusal(most: int) -> NoSourceAnswered:
    message = f"{most} searches are under way, and no more are taken at once"
    error = {"source": "encyclopedia", "message": message, "optional": False}
    details = {"retry_after": RETRY_AFTER, "outcomes": [], "degraded": True, "degradation": {"missing": [], "errors": [error]}}
    return NoSourceAnswered(message, f"try again in {RETRY_AFTER:g} s, or raise patience.searches", details)
