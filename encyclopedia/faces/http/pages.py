"""The addresses of the web page: search, its stream of fragments, ask, passages, health, and the files it is made with."""

from __future__ import annotations

import asyncio
import os
from time import perf_counter
from typing import TYPE_CHECKING, Any

from aiohttp import web

from encyclopedia.faces.http.events import events
from encyclopedia.faces.http.replies import Refusal, status_of
from encyclopedia.faces.http.service import service
from encyclopedia.faces.http.verbs import pour
from encyclopedia.faces.http.works import searched
from encyclopedia.faces.requests import names
from encyclopedia.faces.web import answer, found, layout
from encyclopedia.faces.web.layout import Form
from encyclopedia.model.errors import EncyclopediaError, NothingFound, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.faces.http.service import Service

ASSETS = os.path.join(os.path.dirname(layout.__file__), "assets")
FILES = {"style.css": "text/css", "app.js": "text/javascript", "icon.svg": "image/svg+xml"}
LIMIT = 10
EXAMPLES = ("observer pattern", "aiohttp client session timeout", "repo:pallets/click how are options parsed")


def routes() -> list[web.RouteDef]:
    """All addresses of the page but ``/search`` and ``/``, which SearXNG's clients share."""
    return [
        web.get("/search/stream", _stream, allow_head=False),
        web.get("/ask", _ask),
        web.get("/passage", _passage),
        web.get("/health", _health),
        web.get("/static/{name}", _file),
        web.get("/favicon.ico", _icon),
    ]


async def page(request: web.Request, given: Mapping[str, str]) -> web.Response:
    """The page of a search, or the first page where nothing is asked."""
    own = service(request)
    form = await _form(own, request, given)
    if not form.query.strip():
        return _shown("search", "encyclopedia", _home(form), home=True)
    begun, status = perf_counter(), 200
    try:
        report = (await own.within(searched(own.encyclopedia, _options(form)))).body
        own.metrics.answered(report)
        main = _found(report, form.query, perf_counter() - begun)
    except EncyclopediaError as error:
        main, status = _failed(error), status_of(error)
    return _shown("search", f"{form.query} — encyclopedia", layout.form(form, "/search") + main, status)


def _home(form: Form) -> str:
    examples = "".join(f'<li><a href="/search?q={example.replace(" ", "+")}">{example}</a></li>' for example in EXAMPLES)
    return f"""<h1>encyclopedia</h1>
<p class="lead">One search over your own knowledge, documentation, the web and code.</p>
{layout.form(form, "/search", focus=True)}
<ul class="examples">{examples}</ul>
<div id="status" role="status"></div><div id="sources"></div><div id="results"></div>"""


def _found(report: Mapping[str, Any], query: str, seconds: float) -> str:
    pieces = _pieces(report, query, seconds)
    return "".join(
        f'<div id="{name}"{" role=status" if name == "status" else ""}>{html}</div>' for name, html in pieces.items()
    )


def _pieces(report: Mapping[str, Any], query: str, seconds: float) -> dict[str, str]:
    """The three parts of the page that change while a search is under way."""
    return {
        "status": found.standing(report, seconds),
        "sources": found.sources(report["outcomes"]),
        "results": found.results(report["results"], query, report["corrections"]),
    }


def _failed(error: EncyclopediaError) -> str:
    outcomes: Any = error.details.get("outcomes", [])
    return (
        f'<div id="status">{layout.trouble(error.message, error.hint)}</div><div id="sources">{found.sources(outcomes)}</div>'
    )


def _shown(active: str, title: str, main: str, status: int = 200, *, home: bool = False) -> web.Response:
    whole = layout.page(active, title, main, home=home).encode("utf-8", "replace")
    return web.Response(body=whole, status=status, content_type="text/html", charset="utf-8")


async def _form(own: Service, request: web.Request, given: Mapping[str, str]) -> Form:
    """What the form holds; a value that fits nothing is left for the search to complain of."""
    limit = given.get("limit", "")
    return Form(
        query=given.get("q", ""),
        type=given.get("type", ""),
        corpora=names(",".join(request.query.getall("corpora", [given.get("corpora", "")]))),
        tags=given.get("tags", ""),
        limit=int(limit) if limit.isascii() and limit.isdigit() and 0 < int(limit[:4]) <= 100 else LIMIT,  # noqa: PLR2004 - as many as a search gives
        fresh=given.get("fresh", "") == "1",
        known_corpora=tuple(sorted(own.encyclopedia.engine.sources.corpora())),
        known_tags=await asyncio.to_thread(_tags, own),
    )


def _tags(own: Service) -> tuple[str, ...]:
    """The tags with which whole corpora are registered: those of each document would take a look into every index."""
    from encyclopedia.wiring.corpora import registered

    return tuple(sorted({tag for corpus in registered(own.encyclopedia.engine.loaded) for tag in corpus.tags}))


def _options(form: Form) -> dict[str, Any]:
    made: dict[str, Any] = {"query": form.query, "limit": form.limit, "verbose": True, "read_cache": not form.fresh}
    made |= {"type": form.type} if form.type else {}
    made |= {"corpora": form.corpora} if form.corpora else {}
    return made | ({"tags": names(form.tags)} if form.tags.strip() else {})


class _Told:
    """Puts the events of a search as fragments of the page."""

    def __init__(self, query: str) -> None:
        self._query, self._begun = query, perf_counter()
        self._landed: list[Mapping[str, Any]] = []
        self._planned: list[str] = []

    def __call__(self, name: str, body: dict[str, Any]) -> list[tuple[str, str]]:
        if name == "plan":
            self._planned = body["target_sources"]
            return [("status", '<p class="state">Asking …</p>'), ("sources", self._bar())]
        if name == "source":
            self._landed.append(body)
            return [("sources", self._bar())]
        if name == "ranking":
            return [("results", found.results(body["results"], self._query))]
        if name == "error":
            return [("status", layout.trouble(body["message"], body.get("hint", ""))), ("end", "")]
        return [*_pieces(body, self._query, perf_counter() - self._begun).items(), ("end", "")]

    def _bar(self) -> str:
        here = {row["source"] for row in self._landed}
        return found.sources(self._landed, [name for name in self._planned if name not in here])


async def _stream(request: web.Request) -> web.StreamResponse:
    """The fragments of a search's page as they change."""
    own = service(request)
    form = await _form(own, request, dict(request.query))
    if not form.query.strip():
        raise UsageError("the query is empty", "write a few words")
    return await pour(request, events(own, _options(form)), _Told(form.query))


async def _ask(request: web.Request) -> web.Response:
    own = service(request)
    form = await _form(own, request, dict(request.query))
    head, status = layout.form(form, "/ask", focus=not form.query), 200
    if not form.query.strip():
        lead = '<p class="lead">Answers in the sentences of your own corpora, each with its source.</p>'
        return _shown("ask", "Ask — encyclopedia", f"<h1>Ask</h1>{lead}{head}")
    options: dict[str, Any] = {"corpora": form.corpora or None, "tags": names(form.tags) or None}
    try:
        main = answer.answer((await own.within(own.encyclopedia.ask(form.query, **options))).body)
    except EncyclopediaError as error:
        main, status = layout.trouble(error.message, error.hint), status_of(error)
    return _shown("ask", f"{form.query} — encyclopedia", head + main, status)


async def _passage(request: web.Request) -> web.Response:
    from encyclopedia.faces.http.passages import passages
    from encyclopedia.faces.web import places

    own = service(request)
    asked = {name: request.query.get(name, "") for name in ("corpus", "path", "section", "lines", "id")}
    try:
        parts, here = await own.within(passages(own.encyclopedia, asked))
        main, status = places.passage(asked["corpus"], asked["path"], parts, here), 200
    except EncyclopediaError as error:
        status = 404 if isinstance(error, NothingFound) else status_of(error)
        main = layout.trouble(error.message, error.hint)
    return _shown("", f"{asked['path']} — encyclopedia", main, status)


async def _health(request: web.Request) -> web.Response:
    from encyclopedia.faces.cli.sources import source_rows
    from encyclopedia.faces.web import places

    engine = service(request).encyclopedia.engine
    rows = await asyncio.to_thread(source_rows, engine)
    problems = [*(f"{name} is absent: {reason}" for name, reason in engine.stores.absent)]
    problems += [told for told in (engine.stores.circuit.problem, engine.stores.records_problem) if told]
    return _shown("health", "Health — encyclopedia", places.health(rows, problems))


async def _file(request: web.Request) -> web.Response:
    """One of the files that the page is made with, none else."""
    name = request.match_info["name"]
    if name not in FILES:
        raise Refusal(404, "there is nothing at this address")
    body = await asyncio.to_thread(_read, name)
    return web.Response(body=body, content_type=FILES[name], charset="utf-8", headers={"Cache-Control": "no-cache"})


def _read(name: str) -> bytes:
    with open(os.path.join(ASSETS, name), "rb") as file:
        return file.read()


async def _icon(_: web.Request) -> web.Response:
    return web.Response(status=301, headers={"Location": "/static/icon.svg"})
