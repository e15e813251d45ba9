"""A name server on loopback that knows one thing: at which addresses the replicas are."""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HEADER, ADDRESS, A = 12, 0xC00C, 1


@contextmanager
def name_server(addresses: Sequence[str]) -> Iterator[str]:
    """``address:port`` of a server that gives these IPv4 addresses for every name, and nothing of another kind."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listening:
        listening.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=_serve, args=(listening, addresses))
        thread.start()
        host, port = listening.getsockname()
        try:
            yield f"{host}:{port}"
        finally:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
                last.sendto(b"", (host, port))
            thread.join()


def _serve(listening: socket.socket, addresses: Sequence[str]) -> None:
    """Answer until an empty message comes."""
    while True:
        asked, client = listening.recvfrom(4096)
        if not asked:
            return
        listening.sendto(answer(asked, addresses), client)


def answer(asked: bytes, addresses: Sequence[str]) -> bytes:
    """The reply to a message with one question."""
    end = asked.index(b"\0", HEADER) + 1
    kind = struct.unpack("!H", asked[end : end + 2])[0]
    found = addresses if kind == A else ()
    records = b"".join(struct.pack("!HHHIH", ADDRESS, A, 1, 1, 4) + socket.inet_aton(one) for one in found)
    return asked[:2] + struct.pack("!HHHHH", 0x8180, 1, len(found), 0, 0) + asked[HEADER : end + 4] + records
