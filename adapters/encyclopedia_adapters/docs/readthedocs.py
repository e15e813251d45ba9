"""Read the Docs: the search over the documentation that projects host there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Card, Package

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.model.outcome import Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Context
    from encyclopedia_adapters.shared.http import Http

MAX_PAGE = 50


class ReadTheDocs:
    """The service at ``base``. ``slugs`` are projects by library, ``always`` those that every question goes to."""

    def __init__(self, http: Http, base: str, slugs: Mapping[str, str], always: tuple[str, ...]) -> None:
        self._http = http
        self._address = f"{base}/api/v3/search/"
        self._slugs = slugs
        self._always = always

    async def search(self, request: Request) -> Reply:
        """One hit a page, at its best section. Without a project to look in nobody is asked."""
        from itertools import islice

        from encyclopedia.model.outcome import Reply
        from encyclopedia_adapters.docs.readthedocs_pages import page_hits
        from encyclopedia_adapters.shared.http import Call
        from encyclopedia_adapters.shared.service import results, within

        projects = self._projects(request)
        if not projects:
            return Reply()
        scope = " ".join(f"project:{project}" for project in projects)
        params = {"q": f"{scope} {request.text}", "page_size": str(within(request.limit, MAX_PAGE))}
        answer = await self._http.get_json(Call("readthedocs", self._address, request.timeout, params))
        pages = results("readthedocs", answer, "results")
        return Reply(tuple(islice(page_hits(pages, request.version), request.limit)))

    def _projects(self, request: Request) -> list[str]:
        """The project of the library, and without a version, which is the library's own, those that are always asked."""
        import re

        name = request.library.lower()
        own = self._slugs.get(name) or re.sub(r"[_.]+", "-", name)
        named = [own] if re.fullmatch(r"[a-z0-9][a-z0-9-]*", own) else []
        if request.version:
            return [f"{slug}/{request.version}" for slug in named if not re.search(r"\s", request.version)]
        return [*named, *(slug for slug in self._always if slug not in named)]


def _make(context: Context) -> ReadTheDocs:
    from encyclopedia_adapters.docs.address import base_address
    from encyclopedia_adapters.shared.http import shared_http

    http = shared_http(context)
    given = context.options.get("projects", ())
    slugs = {name.lower(): slug for name, slug in given.items()} if isinstance(given, dict) else {}
    always = tuple(given) if isinstance(given, list | tuple) else ()
    if not isinstance(given, dict | list | tuple) or not all(
        isinstance(slug, str) and slug for slug in (*always, *slugs.values())
    ):
        raise ConfigurationError(
            "[sources.readthedocs] projects must be a list of slugs, or a table from libraries to slugs",
            'such as ["acme-docs"] or { webkit = "acme-docs" }',
        )
    return ReadTheDocs(http, base_address(context, http, "https://app.readthedocs.org"), slugs, always)


CARD = Card(
    "readthedocs",
    serves={QueryType.LIBRARY_DOCS: 0.15},
    make=_make,
    description="documentation that projects host on Read the Docs",
    requires=(Package("aiohttp"),),
    form=Form.KEYWORD,
    keyless=True,
    options=("projects",),
)
