"""The socket of a connection to Redis, on which an answer is waited for as a whole, not for each of its pieces anew."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

RATE = float(1 << 20)
"""Bytes a second at which a long answer has to come at least."""


class Patient:
    """A socket that raises ``TimeoutError`` when what was asked last is not answered within ``timeout`` seconds.

    What comes adds the time that it takes at ``RATE``: a long answer may take longer, one that trickles may not.
    """

    def __init__(self, socket: Any, timeout: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._socket, self._timeout, self._clock = socket, timeout, clock
        self._until = clock() + timeout

    def __getattr__(self, name: str) -> Any:
        """All else is the business of the socket."""
        return getattr(self._socket, name)

    def sendall(self, data: bytes) -> None:
        """Ask: from now on an answer is waited for."""
        self._until = self._clock() + self._timeout
        self._socket.sendall(data)

    def recv(self, size: int) -> bytes:
        """At most so many bytes of the answer."""
        found: bytes = self._within(lambda: self._socket.recv(size), len)
        return found

    def recv_into(self, buffer: Any) -> int:
        """The next bytes of the answer; their number."""
        found: int = self._within(lambda: self._socket.recv_into(buffer), int)
        return found

    def _within(self, receive: Callable[[], Any], size: Callable[[Any], int]) -> Any:
        usual = self._socket.gettimeout()
        if usual == 0:  # a look whether there is something, which waits for nothing
            return receive()
        left = self._until - self._clock()
        if left <= 0:
            raise TimeoutError("timed out")
        self._socket.settimeout(min(left, usual or left))
        try:
            found = receive()
        finally:
            self._socket.settimeout(usual)
        self._until += size(found) / RATE
        return found


def patient(kind: Any) -> Any:
    """A kind of redis-py's connections with such sockets."""

    class Connection(kind):  # type: ignore[misc]  # one of three classes
        def _connect(self) -> Patient:
            return Patient(super()._connect(), self.socket_timeout)

    return Connection
