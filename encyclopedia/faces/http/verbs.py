"""The addresses below ``/v1``: every operation by GET and POST, and a search as a stream of events."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from typing import TYPE_CHECKING, Any

from aiohttp import web

from encyclopedia.faces.http.events import events
from encyclopedia.faces.http.fields import read, take
from encyclopedia.faces.http.operations import OPERATIONS, SEARCH, Operation
from encyclopedia.faces.http.replies import JSON, OK, Refusal, dumps, reply, status_of
from encyclopedia.faces.http.service import body_of, service
from encyclopedia.model.errors import EncyclopediaError, NothingFound, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from encyclopedia.faces.http.fields import Field

STREAM = "/v1/search/stream"
WRITE_SECONDS = 10.0
"""Seconds that a client has to take what is written to it."""


def routes() -> list[web.RouteDef]:
    """Every verb by GET and POST."""
    made: list[web.RouteDef] = []
    for operation in OPERATIONS:
        handler = partial(_verb, operation=operation)
        made += [web.get(operation.path, handler), web.post(operation.path, handler)]
    return [*made, web.get(STREAM, _stream, allow_head=False), web.post(STREAM, _stream)]


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
    own = service(request)
    try:
        body = await own.within(operation.run(own.encyclopedia, given))
    except NothingFound as error:
        body = error.to_dict()
    found = isinstance(body, dict)
    if found and "outcomes" in body:
        own.metrics.answered(body)
    code = body.get("code", 0) if found else 0
    return reply(body, operation.nothing if code == NothingFound.code else OK)


async def _stream(request: web.Request) -> web.StreamResponse:
    """The search as server-sent events: plan, source, ranking, done, or error."""
    given = await options(request, SEARCH)
    return await pour(request, given, lambda name, body: [(name, dumps(body).decode())])


async def pour(request: web.Request, given: dict[str, Any], told: Any) -> web.StreamResponse:
    """Send the events of a search as ``told`` puts each: a list of names and texts."""
    own = service(request)
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no"})
    own.dress(response)
    happening = events(own, given)
    try:
        first = await anext(happening)  # what cannot be asked is refused as everywhere, before the stream begins
        await response.prepare(request)
        await _write(response, told(*first))
        async for name, body in happening:
            await _write(response, told(name, body))
    except EncyclopediaError as error:
        if not response.prepared:
            raise
        await _write(response, told("error", error.to_dict() | {"http_status": status_of(error)}))
    finally:
        await happening.aclose()
    return response


async def _write(response: web.StreamResponse, told: list[tuple[str, str]]) -> None:
    for name, text in told:
        lines = "".join(f"data: {line}\n" for line in text.split("\n"))
        async with asyncio.timeout(WRITE_SECONDS):
            await response.write(f"event: {name}\n{lines}\n".encode("utf-8", "replace"))
