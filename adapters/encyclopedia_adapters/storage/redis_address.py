"""Where the shared state lies: an address such as ``rediss://user:password@host:6379/0?ca=/etc/ca.pem``, taken apart."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.model.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping

FORM = "redis://[user:password@]host[:port][/number], rediss://… for TLS, or unix:///path/of/socket"
PORT = 6379
PATIENCE = 0.25
"""Seconds within which the server has to accept a connection and to answer: one that is slower is of no use to a search."""
MOST_PATIENCE = 60.0
PREFIX = "encyclopedia"
PARAMETERS = ("ca", "db", "prefix", "timeout")
_PREFIX = re.compile(r"[A-Za-z0-9._-]{1,64}")


class Address(NamedTuple):
    """A server of the Redis kind; ``place`` names it without credentials.

    ``path`` is a socket instead of host and port, ``ca`` a file with the certificates that are trusted (empty: the system's),
    ``timeout`` seconds for each connection and each answer, ``prefix`` what every key begins with.
    """

    place: str
    host: str = ""
    port: int = PORT
    path: str = ""
    db: int = 0
    user: str | None = None
    password: str | None = None
    tls: bool = False
    ca: str = ""
    timeout: float = PATIENCE
    prefix: str = PREFIX

    def __repr__(self) -> str:
        """Without the password: this may come to stand in a log."""
        return f"<Address {self.place}>"

    def options(self) -> dict[str, Any]:
        """What a connection of redis-py is made with."""
        common: dict[str, Any] = {"db": self.db, "username": self.user, "password": self.password}
        common |= {"socket_timeout": self.timeout, "socket_connect_timeout": self.timeout}
        if self.path:
            return common | {"path": self.path}
        secured = {"ssl_cert_reqs": "required", "ssl_check_hostname": True, "ssl_ca_certs": self.ca or None}
        return common | {"host": self.host, "port": self.port} | (secured if self.tls else {})


def address_of(url: str) -> Address:
    """The address that a setting holds. Raises ``ConfigurationError``, which repeats nothing of a password."""
    from urllib.parse import parse_qsl, urlsplit

    try:
        parts = urlsplit(url.strip())
        port = parts.port or PORT
        pairs = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError:
        raise _wrong("is no address") from None
    if parts.scheme not in ("redis", "rediss", "unix") or parts.fragment:
        raise _wrong(f"does not begin with redis://, rediss:// or unix:// ({parts.scheme or 'nothing'})")
    given = _parameters(pairs)
    if parts.scheme == "unix":
        found = _socket(parts.hostname, _decoded(parts.path) or "", given)
    elif not parts.hostname:
        raise _wrong("names no host")
    else:
        db, host = _number(parts.path.strip("/") or given.get("db", "")), parts.hostname
        shown = f"[{host}]" if ":" in host else host
        found = Address(f"{shown}:{port}/{db}", host, port, db=db, tls=parts.scheme == "rediss")
    return _dressed(found._replace(user=_decoded(parts.username), password=_decoded(parts.password)), given)


def _parameters(pairs: list[tuple[str, str]]) -> Mapping[str, str]:
    for name, _ in pairs:
        if name not in PARAMETERS:
            from encyclopedia.model.nearest import nearest

            raise ConfigurationError("state_url has a parameter that is not known", nearest(name, PARAMETERS))
    return dict(pairs)


def _socket(host: str | None, path: str, given: Mapping[str, str]) -> Address:
    if host or not path.startswith("/"):
        raise _wrong("names no socket by its whole path")
    db = _number(given.get("db", ""))
    return Address(f"{path}/{db}" if db else path, path=path, db=db)


def _dressed(found: Address, given: Mapping[str, str]) -> Address:
    ca, prefix = given.get("ca", ""), given.get("prefix", PREFIX)
    if ca and not found.tls:
        raise _wrong("names certificates for a connection without TLS: it begins with rediss:// then")
    if ca and not os.path.isfile(ca):
        raise ConfigurationError(f"the certificates {ca} of state_url are no file", "name a file of PEM certificates in ca=")
    if not _PREFIX.fullmatch(prefix):
        raise _wrong("has a prefix with other signs than letters, digits, dot, dash and underscore")
    return found._replace(ca=ca, prefix=prefix, timeout=_seconds(given.get("timeout", "")))


def _number(text: str) -> int:
    if text and not (text.isascii() and text.isdigit() and len(text) <= 4):  # noqa: PLR2004 - no server has so many databases
        raise _wrong("names a database that is no number")
    return int(text or 0)


def _seconds(text: str) -> float:
    try:
        seconds = float(text or PATIENCE)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= MOST_PATIENCE:
        raise _wrong(f"has a timeout that is no number of seconds up to {MOST_PATIENCE:g}")
    return seconds


def _decoded(text: str | None) -> str | None:
    from urllib.parse import unquote

    return None if text is None else unquote(text)


def _wrong(why: str) -> ConfigurationError:
    return ConfigurationError(f"state_url {why}", f"it is {FORM}")
