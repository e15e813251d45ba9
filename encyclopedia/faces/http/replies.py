"""How a body and an error become an HTTP response: one table of statuses for all faces that speak HTTP."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aiohttp import web

from encyclopedia.model.errors import (
    ConfigurationError,
    EncyclopediaError,
    InternalError,
    NoSourceAnswered,
    NothingFound,
    UsageError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

OK, UNAVAILABLE = 200, 503
STATUS = {
    UsageError.code: 400,
    ConfigurationError.code: 400,
    NothingFound.code: OK,
    NoSourceAnswered.code: 502,
    InternalError.code: 500,
}
JSON = "application/json"


class Refusal(EncyclopediaError):
    """A request that is not carried out, with the HTTP ``status`` that says why; ``headers`` go with it."""

    code = UsageError.code

    def __init__(self, status: int, message: str, hint: str = "", headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message, hint)
        self.status = status
        self.headers = dict(headers or {})


class Busy(Refusal):
    """There is no room: the client does well to come again after so many seconds."""

    code = NoSourceAnswered.code

    def __init__(self, seconds: int) -> None:
        super().__init__(UNAVAILABLE, "too many searches at once", f"ask again in {seconds} s", {"Retry-After": str(seconds)})


class TooLong(Refusal):
    """The work was not done in time."""

    code = NoSourceAnswered.code

    def __init__(self, seconds: float) -> None:
        super().__init__(504, f"no answer within {seconds:g} s", "ask for less, or with a shorter timeout")


def status_of(error: EncyclopediaError) -> int:
    """The HTTP status of an error."""
    if isinstance(error, Refusal):
        return error.status
    return STATUS.get(error.code, 500)


def dumps(body: object) -> bytes:
    """The JSON of a body."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def reply(body: Any, status: int = OK, *, content_type: str = JSON) -> web.Response:
    """A body as JSON."""
    return web.Response(body=dumps(body), status=status, content_type=content_type, charset="utf-8")


def failed(error: EncyclopediaError) -> web.Response:
    """An error as JSON, with its status."""
    response = reply(error.to_dict(), status_of(error))
    response.headers.update(error.headers if isinstance(error, Refusal) else {})
    return response


def of_aiohttp(error: web.HTTPException) -> Refusal:
    """What aiohttp refuses by itself, in our form: no such address, no such method, a body that is too large."""
    said = {
        404: "there is nothing at this address",
        405: "this address does not take this method",
        413: "the body is too large",
    }
    headers = {name: error.headers[name] for name in ("Allow",) if name in error.headers}
    return Refusal(error.status, said.get(error.status, error.reason), "/openapi.json lists what there is", headers)
