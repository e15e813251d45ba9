"""A fake upstream on loopback whose behaviour can be set path by path.

In a test::

    async with Upstream() as up:
        up.on("/search", Act(json=searxng_body(("Title", "https://example.org/a", "text"))))
        ... up.url, up.count("/search"), up.seen, up.in_flight, up.peak

As a process of its own, for tests of the command line::

    with UpstreamProcess() as up:
        up.on("/search", status=500)
        ... up.url, up.count("/search")

``front`` gives an address that speaks TLS, in both; whoever shall trust it needs ``SSL_CERT_FILE`` in its environment.
"""

from __future__ import annotations

import argparse
import asyncio
import atexit
import contextlib
import functools
import gzip
import json
import os
import socket
import ssl
import subprocess
import sys
import tempfile
import urllib.request
import zlib
from collections.abc import Callable, Coroutine
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Self


@dataclass(frozen=True)
class Act:
    """What happens to one request; times in seconds.

    ``json`` or ``body`` is sent with ``content_type``. ``delay`` passes first; ``hang`` answers never, ``drip`` sends one byte
    each so many seconds, ``reset`` cuts the connection, ``half`` cuts it inside the body, ``redirect`` sends away (302 unless
    ``status`` says otherwise), ``bomb`` sends so many MiB of blanks as gzip, ``corrupt`` claims gzip and lies, ``gzip``
    sends the body packed. ``handshake`` passes before TLS is spoken on a new connection to the front of the path.
    """

    status: int = 200
    json: Any = None
    body: str = ""
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    hang: bool = False
    drip: float = 0.0
    reset: bool = False
    half: bool = False
    redirect: str = ""
    bomb: int = 0
    corrupt: bool = False
    gzip: bool = False
    handshake: float = 0.0

    def payload(self) -> bytes:
        """The bytes of the body."""
        return (json.dumps(self.json) if self.json is not None else self.body).encode("utf-8", "surrogatepass")


@dataclass(frozen=True)
class Seen:
    """A request that came in."""

    method: str
    path: str
    raw_path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: str


UNSET = Act(404, json={"error": "this fake was told nothing about the path"})


class Upstream:
    """The fake as an asynchronous context manager."""

    def __init__(self, port: int = 0) -> None:
        self.port = port
        self.url = ""
        self.seen: list[Seen] = []
        self.in_flight = 0
        self.peak = 0
        self.arrived = asyncio.Event()
        self._acts: dict[str, list[Act]] = {}
        self._fronts: dict[str, TlsFront] = {}

    def on(self, path: str, *acts: Act) -> None:
        """From now on requests to ``path`` (``*`` for any) get these acts one after another, the last one for ever."""
        self._acts[path] = list(acts)
        for act in acts:
            bomb(act.bomb)  # built before it is asked for: packing takes longer than a request may

    def count(self, path: str = "") -> int:
        """How many requests came in, to one path or to all."""
        return sum(not path or seen.path == path for seen in self.seen)

    async def __aenter__(self) -> Self:
        from aiohttp import web

        app = web.Application(client_max_size=128 * 1024 * 1024)
        app.router.add_route("*", "/-/{order}", self._control)
        app.router.add_route("*", "/{tail:.*}", self._handle)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.05, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port)
        await site.start()
        self.port = self._runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{self.port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        for front in self._fronts.values():
            await front.close()
        await self._runner.cleanup()

    def front(self, path: str) -> TlsFront:
        """The front of a path: the same over TLS, after the handshake that its act asks for."""
        if path not in self._fronts:
            self._fronts[path] = TlsFront(self.port, lambda: self._now(path).handshake)
        return self._fronts[path]

    def _now(self, path: str) -> Act:
        return (self._acts.get(path) or self._acts.get("*") or [UNSET])[0]

    async def _control(self, request: Any) -> Any:
        from aiohttp import web

        order = request.match_info["order"]
        if order == "on":
            given = await request.json()
            self.on(given["path"], *(Act(**act) for act in given["acts"]))
        elif order == "front":
            front = self.front((await request.json())["path"])
            return web.json_response({"url": front.url, "trust": front.trust})
        elif order == "clear":
            self.seen.clear()
            self.peak = self.in_flight
        told: dict[str, object] = {"in_flight": self.in_flight, "peak": self.peak}
        if order == "state":  # what was seen grows with every request: who only steers is not told all of it
            told["seen"] = [asdict(seen) for seen in self.seen]
        return web.json_response(told)

    async def _handle(self, request: Any) -> Any:
        acts = self._acts.get(request.path) or self._acts.get("*") or [UNSET]
        act = acts.pop(0) if len(acts) > 1 else acts[0]
        body = await request.text()
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.seen.append(Seen(request.method, request.path, request.raw_path, dict(request.query), headers, body))
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        self.arrived.set()
        try:
            return await self._answer(request, act)
        finally:
            self.in_flight -= 1

    async def _answer(self, request: Any, act: Act) -> Any:
        from aiohttp import web

        if act.delay:
            await asyncio.sleep(act.delay)
        if act.hang:
            await asyncio.Event().wait()
        if act.reset:
            request.transport.abort()
            return web.Response()
        if act.redirect:
            return web.Response(status=act.status if act.status != 200 else 302, headers={"Location": act.redirect})
        if act.drip or act.half:
            return await self._slowly(request, act)
        headers = {"Content-Type": act.content_type, **act.headers}
        if act.bomb or act.corrupt:
            headers["Content-Encoding"] = "gzip"
            return web.Response(status=act.status, headers=headers, body=bomb(act.bomb) if act.bomb else b"no gzip at all")
        if act.gzip:
            headers["Content-Encoding"] = "gzip"
            return web.Response(status=act.status, headers=headers, body=gzip.compress(act.payload()))
        return web.Response(status=act.status, headers=headers, body=act.payload())

    async def _slowly(self, request: Any, act: Act) -> Any:
        from aiohttp import web

        payload = act.payload()
        headers = {"Content-Type": act.content_type, "Content-Length": str(len(payload)), **act.headers}
        response = web.StreamResponse(status=act.status, headers=headers)
        await response.prepare(request)
        if act.half:
            await response.write(payload[: len(payload) // 2])
            request.transport.close()
            return response
        with contextlib.suppress(ConnectionError):  # whoever asked has heard enough
            for at in range(len(payload)):
                await response.write(payload[at : at + 1])
                await asyncio.sleep(act.drip)
        return response


class TlsFront:
    """Speaks TLS for what listens on ``port`` of loopback, ``handshake()`` seconds after a connection was made.

    ``trust`` is a file with the certificate that it shows.
    """

    def __init__(self, port: int, handshake: Callable[[], float]) -> None:
        self._port, self._handshake = port, handshake
        self._works: set[asyncio.Task[None]] = set()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._listening.setblocking(False)
        self.url = f"https://127.0.0.1:{self._listening.getsockname()[1]}"
        self.trust, key = certificate()
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(self.trust, key)
        self._begin(self._accept())

    async def close(self) -> None:
        """Cut all connections."""
        for work in self._works:
            work.cancel()
        await asyncio.wait(self._works)
        self._listening.close()

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._works.add(task)
        task.add_done_callback(self._works.discard)

    async def _accept(self) -> None:
        while True:
            call, _ = await asyncio.get_running_loop().sock_accept(self._listening)
            self._begin(self._answer(call))

    async def _answer(self, call: socket.socket) -> None:
        loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
        protocol = asyncio.StreamReaderProtocol(reader)
        try:
            await asyncio.sleep(self._handshake())
        except asyncio.CancelledError:
            call.close()  # else it belongs to the transport
            raise
        with contextlib.suppress(OSError):  # whoever called has heard enough, or does not trust us
            transport, _ = await loop.connect_accepted_socket(lambda: protocol, call, ssl=self._context)
            await self._speak(reader, asyncio.StreamWriter(transport, protocol, reader, loop))

    async def _speak(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ways: list[asyncio.Task[None]] = []
        ends = [writer]
        try:
            behind, beyond = await asyncio.open_connection("127.0.0.1", self._port)
            ends.append(beyond)
            ways += [asyncio.ensure_future(_relay(*way)) for way in ((reader, beyond), (behind, writer))]
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            for end in ends:
                end.close()


async def _relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while piece := await reader.read(65536):
            writer.write(piece)
            await writer.drain()


@functools.cache
def certificate() -> tuple[str, str]:
    """Files with a certificate for this machine's loopback, signed by itself, and with its key; gone with the process."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "fake")])
    now = datetime.now(UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + timedelta(days=1))
    made = made.add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
    made = made.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    files = Path(folder.name, "trust.pem"), Path(folder.name, "key.pem")
    files[0].write_bytes(made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    shape = serialization.PrivateFormat.PKCS8
    files[1].write_bytes(key.private_bytes(serialization.Encoding.PEM, shape, serialization.NoEncryption()))
    return str(files[0]), str(files[1])


@functools.cache
def bomb(mebibytes: int) -> bytes:
    """So many MiB of blanks inside a JSON string, as gzip: about a thousandth of that on the wire."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    parts = [packer.compress(b'{"results": [], "query": "')]
    parts += [packer.compress(b" " * 1024 * 1024) for _ in range(mebibytes)]
    return b"".join((*parts, packer.compress(b'"}'), packer.flush()))


Row = tuple[str, str, str]


def searxng_body(*rows: Row, **more: object) -> dict[str, object]:
    """An answer of SearXNG with these titles, addresses and contents."""
    results = [
        {"title": title, "url": url, "content": content, "engine": "brave", "engines": ["brave"], "positions": [at], "score": 1 / at,
         "category": "general", "template": "default.html", "publishedDate": None, "parsed_url": ["https", "example.org", "/"]}
        for at, (title, url, content) in enumerate(rows, 1)
    ]  # fmt: skip
    empty: dict[str, object] = {
        "answers": [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": [],
    }
    return {"query": "as asked", "results": results, **empty, **more}


def wikipedia_body(*rows: Row) -> dict[str, object]:
    """An answer of MediaWiki's search with these titles and snippets; it names pages, not addresses."""
    search = [
        {
            "ns": 0,
            "title": title,
            "pageid": at,
            "size": 100,
            "wordcount": 20,
            "snippet": content,
            "timestamp": "2026-01-02T00:00:00Z",
        }
        for at, (title, _, content) in enumerate(rows, 1)
    ]
    return {"batchcomplete": True, "query": {"searchinfo": {"totalhits": len(rows)}, "search": search}}


class UpstreamProcess:
    """The fake in a process of its own, steered over loopback."""

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory()
        environ = os.environ | {"TMPDIR": self._folder.name}  # it is killed, and cannot tidy up
        argv = [sys.executable, __file__, "--port", "0"]
        self._process = subprocess.Popen(argv, env=environ, stdout=subprocess.PIPE, text=True)
        self.port = int(self._process.stdout.readline())
        self.url = f"http://127.0.0.1:{self.port}"
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()
        self._process.stdout.close()
        self._folder.cleanup()

    def on(self, path: str, *acts: dict[str, Any], **act: Any) -> None:
        """As ``Upstream.on``: acts as dicts, or one act as keyword arguments."""
        self._post("on", {"path": path, "acts": [*acts, act] if act else list(acts)})

    def front(self, path: str) -> tuple[str, str]:
        """As ``Upstream.front``: its address, and the file to trust."""
        told = self._post("front", {"path": path})
        return told["url"], told["trust"]

    def clear(self) -> None:
        """Forget the requests that came in."""
        self._post("clear", {})

    def state(self) -> dict[str, Any]:
        """What was seen, what is in flight, and the peak of it."""
        return self._post("state", {})

    def in_flight(self) -> int:
        """How many requests have no answer yet."""
        return int(self._post("busy", {})["in_flight"])

    def count(self, path: str = "") -> int:
        """How many requests came in, to one path or to all."""
        return sum(not path or seen["path"] == path for seen in self.state()["seen"])

    def _post(self, order: str, body: dict[str, Any]) -> dict[str, Any]:
        request = urllib.request.Request(  # noqa: S310 - always http, on loopback
            f"{self.url}/-/{order}", json.dumps(body).encode(), {"Content-Type": "application/json"}, method="POST"
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=10) as response:
            return json.load(response)


async def _serve(port: int) -> None:
    async with Upstream(port) as up:
        print(up.port, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="a fake upstream on loopback; prints its port")
    parser.add_argument("--port", type=int, default=0)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(parser.parse_args().port))
