"""Connects to an MCP server over stdio or streamable HTTP, within our bounds of size, redirects and environment."""

from __future__ import annotations

import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.model.errors import Garbled
from encyclopedia_adapters.generic.unlogged import unlogged
from encyclopedia_adapters.shared.guard import origin
from encyclopedia_adapters.shared.names import look_up

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
MAX_BYTES = 4 * 1024 * 1024
"""Bytes taken of one HTTP response."""
_NO_STREAM = 15.0


class Told(NamedTuple):
    """The last error status that a server answered over HTTP, with its headers in lower case; 0 for none."""

    status: int = 0
    headers: Mapping[str, str] = {}


class Connection(NamedTuple):
    """A connected client, and its tools by name: whether each says that it only reads."""

    client: Any
    tools: dict[str, bool]


@asynccontextmanager
async def over_stdio(program: str, arguments: list[str], environment: Mapping[str, str]) -> AsyncIterator[Connection]:
    """A client of the program; what it says on standard error is not shown."""
    from mcp import StdioServerParameters
    from mcp.client.stdio import stdio_client

    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: ASYNC230 - it does not block
        server = StdioServerParameters(command=program, args=arguments, env=dict(environment))
        with unlogged():
            async with _client(stdio_client(server, errlog=nowhere)) as client:
                yield Connection(client, await _tools(client))


@asynccontextmanager
async def over_http(url: str, headers: Mapping[str, str], told: list[Told]) -> AsyncIterator[Connection]:
    """A client of the address; no redirect to another host is followed, and no proxy of the environment is used.

    ``told`` is given the last error status.
    """
    import asyncio

    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    await asyncio.wrap_future(look_up(*origin(url)))  # the library would look it up on a thread that the end waits for
    transport = _bounded(told)
    timeout = httpx2.Timeout(_NO_STREAM, read=None)
    own = {"Accept-Encoding": "identity", **headers}
    with unlogged():
        async with (
            httpx2.AsyncClient(transport=transport, headers=own, timeout=timeout, trust_env=False) as http,
            _client(streamable_http_client(url, http_client=http)) as client,
        ):
            yield Connection(client, await _tools(client))


@asynccontextmanager
async def _client(transport: Any) -> AsyncIterator[Any]:
    """A connected client that answers no request of the server."""
    from mcp import Client
    from mcp.types import Implementation

    async with Client(transport, client_info=Implementation(name="encyclopedia", version="1")) as client:
        yield client


async def _tools(client: Any) -> dict[str, bool]:
    """The tools by name, and whether each says that it only reads. At most 20 pages."""
    found: dict[str, bool] = {}
    cursor = None
    for _ in range(20):
        page = await client.list_tools(cursor=cursor)
        for tool in page.tools:
            found[tool.name] = bool(tool.annotations and tool.annotations.read_only_hint)
        cursor = page.next_cursor
        if not cursor:
            break
    return found


def _bounded(told: list[Told]) -> Any:
    """A transport that remembers error statuses, takes no packed bodies, and cuts what is too long."""
    import httpx2

    class Bounded(httpx2.AsyncHTTPTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            response = await super().handle_async_request(request)
            if response.status_code >= 400:  # noqa: PLR2004 - the class of statuses
                told[:] = [Told(response.status_code, {name.lower(): value for name, value in response.headers.items()})]
            if response.headers.get("content-encoding", "identity") != "identity":
                await response.aclose()
                raise Garbled("the server packs its answers unasked")
            return httpx2.Response(
                response.status_code,
                headers=response.headers,
                stream=Cut(response.stream),
                extensions=response.extensions,
            )

    class Cut(httpx2.AsyncByteStream):
        def __init__(self, stream: Any) -> None:
            self._stream = stream

        async def __aiter__(self) -> AsyncIterator[bytes]:
            taken = 0
            async for chunk in self._stream:
                taken += len(chunk)
                if taken > MAX_BYTES:
                    raise httpx2.ReadError(f"more than {MAX_BYTES} bytes")
                yield chunk

        async def aclose(self) -> None:
            await self._stream.aclose()

    return Bounded()
