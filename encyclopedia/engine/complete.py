"""Asking a language model under a breaker and a timeout: an answer, or why there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.model.outcome import Hit, Reply
from encyclopedia.model.plan import Ask, Request
from encyclopedia.model.query import QueryType
from encyclopedia.model.status import Status

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from encyclopedia.model.outcome import Outcome
    from encyclopedia.ports import Completer

NAME = "llm"


class Written(NamedTuple):
    """What the model wrote; empty with a ``reason`` where it did not. ``read`` is as in ``Completion``."""

    text: str
    read: int = 0
    reason: str = ""


class Model:
    """A completer that is made on first use; ``circuit`` guards it as it guards sources.

    It serves one answer: after a call that took too long no other is waited for.
    """

    def __init__(
        self,
        make: Callable[[], Completer],
        circuit: Callable[[Ask, Callable[[], Awaitable[Reply]]], Awaitable[Outcome]],
        timeout: float,
        max_tokens: int,
    ) -> None:
        self._make, self._circuit, self._timeout, self._max_tokens = make, circuit, timeout, max_tokens
        self._made: Completer | None = None
        self._late = ""

    async def write(self, system: str, prompt: str) -> Written:
        """The model's answer; raises nothing but what is no ``Exception``, such as cancellation."""
        if self._late:
            return Written("", 0, self._late)
        read = 0

        async def work() -> Reply:
            nonlocal read
            self._made = self._made or self._make()
            done = await self._made.complete(system, prompt, max_tokens=self._max_tokens, timeout=self._timeout)
            read = done.prompt_tokens
            return Reply((Hit("", content=done.text),) if done.text else ())

        request = Request(text="", type=QueryType.GENERAL_SEARCH, limit=1, timeout=self._timeout)
        outcome = await self._circuit(Ask(NAME, request, 0.0), work)
        if outcome.status is Status.TIMEOUT:
            self._late = outcome.reason or "it took too long"
        if not outcome.reply.hits:
            return Written("", read, outcome.reason or "it wrote nothing")
        return Written(outcome.reply.hits[0].content, read)
