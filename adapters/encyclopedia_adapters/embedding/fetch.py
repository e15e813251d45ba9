"""Gets the files of all-MiniLM-L6-v2 from a hub: guarded, bounded, checked, and put into place in one step."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin, urlsplit

from encyclopedia.model.errors import Garbled, Refused, Unavailable
from encyclopedia_adapters.embedding import weights
from encyclopedia_adapters.shared.guard import Guard, normal_url, origin
from encyclopedia_adapters.shared.private_files import private_file
from encyclopedia_adapters.shared.session import named, new_session, ours

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

    from encyclopedia.ports import Progress

FOLDER = f"/sentence-transformers/{weights.MODEL}/resolve/main/"
REDIRECTS = 5
SILENCE = 30.0
"""Seconds without a byte after which a hub has broken off."""
_CHUNK = 262_144
_MEGA = 1_000_000
_MOVED = (301, 302, 303, 307, 308)


class _Hub(NamedTuple):
    session: ClientSession
    guard: Guard
    progress: Progress


async def fetch(hub: str, home: str, agent: str, progress: Progress) -> None:
    """Put the files into the folder ``weights.fetched``; those that are there and right are left alone.

    ``progress`` counts millions of bytes. Raises ``SourceTrouble``, ``OSError`` if the disk does not take them, ``ValueError``
    for an unusable address.
    """
    guard = Guard()
    guard.allow(hub)
    async with new_session(agent, guard) as session:
        for name in weights.FILES:
            path = os.path.join(weights.fetched(home), name)
            if not weights.is_right(path, name):
                await _file(_Hub(session, guard, progress), f"{normal_url(hub).rstrip('/')}{FOLDER}{name}", path)


async def _file(hub: _Hub, url: str, path: str) -> None:
    """One file, from where the hub sends us for it."""
    import aiohttp
    from yarl import URL

    patience = aiohttp.ClientTimeout(sock_connect=SILENCE, sock_read=SILENCE)
    for _ in range(REDIRECTS + 1):
        host = named(*origin(url))
        try:
            with hub.guard.dialling(url):
                async with hub.session.get(URL(url, encoded=True), allow_redirects=False, timeout=patience) as response:
                    if response.status not in _MOVED:
                        await _save(response, host, path, hub.progress)
                        return
                    url = _next(url, response.headers.get("Location", ""), host)
        except TimeoutError:
            raise Unavailable(f"{host} sent nothing for {SILENCE:g} s") from None
        except (aiohttp.ClientError, ValueError) as error:
            raise ours(error, host) from None
    raise Garbled(f"{host} sends us from one address to the next")


def _next(url: str, location: str, host: str) -> str:
    """Where a redirection leads, which may not be to where others can listen."""
    target = normal_url(urljoin(url, location))
    if urlsplit(url).scheme == "https" and urlsplit(target).scheme != "https":
        raise Refused(f"{host} sends us to an address without encryption")
    return target


async def _save(response: ClientResponse, host: str, path: str, progress: Progress) -> None:
    """The body as the file at ``path``, if it is the right one; else nothing is left of it."""
    if response.status != 200:  # noqa: PLR2004 - the one status with a file in it
        raise Unavailable(f"{host} answered with status {response.status}")
    name = os.path.basename(path)
    expected, made, size = weights.FILES[name], hashlib.sha256(), 0
    draft = f"{path}.{os.getpid()}.part"
    try:
        with os.fdopen(private_file(draft, os.O_WRONLY | os.O_TRUNC), "wb") as file:
            async for chunk in response.content.iter_chunked(_CHUNK):
                size += len(chunk)
                if size > expected.size:
                    break
                made.update(chunk)
                file.write(chunk)
                progress(f"MB of {name}", size // _MEGA, expected.size // _MEGA)
            file.flush()
            os.fsync(file.fileno())
        if size != expected.size or made.hexdigest() != expected.sha256:
            raise Garbled(f"{host} sent another {name}: its SHA-256 is not that of {weights.MODEL}")
        os.replace(draft, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(draft)
