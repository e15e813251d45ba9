"""A server on loopback that stands in for another over HTTP: it may stop, freeze, fail, or lose its connections."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.upstream import certificate

Answer = tuple[int, Any]
Fault = Callable[[str, str, bytes], Answer | None]
Drop = Callable[[str, str, bool], bool]


class Loopback(ABC):
    """A server that listens on ``port``. ``fault`` may answer in its place.

    ``drop`` tells whether the connection ends, before a request is carried out or when it was and nobody hears of it.
    """

    def __init__(self, version: str, *, secure: bool = False) -> None:
        self.version, self.secure, self.port = version, secure, 0
        self.fault: Fault = lambda _method, _path, _body: None
        self.drop: Drop = lambda _method, _path, _done: False
        self.asked: list[tuple[str, str, bytes]] = []
        self._lock = threading.RLock()
        self._running = threading.Event()
        self._running.set()
        self._http: ThreadingHTTPServer | None = None
        self._connections: set[socket.socket] = set()

    @abstractmethod
    def _answer(self, method: str, path: str, more: tuple[dict[str, str], bytes, Any]) -> Answer:
        """The status and the body that a request with query, body and headers gets: JSON, or plain text as bytes."""

    def start(self) -> None:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # head and body go out together
            disable_nagle_algorithm = True  # and none of them waits for the other to be told of

            def handle_one_request(self) -> None:
                server._connections.add(self.connection)
                super().handle_one_request()

            def _any(self) -> None:
                server._serve(self)

            do_GET = do_POST = do_PUT = do_DELETE = _any  # noqa: N815 - as the library calls them

            def log_message(self, *_args: Any) -> None:
                pass

        class Http(ThreadingHTTPServer):
            daemon_threads, allow_reuse_address = True, True
            request_queue_size = 64

            def handle_error(self, *_args: Any) -> None:
                pass  # a client that went away

        self._http = Http(("127.0.0.1", self.port), Handler)
        self.port = self._http.server_address[1]
        if self.secure:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate())
            self._http.socket = context.wrap_socket(self._http.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        """As a server that dies: connections end."""
        if self._http is not None:
            self._http.shutdown()
            self._http.server_close()
            for connection in list(self._connections):
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue
            self._connections.clear()
            self._http = None

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Connections are accepted, nothing is answered."""
        self._running.clear()
        try:
            yield
        finally:
            self._running.set()

    @contextmanager
    def failing(self, fault: Fault) -> Iterator[None]:
        before, self.fault = self.fault, fault
        try:
            yield
        finally:
            self.fault = before

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        self._running.wait(60)
        path, query = urlsplit(handler.path).path, dict(parse_qsl(urlsplit(handler.path).query, keep_blank_values=True))
        if self.drop(handler.command, path, False):
            handler.close_connection = True
            return
        status, told = self._answer(handler.command, unquote(path), (query, body, handler.headers))
        if self.drop(handler.command, path, True):
            handler.close_connection = True
            return
        raw = told if isinstance(told, bytes) else json.dumps(told).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", "text/plain" if isinstance(told, bytes) else "application/json; charset=UTF-8")
        handler.send_header("Content-Length", str(len(raw)))
        handler.end_headers()
        handler.wfile.write(raw)
