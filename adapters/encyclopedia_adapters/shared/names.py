"""Looks up host names so that a name server which is silent holds up nobody but who asked, and no end."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.shared.unattended import unattended

if TYPE_CHECKING:
    from concurrent.futures import Future

    from aiohttp.abc import AbstractResolver, ResolveResult

_FIGURES = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV


def look_up(host: str, port: int, family: int = socket.AF_UNSPEC) -> Future[list[tuple[Any, ...]]]:
    """What the resolver of this machine says, as ``socket.getaddrinfo``; ``OSError`` if there is no such name.

    The resolver may wait for half a minute and cannot be told to stop.
    """
    kind, flags = socket.SOCK_STREAM, socket.AI_ADDRCONFIG
    return unattended(lambda: list(socket.getaddrinfo(host, port, family, kind, 0, flags)), f"look up {host}")


def resolver() -> AbstractResolver:
    """What a session of aiohttp looks names up with."""
    import asyncio

    from aiohttp.abc import AbstractResolver

    class Resolver(AbstractResolver):
        async def resolve(self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET) -> list[ResolveResult]:
            found = await asyncio.wrap_future(look_up(host, port, family))
            return [
                {"hostname": host, "host": address[0], "port": port, "family": kind, "proto": proto, "flags": _FIGURES}
                for kind, _, proto, _, address in found
            ]

        async def close(self) -> None:
            """There is nothing to close."""

    return Resolver()
