"""Who may ask: the name by which the service is called, other sites' pages, the token; and what every response carries."""

from __future__ import annotations

import hmac
from base64 import b64decode
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from encyclopedia.faces.http.replies import Refusal
from encyclopedia.model.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aiohttp import web

LOOPBACK = ("localhost", "127.0.0.1", "::1")
OPEN = ("/healthz", "/readyz")
"""What is told without a token: whether the service lives."""
TOKEN = "ENCYCLOPEDIA_TOKEN"  # noqa: S105 - the name of the variable
SHORTEST = 16
CHALLENGE = {"WWW-Authenticate": 'Basic realm="encyclopedia", charset="UTF-8"'}
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Server": "encyclopedia",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class Access(NamedTuple):
    """By which names the service may be called, and the token that must be shown; an empty one is not asked for."""

    hosts: frozenset[str] = frozenset(LOOPBACK)
    token: str = ""

    def __repr__(self) -> str:
        """Without the token: this may come to stand in a log."""
        return f"<Access by {sorted(self.hosts)}>"


def access(host: str, names: Iterable[str] = (), token: str = "") -> Access:
    """What guards a service bound to ``host``.

    Raises ``ConfigurationError`` for one that others can reach without a token, or without the names it is called by.
    """
    called = frozenset(name.strip("[]").lower() for name in names)
    if token and (len(token) < SHORTEST or not token.isprintable() or not token.isascii()):
        raise ConfigurationError(f"{TOKEN} is too short or has odd characters", f"give it {SHORTEST} or more plain ones")
    if host not in LOOPBACK:
        if not token:
            raise ConfigurationError(f"others can reach {host}, and there is no token", f"set {TOKEN}, or bind 127.0.0.1")
        if not called:
            raise ConfigurationError(
                f"others can reach {host}, and it is not said by which name", "add --allow-host NAME for each name"
            )
    return Access(frozenset(LOOPBACK) | called, token)


def check(request: web.Request, access: Access) -> None:
    """Raise ``Refusal`` for a request that is called by another name, comes from another site's page, or lacks the token."""
    if _host(request.headers.get("Host", "")) not in access.hosts:
        raise Refusal(421, "the service is not called by this name", "--allow-host NAME allows a name")
    if _foreign(request):
        raise Refusal(403, "another site's page may not ask")
    if access.token and request.path not in OPEN and not _shown(request, access.token):
        raise Refusal(401, f"the token is missing or wrong: {TOKEN}", "send Authorization: Bearer …, or X-API-Key", CHALLENGE)


def _host(header: str) -> str:
    """The name in a Host header; empty for one that cannot be read."""
    try:
        parts = urlsplit(f"//{header}")
        return (parts.hostname or "") if parts.port != 0 and not set("/?#@\\") & set(header) else ""
    except ValueError:
        return ""


def _foreign(request: web.Request) -> bool:
    """Whether a page of another site makes the browser ask; following a link to us is another matter."""
    origin = request.headers.get("Origin")
    if origin is not None and urlsplit(origin).netloc.lower() != request.headers.get("Host", "").lower():
        return True
    if request.headers.get("Sec-Fetch-Site", "none") in ("none", "same-origin"):
        return False
    navigates = request.headers.get("Sec-Fetch-Mode") == "navigate" and request.headers.get("Sec-Fetch-Dest") == "document"
    return not (navigates and request.method in ("GET", "HEAD"))


def _shown(request: web.Request, token: str) -> bool:
    """Whether the token is shown, as a bearer's, as an API key, or as the password of anybody."""
    kind, _, value = request.headers.get("Authorization", "").partition(" ")
    given = [request.headers.get("X-API-Key", "")]
    if kind.lower() == "bearer":
        given.append(value.strip())
    elif kind.lower() == "basic":
        given.append(_password(value))
    return any(hmac.compare_digest(text.encode("utf-8", "replace"), token.encode()) for text in given)


def _password(value: str) -> str:
    try:
        return b64decode(value.strip(), validate=True).decode("utf-8", "replace").partition(":")[2]
    except ValueError:
        return ""
