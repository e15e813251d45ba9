"""One connection: who asks, what it may see, what it has seen, and what of it can be continued or fetched."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from contextlib import asynccontextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import quote

from encyclopedia.model.label import Label, named
from encyclopedia.wiring.corpora import withheld

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping

    from encyclopedia.faces.library import Encyclopedia
    from encyclopedia.wiring.governance import Policy

    V = TypeVar("V")

SCHEME = "encyclopedia://document/"
LOCAL = ("packages", "manpages")
"""The built-in sources that ask nobody."""
_SEEN, _ANSWERS, _AGE = 2000, 32, 600.0


class Seen(NamedTuple):
    """A result that was shown, whole, so that it can be fetched by its id; ``document`` if it is of a local corpus."""

    id: str
    title: str
    url: str
    text: str
    label: Label
    metadata: Mapping[str, Any]
    document: bool = False


class Session:
    """What one server remembers of whom it serves; over HTTP all of its clients are one connection.

    ``rules`` reads the owner's rules and ``make`` makes an engine that keeps them, both again whenever ``stamp`` gives another
    value. ``label`` is the highest label of what was shown; it only rises. ``hidden`` counts the corpora that are above what
    may be shown, once the engine is there.
    """

    def __init__(
        self, rules: Callable[[], Policy], make: Callable[[Policy], Encyclopedia], stamp: Callable[[], object]
    ) -> None:
        self.policy, self.label = rules(), Label.PUBLIC
        self.hidden = 0
        self._rules, self._make, self._stamp = rules, make, stamp
        self._made_of, self._using = stamp(), 0
        self._retired: list[asyncio.Task[Encyclopedia]] = []
        self._opening: asyncio.Task[Encyclopedia] | None = None
        self._seen = OrderedDict[str, Seen]()
        self._answers = OrderedDict[str, tuple[float, Any]]()

    @asynccontextmanager
    async def encyclopedia(self) -> AsyncIterator[Encyclopedia]:
        """The engine for one call, made on first use and off the event loop, and anew when ``stamp`` has changed.

        Raises ``ConfigurationError`` each time if it cannot be made.
        """
        if (stamp := self._stamp()) != self._made_of:
            self._made_of = stamp
            self._forget()
        if self._opening is None or (self._opening.done() and self._opening.exception()):
            self._opening = asyncio.create_task(asyncio.to_thread(self._open))
        self._using += 1
        try:
            made = await asyncio.shield(self._opening)
            yield made
        finally:
            self._using -= 1
            if not self._using:
                await self._close_retired()

    def warm(self) -> None:
        """Begin to make the engine, so that the first question need not wait for it."""
        if self._opening is None:
            self._opening = asyncio.create_task(asyncio.to_thread(self._open))
            self._opening.add_done_callback(lambda made: made.cancelled() or made.exception())

    def _open(self) -> Encyclopedia:
        self.policy = self._rules()
        made = self._make(self.policy)
        made.engine.stores.stay()
        self.hidden = len(withheld(made.engine.loaded))
        return made

    async def aclose(self) -> None:
        """Close the engine, if there is one; the next question, also of another event loop, makes a new one."""
        self._retire()
        await self._close_retired()

    def _forget(self) -> None:
        """Let go of the engine and of all that it has shown: rules, labels or corpora may be others now."""
        self._retire()
        self._seen.clear()
        self._answers.clear()

    def _retire(self) -> None:
        if self._opening is not None:
            self._retired.append(self._opening)
            self._opening = None

    async def _close_retired(self) -> None:
        retired, self._retired = self._retired, []
        for made in retired:
            if made.done() and not made.cancelled() and made.exception() is None:
                await made.result().aclose()

    @property
    def confined(self) -> bool:
        """Whether the connection has seen too much for its words to go to sources on the network."""
        return self.label > self.policy.remote

    def shown(self, labels: Iterable[Label | str]) -> None:
        """Raise the label of the connection to that of what it is shown now; it never falls."""
        self.label = max((self.label, *(one if isinstance(one, Label) else named(one) or Label.PUBLIC for one in labels)))

    def keep(self, seen: Iterable[Seen]) -> None:
        """Remember results, the oldest last."""
        for one in seen:
            self._seen[one.id] = one
            self._seen.move_to_end(one.id)
        while len(self._seen) > _SEEN:
            self._seen.popitem(last=False)

    def kept(self, id: str) -> Seen | None:
        """The result of that id or address, if it was shown."""
        return self._seen.get(id) or next((one for one in self._seen.values() if one.url == id), None)

    def recent(self) -> list[Seen]:
        """The results that were shown, the newest first."""
        return list(reversed(self._seen.values()))

    def remember(self, question: str, answer: V) -> V:
        """Keep an answer, so that it can be continued as it was."""
        self._answers[question] = (monotonic(), answer)
        self._answers.move_to_end(question)
        while len(self._answers) > _ANSWERS:
            self._answers.popitem(last=False)
        return answer

    def remembered(self, question: str) -> Any:
        """The answer to be continued, or ``None`` if it is not there any more."""
        at, answer = self._answers.get(question, (0.0, None))
        return answer if monotonic() - at < _AGE else None

    def address(self, id: str, corpus: str = "", path: str = "") -> str:
        """An address for what has none of its own: below the owner's service for a document, else that of a resource."""
        if self.policy.public_url and corpus:
            return f"{self.policy.public_url}/passage?corpus={quote(corpus, safe='')}&path={quote(path, safe='/')}"
        return self.uri(id)

    def uri(self, id: str) -> str:
        """The address of the resource of that id."""
        return SCHEME + quote(id, safe="/:")
