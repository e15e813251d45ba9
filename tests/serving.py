"""``encyclopedia serve`` as a process of its own."""

from __future__ import annotations

import json
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import ProxyHandler, Request, build_opener

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

    from tests.encyclopedia.faces.cli.command import Command


class Served(NamedTuple):
    """A running service: its process and address."""

    process: subprocess.Popen[str]
    url: str

    def get(self, path: str, **params: object) -> tuple[int, str]:
        """Status and text of a GET."""
        query = f"?{urlencode(params, doseq=True)}" if params else ""
        return self._sent(Request(f"{self.url}{path}{query}"))  # noqa: S310 - always http, on loopback

    def post(self, path: str, body: object) -> tuple[int, str]:
        """Status and text of a POST of JSON."""
        headers = {"Content-Type": "application/json"}
        return self._sent(Request(f"{self.url}{path}", json.dumps(body).encode(), headers))  # noqa: S310 - as above

    def json(self, path: str, status: int = 200, **params: object) -> Any:
        """The JSON of a GET with that status."""
        got, text = self.get(path, **params)
        assert got == status, text
        return json.loads(text)

    def _sent(self, request: Request) -> tuple[int, str]:
        try:
            with build_opener(ProxyHandler({})).open(request, timeout=60) as response:
                return response.status, response.read().decode()
        except HTTPError as error:
            with error:
                return error.code, error.read().decode()


@contextmanager
def serving(command: Command, *arguments: str, **env: str) -> Iterator[Served]:
    """The service on a free port, ended with SIGTERM."""
    process = command.start("serve", "--port", "0", "--json", *arguments, **env)
    try:
        line = process.stdout.readline()
        assert line, process.stderr.read()
        yield Served(process, json.loads(line)["url"])
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
