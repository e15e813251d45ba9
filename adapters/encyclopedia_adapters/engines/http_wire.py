"""Requests to an engine that speaks HTTP: few connections, kept open, and none waited for longer than it may take."""

from __future__ import annotations

import ssl
import time
from base64 import b64encode
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from encyclopedia.model.errors import Garbled, Unavailable

if TYPE_CHECKING:
    import socket
    from http.client import HTTPResponse

    from encyclopedia_adapters.engines.address import Http

KEPT = 4
"""Idle connections that an index keeps."""

CONNECT, ANSWER, WRITTEN = 3.0, 5.0, 120.0
"""Seconds to connect, to wait for an answer to a search, and for what a writer asks."""

LARGEST = 256 * 1024 * 1024
"""Bytes of an answer that are read."""

_PIECE = 1 << 16


class Request(NamedTuple):
    """What is asked: ``body`` in bytes of ``content``, ``limit`` in seconds for all of it."""

    method: str
    path: str
    body: bytes = b""
    content: str = "application/json"
    limit: float = ANSWER


class Reply(NamedTuple):
    """What came back."""

    status: int
    body: bytes


class HttpWire:
    """Connections to ``place``; ``shown`` is its address without what is secret in it, and ``hidden`` are those secrets."""

    def __init__(self, place: Http, shown: str, hidden: tuple[str, ...], headers: dict[str, str]) -> None:
        self.shown, self._place = shown, place
        told = b64encode(f"{place.user}:{place.key}".encode()).decode()
        self._hidden = tuple({*hidden, *(quote(value, safe="") for value in hidden), *([told] if place.key else [])})
        self._headers = {"Accept": "application/json", "User-Agent": "encyclopedia"} | headers
        self._idle: list[HTTPConnection] = []
        self._lock = Lock()
        self._tls: ssl.SSLContext | None = None

    def send(self, request: Request) -> Reply:
        """What the server answers, once more on a new connection if the one that was kept has died meanwhile.

        So what is sent must do no harm twice. Raises ``Unavailable``, ``Garbled``, and ``TimeoutError`` where it takes longer
        than the limit of the request.
        """
        until = time.monotonic() + request.limit
        with self._lock:
            kept = self._idle.pop() if self._idle else None
        try:
            if kept is not None:
                with suppress(ConnectionError):
                    return self._over(kept, request, until)
            return self._over(self._new(), request, until)
        except TimeoutError:
            raise TimeoutError(f"{self.shown} did not answer in time") from None
        except ssl.SSLError as error:
            reason = getattr(error, "verify_message", "") or error.reason or "TLS failed"
            raise Unavailable(
                f"{self.shown} cannot be reached safely: {self.told(reason)}; SSL_CERT_FILE names its CA"
            ) from None
        except OSError as error:
            reason = self.told(error.strerror or str(error))
            raise Unavailable(f"{self.shown} cannot be reached: {reason}; start it, or correct its address") from None
        except (HTTPException, ValueError):
            raise Garbled(f"{self.shown} answered something that is not HTTP as promised") from None

    def told(self, text: str) -> str:
        """What somebody else says, in one line without what is secret."""
        told = " ".join(text.split())
        for value in self._hidden:
            told = told.replace(value, "…")
        return told[:300]

    def close(self) -> None:
        """Close what is idle."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _new(self) -> HTTPConnection:
        place = self._place
        if not place.secure:
            return HTTPConnection(place.host, place.port, timeout=CONNECT)
        self._tls = self._tls or ssl.create_default_context()
        return HTTPSConnection(place.host, place.port, timeout=CONNECT, context=self._tls)

    def _over(self, connection: HTTPConnection, request: Request, until: float) -> Reply:
        """The answer over this connection, which is kept if it may be used again."""
        done = False
        try:
            if connection.sock is None:
                connection.connect()
            sock: socket.socket = connection.sock
            sock.settimeout(_left(until))
            headers = self._headers | ({"Content-Type": request.content} if request.body else {})
            connection.request(request.method, request.path, request.body or None, headers)
            sock.settimeout(_left(until))
            response = connection.getresponse()
            reply = Reply(response.status, _read(response, sock, until))
            done = not response.will_close
            return reply
        finally:
            self._keep(connection, done=done)

    def _keep(self, connection: HTTPConnection, *, done: bool) -> None:
        with self._lock:
            room = done and len(self._idle) < KEPT
            if room:
                self._idle.append(connection)
        if not room:
            connection.close()


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _read(response: HTTPResponse, sock: socket.socket, until: float) -> bytes:
    """The body, however slowly it drips."""
    pieces, size = [], 0
    while piece := response.read1(_PIECE):
        pieces.append(piece)
        size += len(piece)
        if size > LARGEST:
            raise ValueError("too large")
        if not response.isclosed():
            sock.settimeout(_left(until))
    if response.length:
        raise ConnectionResetError("the answer broke off")
    response.close()  # so that the connection takes the next request
    return b"".join(pieces)
