"""Where an engine is: an address that may be shown, and the same with what the environment says in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from encyclopedia.model.errors import AuthRefused, Refused

if TYPE_CHECKING:
    from collections.abc import Callable

_NAME = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_LONGEST = 40


def filled(template: str, secret: Callable[[str], str]) -> str:
    """The address with each ``${NAME}`` filled in, encoded. Raises ``AuthRefused`` for one that is not set."""

    def value(found: re.Match[str]) -> str:
        known = secret(found[1])
        if not known:
            raise AuthRefused(f"{found[1]} not found: set {found[1]} in the environment or in .env.local")
        return quote(known, safe="")

    return _NAME.sub(value, template)


def secrets(template: str, secret: Callable[[str], str]) -> tuple[str, ...]:
    """The values that the environment gives for an address."""
    return tuple(filter(None, (secret(name) for name in _NAME.findall(template))))


def place(corpus: str) -> str:
    """The name of a corpus as the name of a schema or collection: short enough for every engine, never that of another."""
    if len(corpus) > _LONGEST:
        from hashlib import blake2b

        corpus = f"{corpus[:_LONGEST]}_{blake2b(corpus.encode(), digest_size=4).hexdigest()}"
    return f"encyclopedia_{corpus}"


class Http:
    """The parts of ``qdrant+https://user:key@host:port/collection``: ``user`` and ``key`` as they are sent, not encoded."""

    def __init__(self, address: str, corpus: str) -> None:
        parts = urlsplit(address)
        self.secure = parts.scheme.endswith("+https")
        try:
            self.port = parts.port
        except ValueError:
            raise Refused(f"{parts.scheme}://… names no port from 0 to 65535") from None
        if not parts.hostname:
            raise Refused(f"{parts.scheme}://… names no host")
        self.host = parts.hostname
        self.user, self.key = unquote(parts.username or ""), unquote(parts.password or "")
        self.name = unquote(parts.path.strip("/")) or place(corpus).lower()
        if not re.fullmatch(r"[a-z0-9][a-z0-9_.-]{0,120}", self.name):
            raise Refused(f"{self.name!r} cannot be the name of a collection: use small letters, digits, -, _ and .")
