"""A source that answers what it was given: for trying things out, and for tests of ours and of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.outcome import Reply
from encyclopedia.model.query import QueryType
from encyclopedia.ports import Card

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from encyclopedia.model.outcome import Hit
    from encyclopedia.model.plan import Request

EVERYTHING = dict.fromkeys(QueryType, 0.4)


class Fixed:
    """Answers every request with the same reply, or raises the same exception, after ``delay`` seconds.

    ``requests`` keeps what it was asked. Pass it to ``Encyclopedia(sources=[…])``.
    """

    def __init__(
        self,
        name: str,
        hits: Iterable[Hit] = (),
        *,
        serves: Mapping[QueryType, float] | None = None,
        raises: BaseException | None = None,
        delay: float = 0.0,
        reply: Reply | None = None,
    ) -> None:
        self.card = Card(name, EVERYTHING if serves is None else serves, description="fixed answers", alternatives=True)
        self.requests: list[Request] = []
        self._reply = Reply(tuple(hits)) if reply is None else reply
        self._raises, self._delay = raises, delay

    async def search(self, request: Request) -> Reply:
        """The reply that was given."""
        self.requests.append(request)
        if self._delay:
            import asyncio

            await asyncio.sleep(self._delay)
        if self._raises is not None:
            raise self._raises
        return self._reply
