"""A tool of any MCP server, as a source described in the settings."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import Refused
from encyclopedia.ports import Card, Cli, Key, Package
from encyclopedia_adapters.generic.mcp_table import OPTIONS, McpTable, read_table
from encyclopedia_adapters.generic.template import fill, filled, percent, values

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractAsyncContextManager

    from encyclopedia.model.outcome import Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Context
    from encyclopedia_adapters.generic.mcp_connect import Connection, Told

TIMEOUT = 10.0
"""Seconds where the table sets none: a server over stdio takes up to five to start."""
_BLOCKS = 200
_NAMED = 10
_RULE = "\n\n---\n\n"


def card(name: str, options: Mapping[str, object]) -> Card:
    """The card of the source that the table ``options`` describes.

    Beside the options named there it takes ``env`` (a table, or a list of names to pass on), ``headers``, ``allow`` (tools
    that may be called although they do not say that they only read), ``limited``, ``form``, ``html`` and ``description``.
    """
    table = read_table(name, options)
    program = (Cli(table.command[0]),) if table.command else ()
    return Card(
        name,
        serves=table.serves,
        make=lambda context: McpSource(table, context),
        description=table.description or "a tool of an MCP server",
        timeout=table.timeout or TIMEOUT,
        requires=(*program, Package("mcp", "mcp"), Package("jmespath"), *(Key(key) for key in table.keys)),
        accepts=tuple(Key(key) for key in table.passed.names),
        form=table.form,
        options=OPTIONS,
    )


class McpSource:
    """Calls one tool of one server, over one connection that is kept."""

    def __init__(self, table: McpTable, context: Context) -> None:
        from encyclopedia_adapters.generic.answer import Answers
        from encyclopedia_adapters.generic.kept import Kept

        self._table, self._secret, self._agent = table, context.secret, context.agent
        self._answers = Answers(table.answers)
        self._told: list[Told] = []
        self._kept = Kept(self._connect)

    async def search(self, request: Request) -> Reply:
        """At most ``request.limit`` clean hits; a connection that had ended is made anew, once.

        ``Refused`` if there is no such tool, or if it may not be called.
        """
        import asyncio
        from importlib import import_module

        if "mcp" not in sys.modules:
            await asyncio.to_thread(import_module, "mcp")  # a second that would hold up everybody else
        try:
            async with asyncio.timeout(request.timeout):
                result = await self._called(request)
        except TimeoutError:
            raise TimeoutError(f"{self._table.name} did not answer within {request.timeout:g} s") from None
        return self._reply(result, request.limit)

    async def aclose(self) -> None:
        """Close the connection and end the server that was started for it."""
        await self._kept.aclose()

    async def _called(self, request: Request) -> Any:
        from encyclopedia_adapters.generic.mcp_trouble import Lost

        try:
            return await self._once(request)
        except Lost:
            return await self._once(request)

    async def _once(self, request: Request) -> Any:
        """The tool's result; ``Lost`` if a connection that was open before has ended."""
        from encyclopedia_adapters.generic.mcp_trouble import Lost, lost
        from encyclopedia_adapters.generic.unlogged import unlogged

        self._told.clear()
        try:
            connection, reused = await self._kept.get()
        except Exception as error:  # noqa: BLE001 - whatever the library raises becomes one of ours
            raise self._trouble(error) from None
        self._told.clear()  # what was answered to the question for the protocol's version means nothing
        self._check(connection.tools)
        arguments = filled(self._table.arguments, values(request), self._secret)
        try:
            with unlogged():
                return await connection.client.call_tool(self._table.tool, arguments)
        except Exception as error:  # noqa: BLE001 - as above
            found = self._trouble(error)
            if not isinstance(found, Refused):
                self._kept.drop()
            if reused and lost(error):
                raise Lost(str(found)) from None
            raise found from None
        except BaseException:
            self._kept.drop()  # the time is up: a server that hangs is not asked again
            raise

    def _trouble(self, error: Exception) -> Exception:
        from encyclopedia_adapters.generic.mcp_trouble import trouble

        return trouble(self._table.name, error, self._told[-1] if self._told else None)

    def _connect(self) -> AbstractAsyncContextManager[Connection]:
        from encyclopedia_adapters.generic.mcp_connect import over_http, over_stdio

        table, secret = self._table, self._secret
        if table.url:
            headers = {name: fill(value, {}, secret) for name, value in table.headers.items()}
            return over_http(fill(table.url, {}, secret, percent), {"User-Agent": self._agent, **headers}, self._told)
        given = {name: fill(value, {}, secret) for name, value in table.passed.values.items()}
        named = {name: secret(name) for name in table.passed.names}
        arguments = [fill(part, {}, secret) for part in table.command[1:]]
        return over_stdio(table.command[0], arguments, given | {name: value for name, value in named.items() if value})

    def _check(self, tools: Mapping[str, bool]) -> None:
        """Raise ``Refused`` unless there is the tool and it only reads, or is allowed."""
        from encyclopedia_adapters.shared.sanitize import clean_line

        tool, name = self._table.tool, self._table.name
        if tool not in tools:
            there = ", ".join(clean_line(other, 60) for other in sorted(tools)[:_NAMED]) or "none"
            raise Refused(f"{name} has no tool {tool}; it has {there}")
        if not tools[tool] and tool not in self._table.allow:
            raise Refused(f'{name} does not say that its tool {tool} only reads: allow = ["{tool}"] lets it be called')

    def _reply(self, result: Any, limit: int) -> Reply:
        from encyclopedia.model.outcome import Reply
        from encyclopedia_adapters.generic.guess import parsed
        from encyclopedia_adapters.generic.mcp_trouble import failed_tool
        from encyclopedia_adapters.generic.rows import hit_of
        from encyclopedia_adapters.shared.status import nothing_found

        blocks = result.content[:_BLOCKS]
        texts = [text for text in map(_text, blocks) if text]
        text = _RULE.join(texts)
        if result.is_error:
            if nothing_found(404, text):
                return Reply()
            self._answers.check_limit(text)
            raise failed_tool(self._table.name, text)
        value = result.structured_content
        if value is None and len(texts) > 1:
            members = [parsed(one) for one in texts]
            value = members if all(isinstance(member, dict) for member in members) else None
        links = [block for block in blocks if block.type == "resource_link"]
        if value is None and not texts and links:
            rows = ({"title": link.title or link.name, "url": str(link.uri), "content": link.description} for link in links)
            return Reply(tuple(hit for hit in (hit_of(self._table.name, row, "", "guess") for row in rows) if hit)[:limit])
        return self._answers.reply(text, limit, value)


def _text(block: Any) -> str:
    """The text of a content block, that of an embedded resource too."""
    found = getattr(getattr(block, "resource", block), "text", None)
    return found if isinstance(found, str) else ""
