"""A server over standard input and output, or over HTTP, until its client leaves or a signal comes."""

from __future__ import annotations

import asyncio
import hmac
import logging
import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.faces.mcp.leaving import GRACE, in_the_end, on_signal, when_hung_up
from encyclopedia.faces.mcp.opening import session_of
from encyclopedia.faces.mcp.server import make_server

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, MutableMapping

    from mcp.server.lowlevel import Server

    from encyclopedia.faces.http.guards import Access
    from encyclopedia.faces.mcp.wire import Wire

    Scope = MutableMapping[str, Any]
    App = Callable[[Scope, Any, Any], Awaitable[None]]

_CLOSING = 0.8
"""Seconds that closing the engine may take."""
_FINISHING = 4
"""Seconds in which calls over HTTP may come to their end."""
_BODY = 1_000_000
"""Bytes of a request."""


class Offer(NamedTuple):
    """What is served to whom: data folder, client, the names of the tools, and whether in the shape of connectors."""

    home: str
    client: str
    tools: tuple[str, ...]
    connectors: bool = False


def over_stdio(offer: Offer, wire: Wire) -> int:
    """Serve the one client at the other end of the wire; the exit code."""

    async def serve(server: Server[Any]) -> None:
        import anyio
        from mcp.server.stdio import stdio_server

        reading, writing = wire.streams()
        when_hung_up(wire.read)
        async with stdio_server(anyio.wrap_file(reading), anyio.wrap_file(writing)) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    return _run(offer, serve, at_once=True)


def over_http(offer: Offer, host: str, port: int, access: Access) -> int:
    """Serve everybody who may call at ``host`` and ``port``; the exit code. Each request stands alone."""

    async def serve(server: Server[Any]) -> None:
        import uvicorn

        config = uvicorn.Config(
            _app(server, port, access),
            host=host,
            port=port,
            log_level="warning",
            timeout_graceful_shutdown=_FINISHING,
            ws="none",
        )
        config.log_config = None
        service = uvicorn.Server(config)
        sys.stderr.write(f"encyclopedia: MCP at http://{f'[{host}]' if ':' in host else host}:{port}/mcp\n")
        await service.serve()  # a signal ends it in order, by itself

    return _run(offer, serve, at_once=False)


def _run(offer: Offer, serve: Callable[[Server[Any]], Coroutine[Any, Any, None]], *, at_once: bool) -> int:
    """Serve until the end; the process ends here, whatever its threads still do for whoever has left."""
    from encyclopedia.faces.cli import streams

    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(name)s: %(message)s")

    async def main() -> None:
        session = session_of(offer.home, offer.client)
        server = make_server(session, offer.tools, connectors=offer.connectors)
        task = asyncio.create_task(serve(server))
        loop = asyncio.get_running_loop()
        stop, grace = (partial(_cancel, loop, task), GRACE) if at_once else (lambda: None, _FINISHING + GRACE)
        came = on_signal(stop, grace)
        with suppress(asyncio.CancelledError):
            await task
        in_the_end(128 + came[0] if came else 0)
        await asyncio.wait_for(session.aclose(), _CLOSING)
        streams.leave(128 + came[0] if came else 0)

    asyncio.run(main())
    return 0


def _cancel(loop: asyncio.AbstractEventLoop, task: asyncio.Task[None]) -> None:
    loop.call_soon_threadsafe(task.cancel)


def _app(server: Server[Any], port: int, access: Access) -> App:
    from mcp.server.transport_security import TransportSecuritySettings

    names = [f"[{name}]" if ":" in name else name for name in sorted(access.hosts)]
    hosts = [*names, *(f"{name}:{port}" for name in names)]
    origins = [f"{scheme}://{host}" for scheme in ("http", "https") for host in hosts]
    security = TransportSecuritySettings(enable_dns_rebinding_protection=True, allowed_hosts=hosts, allowed_origins=origins)
    app = server.streamable_http_app(
        stateless_http=True, json_response=True, transport_security=security, max_request_body_size=_BODY
    )
    return _guarded(app, access.token) if access.token else app


def _guarded(app: App, token: str) -> App:
    """The application behind a bearer token, which goes no further than this."""
    wanted = b"bearer " + token.encode()

    async def guarded(scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
            return
        given = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
        scheme, _, secret = given.partition(b" ")
        if hmac.compare_digest(scheme.lower() + b" " + secret, wanted):
            rest = [(name, value) for name, value in scope["headers"] if name != b"authorization"]
            await app({**scope, "headers": rest}, receive, send)
            return
        headers = [(b"www-authenticate", b"Bearer"), (b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": b'{"error": "the token is missing or wrong: ENCYCLOPEDIA_TOKEN"}'})

    return guarded
