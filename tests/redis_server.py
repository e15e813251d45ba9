"""A real redis-server on loopback with a folder of its own, which can be stopped, frozen and started again in its place."""

from __future__ import annotations

import signal
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import redis

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE = 60.0
"""Seconds of patience in the addresses of tests: a busy machine is no server that is gone."""


class RedisServer:
    """The server as a process; ``url`` is its address, ``client`` a plain client that looks into it."""

    def __init__(self, folder: Path, *options: str) -> None:
        self._folder, self._options = folder, options
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.client = redis.Redis(port=self.port, socket_timeout=PATIENCE)

    @property
    def url(self) -> str:
        """The address with much patience."""
        return self.address(timeout=PATIENCE)

    def address(self, credentials: str = "", **parameters: object) -> str:
        """An address of this server: with ``user:password`` before its host and with parameters."""
        asked = "&".join(f"{name}={value}" for name, value in parameters.items())
        return f"redis://{credentials and credentials + '@'}127.0.0.1:{self.port}/0{asked and '?' + asked}"

    @property
    def running(self) -> bool:
        """Whether there is a process."""
        return self._process is not None

    def start(self) -> Self:
        """Start it, empty but for what it has written to its folder, and wait until it answers."""
        plain = (
            "--port",
            str(self.port),
            "--bind",
            "127.0.0.1",
            "--dir",
            str(self._folder),
            "--save",
            "",
            "--appendonly",
            "no",
        )
        command = ["redis-server", *plain, "--logfile", str(self._folder / "log"), *self._options]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        while True:
            with suppress(redis.ConnectionError):
                self.client.ping()
                return self
            assert self._process.poll() is None, (self._folder / "log").read_text()
            time.sleep(0.01)

    def kill(self) -> None:
        """End it at once, as a crash does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def freeze(self) -> None:
        """Let it live and answer nothing."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def keys(self) -> list[str]:
        """The names of all keys, sorted."""
        found: Any = self.client.keys("*")
        return sorted(key.decode() for key in found)


def free_port() -> int:
    """A port of loopback on which nobody listens just now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def redis_server(*options: str) -> Iterator[RedisServer]:
    """A server of one's own, ended by its process."""
    with tempfile.TemporaryDirectory() as folder:
        server = RedisServer(Path(folder), *options)
        try:
            yield server.start()
        finally:
            server.client.close()
            server.kill()
