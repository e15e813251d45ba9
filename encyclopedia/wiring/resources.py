"""What sources share for the lifetime of an engine, and how it is closed."""

from __future__ import annotations

from _thread import RLock  # what threading.RLock is, without the rest of that module
from typing import Any, TypeVar

T = TypeVar("T")


class Resources:
    """Named things, made on first use from any thread."""

    def __init__(self) -> None:
        self._things: dict[str, Any] = {}
        self._lock = RLock()

    def get(self, name: str, make: Any) -> Any:
        """The one resource of that name."""
        with self._lock:
            if name not in self._things:
                self._things[name] = make()
            return self._things[name]

    async def aclose(self) -> None:
        """Close everything that has an ``aclose``; later uses make anew."""
        with self._lock:
            things, self._things = list(self._things.values()), {}
        for thing in reversed(things):
            close = getattr(thing, "aclose", None)
            if close is not None:
                await close()
