"""The aiohttp side of the HTTP border: the session as we want it, and the one table from its exceptions to ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import Garbled, Refused, SourceTrouble, Unavailable
from encyclopedia_adapters.shared.guard import Guard, GuardedAddressError
from encyclopedia_adapters.shared.names import resolver
from encyclopedia_adapters.shared.status import Passing

if TYPE_CHECKING:
    from aiohttp import ClientHandlerType, ClientRequest, ClientResponse, ClientSession

_ACCEPT = "application/json, text/html;q=0.8, */*;q=0.5"


def named(host: str, port: int | None) -> str:
    """Whom messages name: the host, with its port if that is not the usual one."""
    return host if port in (None, 80, 443) else f"{host}:{port}"


def new_session(agent: str, guard: Guard) -> ClientSession:
    """A session that keeps no cookies, trusts no proxy of the environment, and dials only what the guard lets it."""
    import aiohttp

    return aiohttp.ClientSession(
        # Kept shorter than servers keep theirs, so that a connection is not closed on us just when it is used again.
        connector=aiohttp.TCPConnector(socket_factory=guard.socket, resolver=resolver(), keepalive_timeout=4.0),
        middlewares=(_once_only,),
        headers={"User-Agent": agent, "Accept": _ACCEPT, "Accept-Language": "en, *;q=0.5", "Accept-Encoding": "gzip, deflate"},
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(),
        trust_env=False,
    )


async def _once_only(request: ClientRequest, send: ClientHandlerType) -> ClientResponse:
    """Keeps aiohttp from repeating a request of itself when the connection breaks: retries are counted in one place."""
    import aiohttp

    try:
        return await send(request)
    except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError) as error:
        raise ours(error, named(request.url.host or "", request.url.port)) from None


def ours(error: Exception, host: str) -> SourceTrouble:
    """The one table from foreign exceptions to ours; the message names ``host`` and nothing more of the address."""
    import aiohttp

    cause = getattr(error, "os_error", None) or error.__cause__
    if isinstance(cause, GuardedAddressError):
        return Refused(f"{host} leads to an address inside a network and was not configured by the operator")
    unreached = {
        aiohttp.ClientConnectorCertificateError: "has no certificate that can be trusted",
        aiohttp.ClientConnectorSSLError: "does not speak TLS as it should",
        aiohttp.ClientConnectorDNSError: "is not a name that can be resolved",
    }
    for kind, sentence in unreached.items():
        if isinstance(error, kind):
            return Unavailable(f"{host} {sentence}")
    if isinstance(error, aiohttp.ClientResponseError) or _bad_encoding(error):
        return Garbled(f"{host} answered something that is not HTTP as promised")
    if isinstance(error, ValueError):
        return Refused(f"{host}: the request could not be built, because of its address or a header")
    return Passing(f"{host} could not be reached or broke off")


def _bad_encoding(error: Exception) -> bool:
    from aiohttp.http_exceptions import ContentEncodingError

    return isinstance(error, ContentEncodingError) or isinstance(error.__cause__, ContentEncodingError)
