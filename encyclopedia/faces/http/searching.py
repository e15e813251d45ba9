"""The addresses that SearXNG has: search, configuration, suggestions, the description for browsers, the last errors."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from aiohttp import web

from encyclopedia.faces.http import searx_about, searx_body
from encyclopedia.faces.http.replies import Refusal, dumps, reply, status_of
from encyclopedia.faces.http.searx import Asked, Invalid, asked, parameters
from encyclopedia.faces.http.service import service
from encyclopedia.faces.http.suggest import suggestions
from encyclopedia.faces.http.works import searched
from encyclopedia.model.errors import ConfigurationError, EncyclopediaError, NoSourceAnswered, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from encyclopedia.faces.http.service import Service

FORMS: dict[str, tuple[Callable[..., Any], str]] = {
    "json": (lambda *given: dumps(searx_body.as_json(*given)), "application/json"),
    "csv": (lambda *given: searx_body.as_csv(*given).encode("utf-8", "replace"), "text/csv"),
    "rss": (searx_body.as_rss, "text/xml"),
}


def routes() -> list[web.RouteDef]:
    """All addresses of SearXNG's that are answered here."""
    return [
        *(route for path in ("/search", "/") for route in (web.get(path, search), web.post(path, search))),
        web.get("/config", _config),
        web.get("/autocompleter", _complete),
        web.post("/autocompleter", _complete),
        web.get("/opensearch.xml", _opensearch),
        web.get("/stats/errors", _errors),
    ]


def base(request: web.Request) -> str:
    """The address of this service as the client calls it; its name has been checked."""
    return f"{request.scheme}://{request.host}"


async def search(request: web.Request) -> web.StreamResponse:
    """Results as SearXNG gives them, or the page for people."""
    own, given = service(request), await parameters(request)
    try:
        want = asked(given, own.encyclopedia, "html")
        if want.format == "html":
            from encyclopedia.faces.http.pages import page

            return await page(request, given)
        if not want.text.strip():
            raise Invalid("No query")
        report = await _report(own, want)
    except EncyclopediaError as error:
        return _refused(error)
    form, kind = FORMS[want.format]
    return web.Response(body=form(report, want, base(request)), content_type=kind, charset="utf-8")


async def _report(own: Service, want: Asked) -> dict[str, Any]:
    """The body of the search; where no source answered, one without results, as SearXNG has it."""
    given = {"query": want.text, "limit": want.wanted, **want.options}
    try:
        report = (await own.within(searched(own.encyclopedia, given))).body
    except (NoSourceAnswered, ConfigurationError) as error:
        if "degradation" not in error.details:
            raise
        report = {"query": want.text, "results": [], "corrections": [], "cached": False, **error.to_dict()}
    own.metrics.answered(report)
    return report


def _refused(error: EncyclopediaError) -> web.Response:
    """An error in SearXNG's form."""
    said = "No query" if isinstance(error, UsageError) and "empty" in error.message else error.message
    response = reply({"error": said}, status_of(error))
    response.headers.update(error.headers if isinstance(error, Refusal) else {})
    return response


async def _config(request: web.Request) -> web.Response:
    return reply(searx_about.config(service(request).encyclopedia))


async def _complete(request: web.Request) -> web.Response:
    """Suggestions for a search box: OpenSearch's form for browsers, a plain list for scripts."""
    given = await parameters(request)
    text = given.get("q", "")
    own = service(request).encyclopedia
    await own.engine.stores.behind.settle()  # also what was asked just now may be meant
    found = await asyncio.to_thread(suggestions, own, text)
    if request.headers.get("X-Requested-With") == "XMLHttpRequest":
        return reply(found)
    relevance = {"google:suggestrelevance": list(range(600, 600 - len(found), -1))}
    return reply([text, found, [], [], relevance], content_type="application/x-suggestions+json")


async def _opensearch(request: web.Request) -> web.Response:
    return web.Response(text=searx_about.opensearch(base(request)), content_type="application/opensearchdescription+xml")


async def _errors(request: web.Request) -> web.Response:
    own = service(request).encyclopedia
    return reply(await asyncio.to_thread(searx_about.errors, own))
