"""The addresses below ``/v1``: every operation by GET and POST, and what takes long as a stream of events."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from aiohttp import web

from encyclopedia.faces.http.events import answered, events, progress
from encyclopedia.faces.http.fields import read, take
from encyclopedia.faces.http.operations import OPERATIONS, Operation
from encyclopedia.faces.http.replies import JSON, OK, Refusal, dumps, reply, status_of
from encyclopedia.faces.http.service import body_of, let_go, service
from encyclopedia.model.errors import EncyclopediaError, NothingFound, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from encyclopedia.faces.http.events import Events
    from encyclopedia.faces.http.fields import Field

    Told = Callable[[str, dict[str, Any]], list[tuple[str, str]]]

WRITE_SECONDS = 10.0
"""Seconds that a client has to take what is written to it."""


def routes() -> list[web.RouteDef]:
    """Every verb by GET and POST."""
    made: list[web.RouteDef] = []
    for operation in OPERATIONS:
        handler = partial(_verb, operation=operation)
        made += [web.post(operation.path, handler), *([] if operation.writes else [web.get(operation.path, handler)])]
        if operation.long:
            stream = partial(_stream, operation=operation)
            made += [web.get(operation.stream, stream, allow_head=False), web.post(operation.stream, stream)]
    return made


async def options(request: web.Request, fields: Iterable[Field]) -> dict[str, Any]:
    """What a request asks for, in its query string or in the object of its JSON body. Raises ``UsageError`` and ``Refusal``."""
    query = {name: request.query.getall(name) for name in request.query}
    if request.method != "POST":
        return read(fields, query)
    if query:
        raise UsageError("a POST takes its parameters in the body", "send them as one JSON object")
    if request.content_type != JSON:
        raise Refusal(415, f"the body is not {JSON}", f"send Content-Type: {JSON}")
    return take(fields, parsed(await body_of(request)))


def parsed(raw: bytes) -> Any:
    """The value of a JSON body; an empty one is an empty object. Raises ``UsageError``."""
    try:
        return json.loads(raw or b"{}", parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise UsageError("the body is not JSON") from None


def _no_number(name: str) -> Any:
    raise ValueError(name)


async def _verb(request: web.Request, operation: Operation) -> web.Response:
    given = await options(request, operation.fields)
    body = await answered(service(request), operation, given)
    code = body.get("code", 0) if isinstance(body, dict) else 0
    return reply(body, operation.nothing if code == NothingFound.code else OK)


async def _stream(request: web.Request, operation: Operation) -> web.StreamResponse:
    """An operation as server-sent events: a search as it happens, any other its steps; then done, or error."""
    given, own = await options(request, operation.fields), service(request)
    happening = events(own, given) if operation.name == "search" else progress(own, operation, given)
    return await pour(request, happening, lambda name, body: [(name, dumps(body).decode())])


async def pour(request: web.Request, happening: Events, told: Told) -> web.StreamResponse:
    """Send events as ``told`` puts each: a list of names and texts."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no"})
    service(request).dress(response)
    try:
        first = await anext(happening)  # what cannot be asked is refused as everywhere, before the stream begins
        await response.prepare(request)
        await _write(response, told(*first))
        async for name, body in happening:
            await _write(response, told(name, body))
    except EncyclopediaError as error:
        if not response.prepared:
            raise
        with suppress(ConnectionError):
            await _write(response, told("error", error.to_dict() | {"http_status": status_of(error)}))
    except ConnectionError:
        if not response.prepared:
            raise
        let_go(request)
    finally:
        await happening.aclose()
    return response


async def _write(response: web.StreamResponse, told: list[tuple[str, str]]) -> None:
    for name, text in told:
        lines = "".join(f"data: {line}\n" for line in text.split("\n"))
        try:
            async with asyncio.timeout(WRITE_SECONDS):
                await response.write(f"event: {name}\n{lines}\n".encode("utf-8", "replace"))
        except TimeoutError:
            raise ConnectionResetError("the client does not take what it is sent") from None
