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

    async def lookup(self, topic: str, **options: Any) -> Lookup:
        """The documentation of a library, API or topic; options: ``version``, ``timeout``, ``max_tokens``."""
        from encyclopedia.faces.revived import lookup_of

        return lookup_of(await self._asked("lookup", {"topic": topic, **options}))

    async def code(self, repository: str, question: str, **options: Any) -> Code:
        """What stands in a repository about a question; options: ``depth``, ``limit``, ``timeout``. Folders are refused."""
        from encyclopedia.faces.revived import code_of

        return code_of(await self._asked("code", {"repository": repository, "question": question, **options}))

    async def ask(self, question: str, **options: Any) -> Answer:
        """A cited answer from the corpora of the service; options: those of ``Encyclopedia.ask`` but ``rebuild``."""
        from encyclopedia.faces.revived import answer_of

        return answer_of(await self._asked("ask", {"question": question, **options}))

    async def load(self, topic: str = "", **options: Any) -> dict[str, Any]:
        """The pages of a knowledge catalog about a topic, as ``Encyclopedia.load`` gives them."""
        return await self._asked("load", {"topic": topic, **options})

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

    async def _asked(self, verb: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The body of an answer. Raises the error of one that is none."""
        from encyclopedia.faces.revived import error_of

        given = {name: value for name, value in fields.items() if value is not None and (name not in SCOPES or value != "")}
        body: dict[str, Any] = await self._sent(verb, {name: _plain(name, value) for name, value in given.items()})
        answered = body.get("code", 0) in (0, NothingFound.code) and _ANSWER[verb] in body
        if not answered:
            raise error_of(body)
        return body

    async def _sent(self, verb: str, fields: Mapping[str, Any]) -> Any:
        import aiohttp

        try:
            async with self._open().post(f"{self._url}/v1/{verb}", json=fields, allow_redirects=False) as response:
                raw = await response.content.read(_MOST)
                while not response.content.at_eof() and len(raw) < _MOST:
                    raw += await response.content.read(_MOST - len(raw))
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
}
"""The field by which an answer is told from an error."""


def _plain(name: str, value: Any) -> Any:
    """A value as JSON has it: a query type by its name, any names as a list, those between commas too."""
    if name in SCOPES:
        return list(names(value))
    return list(value) if not isinstance(value, str | dict | int | float | None) else value


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
