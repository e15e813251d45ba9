"""The Python face of a service elsewhere: the methods of ``Encyclopedia`` over ``encyclopedia serve``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from encyclopedia.faces.requests import SCOPES, names
from encyclopedia.model.errors import EncyclopediaError, NoSourceAnswered, NothingFound, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Unpack

    from aiohttp import ClientSession

    from encyclopedia.faces.code import Code
    from encyclopedia.faces.lookup import Lookup
    from encyclopedia.faces.options import Options
    from encyclopedia.faces.report import Report
    from encyclopedia.model.answer import Answer
    from encyclopedia.ports import Progress

_EVENTS = "text/event-stream"
_SECONDS = 70.0
"""What a request may take: the service ends each within a minute."""
_MOST = 64 * 1024 * 1024
"""Bytes of a response."""


class RemoteEncyclopedia:
    """A service started with ``encyclopedia serve``, asked as ``Encyclopedia`` is asked on the machine itself.

    ``url`` is its address, ``token`` what it wants to be shown, if anything. Use it as an asynchronous context manager. What
    the service refuses is raised as the error that it would be here; one that cannot be reached is ``NoSourceAnswered``.
    Raises ``UsageError`` for an address that is none.
    """

    def __init__(self, url: str, *, token: str = "") -> None:
        if not url.startswith(("http://", "https://")):
            raise UsageError(f"{url!r} is no address of a service", "it begins with http:// or https://")
        self._url, self._token = url.rstrip("/"), token
        self._session: ClientSession | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def search(self, query: str, **options: Unpack[Options]) -> Report:
        """The ranked, attributed answer to ``query``; options and errors are those of ``Encyclopedia.search``."""
        from encyclopedia.faces.revived import report_of

        return report_of(await self._asked("search", {"query": query, **options}))

    async def plan(self, query: str, **options: Unpack[Options]) -> dict[str, Any]:
        """What ``search`` would do, as the report of a dry run."""
        return await self._asked("plan", {"query": query, **options})

    async def lookup(self, topic: str, *, progress: Progress | None = None, **options: Any) -> Lookup:
        """The documentation of a library, API or topic; options: ``version``, ``timeout``, ``max_tokens``."""
        from encyclopedia.faces.revived import lookup_of

        return lookup_of(await self._asked("lookup", {"topic": topic, **options}, progress))

    async def code(self, repository: str, question: str, *, progress: Progress | None = None, **options: Any) -> Code:
        """What stands in a repository about a question; options: ``depth``, ``limit``, ``timeout``. Folders are refused."""
        from encyclopedia.faces.revived import code_of

        return code_of(await self._asked("code", {"repository": repository, "question": question, **options}, progress))

    async def ask(self, question: str, *, progress: Progress | None = None, **options: Any) -> Answer:
        """A cited answer from the corpora of the service; options: those of ``Encyclopedia.ask`` but ``rebuild``."""
        from encyclopedia.faces.revived import answer_of

        return answer_of(await self._asked("ask", {"question": question, **options}, progress))

    async def load(self, topic: str = "", *, progress: Progress | None = None, **options: Any) -> dict[str, Any]:
        """The pages of a knowledge catalog about a topic, as ``Encyclopedia.load`` gives them."""
        return await self._asked("load", {"topic": topic, **options}, progress)

    async def ground(self, query: str, **options: Any) -> dict[str, Any]:
        """A grounded plan from curated tables, as ``Encyclopedia.ground`` gives it."""
        return await self._asked("ground", {"query": query, **options})

    async def graph(self, verb: str, **options: Any) -> dict[str, Any]:
        """A verb of a graph of books that only reads, as ``Encyclopedia.graph`` gives it."""
        return await self._asked("graph", {"verb": verb, **options})

    async def sources(self) -> list[dict[str, Any]]:
        """Every source with its health, as ``encyclopedia sources`` lists them."""
        found: list[dict[str, Any]] = await self._sent("sources", {})
        return found

    async def feedback(self, target: str, vote: str) -> dict[str, Any]:
        """A vote on a past search, as ``Encyclopedia.feedback`` takes it; refused where past searches are not shown."""
        return await self._asked("feedback", {"target": target, "vote": vote})

    async def _asked(self, verb: str, fields: Mapping[str, Any], progress: Progress | None = None) -> dict[str, Any]:
        """The body of an answer; its steps are told before if somebody listens. Raises the error of one that is none."""
        from encyclopedia.faces.revived import error_of

        given = {name: value for name, value in fields.items() if value is not None and (name not in SCOPES or value != "")}
        plain = {name: _plain(name, value) for name, value in given.items()}
        body: dict[str, Any] = await self._sent(f"{verb}/stream" if progress else verb, plain, progress)
        answered = body.get("code", 0) in (0, NothingFound.code) and _ANSWER[verb] in body
        if not answered:
            raise error_of(body)
        return body

    async def _sent(self, verb: str, fields: Mapping[str, Any], progress: Progress | None = None) -> Any:
        import aiohttp

        try:
            async with self._open().post(f"{self._url}/v1/{verb}", json=fields, allow_redirects=False) as response:
                raw = b""
                async for part in response.content.iter_any():
                    raw += part[: _MOST - len(raw)]
                    if progress and response.content_type == _EVENTS:
                        raw = _heard(raw, progress)
                return _parsed(raw, response.status, self._url)
        except (aiohttp.ClientError, TimeoutError) as error:
            told = f"the service at {self._url} cannot be reached ({type(error).__name__})"
            raise NoSourceAnswered(told, "start it with `encyclopedia serve`, or correct the address") from None

    def _open(self) -> ClientSession:
        if self._session is None:
            import aiohttp

            headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
            self._session = aiohttp.ClientSession(headers=headers, timeout=aiohttp.ClientTimeout(total=_SECONDS))
        return self._session


_ANSWER = {
    "search": "results",
    "plan": "status",
    "lookup": "content",
    "code": "files",
    "ask": "answer",
    "load": "status",
    "ground": "status",
    "graph": "status",
    "feedback": "sources",
}
"""The field by which an answer is told from an error."""


def _plain(name: str, value: Any) -> Any:
    """A value as JSON has it: a query type by its name, any names as a list, those between commas too."""
    if name in SCOPES:
        return list(names(value))
    return list(value) if not isinstance(value, str | dict | int | float | None) else value


def _heard(raw: bytes, progress: Progress) -> bytes:
    """What is left of a stream when its steps are told; of the last event, which is none, its body alone."""
    import json

    *whole, rest = raw.split(b"\n\n")
    for event in whole:
        name, _, data = event.removeprefix(b"event: ").partition(b"\ndata: ")
        if name != b"progress":
            return data
        step = json.loads(data)
        progress(step["step"], step["done"], step["total"])
    return rest


def _parsed(raw: bytes, status: int, url: str) -> Any:
    import json

    try:
        body = json.loads(raw)
    except ValueError:
        body = None
    if isinstance(body, list) or (isinstance(body, dict) and "status" in body):
        return body
    told = f"{url} answered with status {status} and nothing that encyclopedia says"
    error: EncyclopediaError = NoSourceAnswered(told, "is it the address of `encyclopedia serve`?")
    raise error
