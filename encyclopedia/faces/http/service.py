"""What all addresses share: the engine, the gate, the figures; and what happens around every request."""

from __future__ import annotations

import asyncio
import os
import re
from contextvars import ContextVar
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from aiohttp import web

from encyclopedia.faces.http.gate import Gate
from encyclopedia.faces.http.guards import HEADERS, Access, check
from encyclopedia.faces.http.metrics import Metrics
from encyclopedia.faces.http.replies import TooLong, failed, of_aiohttp
from encyclopedia.model.errors import EncyclopediaError, InternalError

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from aiohttp.typedefs import Handler

    from encyclopedia.faces.library import Encyclopedia

T = TypeVar("T")
LIMIT = 120.0
"""Seconds after which work that has no deadline of its own is given up."""
BODY_SECONDS = 10.0
"""Seconds within which the body of a request must have come."""
TAKEN_SECONDS = 60.0
"""Seconds that a client has to take its answer."""
GONE = 499
"""The status, in the figures, of an answer whose client went away, or did not take it."""
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_id: ContextVar[str] = ContextVar("request id", default="")


class Service:
    """One engine for all requests, how many may ask at once, and what they may not do."""

    def __init__(self, encyclopedia: Encyclopedia, access: Access | None = None, gate: Gate | None = None) -> None:
        self.encyclopedia = encyclopedia
        self.access = access or Access()
        self.gate = gate or Gate()
        self.metrics = Metrics()
        self.draining = False
        self.flying = 0
        """Requests that have come in and are not answered yet."""

    async def within(self, work: Awaitable[T], limit: float = LIMIT) -> T:
        """The result of the work, done when there is room for it. Raises ``Busy`` and ``TooLong``."""
        try:
            async with self.gate, asyncio.timeout(limit):
                return await work
        except TimeoutError:
            raise TooLong(limit) from None
        finally:
            if asyncio.iscoroutine(work):
                work.close()  # one that was never begun is not complained about

    @web.middleware
    async def around(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Gives every request an id, guards it, counts it, and turns what is raised into an answer."""
        given = request.headers.get("X-Request-Id", "")
        _id.set(given if _ID.fullmatch(given) else os.urandom(8).hex())
        start = perf_counter()
        self.flying += 1
        self.metrics.begun()
        status = GONE
        try:
            response = await self._answered(request, handler)
            if await _taken(request, response):
                status = response.status
        finally:
            self.flying -= 1
            self.metrics.ended(_name(request), status, perf_counter() - start)
        return response

    async def _answered(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            check(request, self.access)
            response = await handler(request)
        except EncyclopediaError as error:
            if isinstance(error, InternalError):
                self._tell(request, error.__cause__ or error)
            response = failed(error)
        except web.HTTPException as error:
            response = failed(of_aiohttp(error))
        except ConnectionError:
            raise
        except Exception as error:  # noqa: BLE001 - a client gets a sentence, whatever it was
            self._tell(request, error)
            response = failed(InternalError(f"something broke in encyclopedia itself ({type(error).__name__})"))
        if not response.prepared:
            self.dress(response)
        return response

    def dress(self, response: web.StreamResponse) -> None:
        """Put on a response what every one carries."""
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        response.headers.setdefault("Cache-Control", "no-store")
        response.headers["X-Request-Id"] = _id.get()
        if self.draining:
            response.force_close()

    def _tell(self, request: web.Request, error: BaseException) -> None:
        log = self.encyclopedia.engine.stores.log
        frame = error.__traceback__
        while frame is not None and frame.tb_next is not None:
            frame = frame.tb_next
        where = f"{frame.tb_frame.f_code.co_filename}:{frame.tb_lineno}" if frame else ""
        log.tell("error", "request failed", id=_id.get(), path=request.path, error=type(error).__name__, where=where)


SERVICE: web.AppKey[Service] = web.AppKey("service", Service)


def service(request: web.Request) -> Service:
    """The service that the request came to."""
    return request.app[SERVICE]


async def _taken(request: web.Request, response: web.StreamResponse) -> bool:
    """Whether the client took all of its answer, sent here: until then it is under way, and the process does not end."""
    transport = request.transport
    try:
        if transport is None:
            return False
        transport.set_write_buffer_limits(0)  # it counts as sent when the system has it, not when it waits in this process
        async with asyncio.timeout(TAKEN_SECONDS):
            await response.prepare(request)
            await response.write_eof()
    except (ConnectionError, TimeoutError):
        let_go(request)
        return False
    return True


def let_go(request: web.Request) -> None:
    """End the connection to a client that does not take its answer, which would fill memory while it waits."""
    if request.transport is not None:
        request.transport.abort()


def _name(request: web.Request) -> str:
    """The operation of a request for the figures: one of those that there are, whatever was asked for."""
    resource: Any = request.match_info.route.resource
    return str(resource.canonical) if resource is not None else "unknown"


async def body_of(request: web.Request) -> bytes:
    """The whole body. Raises ``Refusal`` for one that does not come."""
    from encyclopedia.faces.http.replies import Refusal

    try:
        async with asyncio.timeout(BODY_SECONDS):
            return await request.read()
    except TimeoutError:
        raise Refusal(408, f"the body did not come within {BODY_SECONDS:g} s") from None
