"""The application: every address that there is, around one engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import web

from encyclopedia.faces.http import pages, searching, verbs
from encyclopedia.faces.http.replies import UNAVAILABLE, reply
from encyclopedia.faces.http.service import SERVICE, Service, service

if TYPE_CHECKING:
    from encyclopedia.faces.http.gate import Gate
    from encyclopedia.faces.http.guards import Access
    from encyclopedia.faces.library import Encyclopedia

BODY = 64 * 1024
"""Bytes of a body that are read: the longest query in any script, with room for everything else."""


def application(encyclopedia: Encyclopedia, access: Access | None = None, gate: Gate | None = None) -> web.Application:
    """The whole service around an engine that is closed by whoever made it."""
    own = Service(encyclopedia, access, gate)
    app = web.Application(middlewares=[own.around], client_max_size=BODY)
    app[SERVICE] = own
    app.add_routes([*verbs.routes(), *searching.routes(), *pages.routes()])
    app.add_routes(
        [
            web.get("/healthz", _alive),
            web.get("/readyz", _ready),
            web.get("/metrics", _metrics),
            web.get("/openapi.json", _described),
        ]
    )
    return app


async def _alive(_: web.Request) -> web.Response:
    return web.Response(text="OK")


async def _ready(request: web.Request) -> web.Response:
    own = service(request)
    if own.draining:
        return reply({"status": "draining"}, UNAVAILABLE)
    shared = own.encyclopedia.engine.stores.shared
    # without it there are answers all the same, so no balancer need leave this replica out
    told = {"shared_state": "lost" if shared.problem else "ok"} if shared else {}
    return reply({"status": "ready"} | told)


async def _metrics(request: web.Request) -> web.Response:
    text, kind = service(request).metrics.text()
    return web.Response(body=text, headers={"Content-Type": kind})


async def _described(request: web.Request) -> web.Response:
    from encyclopedia.faces.http.openapi import description

    return reply(description(service(request).encyclopedia))
