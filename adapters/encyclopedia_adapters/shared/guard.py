"""The address guard: which URLs may be asked, and which addresses may be dialled for them."""

from __future__ import annotations

import re
import socket
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

# What `is_global` lets through on some Python versions: protocol assignments, relays, Teredo, local NAT64, old site-local.
_REFUSED = tuple(
    ip_network(net)
    for net in ("192.0.0.0/24", "192.88.99.0/24", "::/96", "2001::/32", "64:ff9b:1::/48", "fec0::/10", "100::/64")
)
_NAT64 = ip_network("64:ff9b::/96")
_ISATAP = 0x00005EFE
_DEFAULT_PORT = {"http": 80, "https": 443}
_URL_SAFE = "".join(chr(code) for code in range(0x21, 0x7F))

_PLAIN = re.compile(r"(https?://[A-Za-z0-9.-]+(?::\d{1,5})?)(/[!-\"$-~]*)")
"""A host, then a path and a query in which nothing has to be encoded; the host alone is looked at again and again."""

_exempt: ContextVar[bool] = ContextVar("exempt", default=False)


class GuardedAddressError(OSError):
    """The name leads to an address that must not be dialled."""


def refuses(address: str) -> bool:
    """Whether ``address``, an IP literal of either version, lies inside a network or is otherwise not for us to dial."""
    ip = ip_address(address.partition("%")[0])
    inner = _embedded(ip) if isinstance(ip, IPv6Address) else None
    if inner is not None:
        return refuses(str(inner))
    if ip.is_multicast or not ip.is_global:
        return True
    return any(ip.version == net.version and ip in net for net in _REFUSED)


def _embedded(ip: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that a mapped, 6to4, NAT64 or ISATAP form stands for."""
    if ip.ipv4_mapped is not None:
        return ip.ipv4_mapped
    if ip.sixtofour is not None:
        return ip.sixtofour
    isatap = (int(ip) >> 32) & 0xFDFFFFFF == _ISATAP
    return IPv4Address(int(ip) & 0xFFFFFFFF) if isatap or ip in _NAT64 else None


def normal_url(url: str) -> str:
    """The URL in plain ASCII (host in punycode, the rest percent-encoded).

    Raises ``ValueError`` with a sentence that holds nothing but the fault when it is not http(s), names no host, carries
    credentials, or cannot be read.
    """
    if plain := _PLAIN.fullmatch(url):
        return _normal(plain[1]) + plain[2]
    return _normal(url)


@lru_cache(64)
def _normal(url: str) -> str:
    try:
        parts = urlsplit(url.strip())
        port = parts.port
        host = (parts.hostname or "").encode("idna").decode("ascii")
    except ValueError:
        raise ValueError("the URL cannot be read") from None
    if parts.scheme not in _DEFAULT_PORT:
        raise ValueError("a URL must begin with http:// or https://")
    if not host or not all(char.isalnum() or char in ".-_:" for char in host):
        raise ValueError("the URL names no usable host")
    if "@" in parts.netloc:
        raise ValueError("a URL must not carry credentials")
    netloc = (f"[{host}]" if ":" in host else host) + (f":{port}" if port is not None else "")
    return parts._replace(
        netloc=netloc, path=quote(parts.path, safe=_URL_SAFE), query=quote(parts.query, safe=_URL_SAFE), fragment=""
    ).geturl()


def origin(url: str) -> tuple[str, int]:
    """Host in lower case and port of a URL; ``ValueError`` as ``normal_url``."""
    plain = _PLAIN.fullmatch(url)
    return _origin(plain[1] if plain else url)


@lru_cache(64)
def _origin(url: str) -> tuple[str, int]:
    parts = urlsplit(normal_url(url))
    return (parts.hostname or "").rstrip("."), parts.port or _DEFAULT_PORT[parts.scheme]


class Guard:
    """Refuses addresses inside the network, but for the hosts and ports that the operator configured."""

    def __init__(self) -> None:
        self._allowed: set[tuple[str, int]] = set()

    def allow(self, url: str) -> None:
        """Exempt exactly the host and port of a configured URL; ``ValueError`` as ``normal_url``."""
        self._allowed.add(origin(url))

    @contextmanager
    def dialling(self, url: str) -> Iterator[None]:
        """While a request for ``url`` runs in this context, its exemption holds for the sockets that it opens."""
        token = _exempt.set(origin(url) in self._allowed)
        try:
            yield
        finally:
            _exempt.reset(token)

    def socket(self, address: tuple[Any, Any, int, str, tuple[Any, ...]]) -> socket.socket:
        """A socket for a resolved address, or ``GuardedAddressError``: this is the address that is really dialled."""
        family, kind, proto, _, sockaddr = address
        if not _exempt.get() and refuses(str(sockaddr[0])):
            raise GuardedAddressError("the address lies inside a network")
        return socket.socket(family, kind, proto)
