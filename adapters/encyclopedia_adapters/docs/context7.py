"""Context7: documentation of libraries by name and version, with its code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import ConfigurationError, Refused
from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Card, Key, Package

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.model.outcome import Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Context
    from encyclopedia_adapters.docs.context7_api import Api, Calls
    from encyclopedia_adapters.docs.context7_library import Library


class Context7:
    """``ids`` are libraries by name, ``v3`` lets the service look for libraries by itself where we know of none."""

    def __init__(self, api: Api, ids: Mapping[str, Library], *, v3: bool) -> None:
        self._api = api
        self._ids = ids
        self._v3 = v3

    async def search(self, request: Request) -> Reply:
        """Snippets on the question from the library that it is about, of exactly the version that is asked for.

        A version that there is not gives no hits and names those that there are.
        """
        from encyclopedia_adapters.docs.context7_api import MAX_QUERY
        from encyclopedia_adapters.docs.context7_reply import read_reply, unknown, unlisted

        calls = self._api.within(request.timeout)
        if self._v3 and not request.library and not request.version:
            answer = await calls.get("/v3/search", {"query": request.text[:MAX_QUERY], "type": "json"})
            return read_reply(answer, request, None)
        library = self._ids.get(request.library.lower()) or await _find(calls, request)
        if library is None:
            return unknown(request)
        if request.version and not library.has(request.version):
            return unlisted(library, request)
        return await _read(calls, library, request)


async def _find(calls: Calls, request: Request) -> Library | None:
    from encyclopedia_adapters.docs.context7_api import MAX_QUERY
    from encyclopedia_adapters.docs.context7_library import choose
    from encyclopedia_adapters.shared.service import results

    text = request.text[:MAX_QUERY]
    params = {"libraryName": request.library[:MAX_QUERY] or text, "query": text, "fast": "true"}
    answer = await calls.get("/v2/libs/search", params)
    return choose(results("context7", answer, "results"), request.library, text)


async def _read(calls: Calls, library: Library, request: Request) -> Reply:
    """What the library says; one that has moved is followed once."""
    from encyclopedia_adapters.docs.context7_api import MAX_QUERY, MOVED
    from encyclopedia_adapters.docs.context7_reply import read_reply

    for _ in range(2):
        place = library.at(request.version)
        params = {"libraryId": place, "query": request.text[:MAX_QUERY], "type": "json", "fast": "true"}
        answer = await calls.get("/v2/context", params)
        target = answer.data.get(MOVED) if isinstance(answer.data, dict) else None
        if target is None:
            return read_reply(answer, request, library)
        moved = library.moved(target, request.version)
        if moved is None:
            raise Refused("context7 has moved the library to an id that cannot be asked for")
        library = moved
    raise Refused("context7 has moved the library twice")


def _make(context: Context) -> Context7:
    from encyclopedia_adapters.docs.address import base_address
    from encyclopedia_adapters.docs.context7_api import Api
    from encyclopedia_adapters.docs.context7_library import pinned
    from encyclopedia_adapters.shared.http import shared_http

    http = shared_http(context)
    given = context.options.get("libraries", {})
    ids = {name.lower(): pinned(id) for name, id in given.items()} if isinstance(given, dict) else {"": None}
    known = {name: library for name, library in ids.items() if library}
    if len(known) < len(ids):
        raise ConfigurationError('[sources.context7] libraries must be a table such as { webkit = "/acme/webkit" }')
    v3 = context.options.get("v3", False)
    if not isinstance(v3, bool):
        raise ConfigurationError("[sources.context7] v3 must be true or false")
    api = Api(http, base_address(context, http, "https://context7.com/api"), context.secret("CONTEXT7_API_KEY"))
    return Context7(api, known, v3=v3)


CARD = Card(
    "context7",
    serves={QueryType.LIBRARY_DOCS: 0.40, QueryType.CODE_CONTEXT: 0.15},
    make=_make,
    description="documentation of libraries, by version, with code",
    requires=(Package("aiohttp"),),
    accepts=(Key("CONTEXT7_API_KEY"),),
    form=Form.LIBRARY,
    options=("libraries", "v3"),
)
