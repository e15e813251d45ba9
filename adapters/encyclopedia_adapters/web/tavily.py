"""Tavily, web search made for programs, with a key or, where that is chosen, without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Card, Key, Option, Package

if TYPE_CHECKING:
    from encyclopedia.model.outcome import Hit, Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Context
    from encyclopedia_adapters.shared.service import Service

BASE = "https://api.tavily.com"
MAX_LIMIT = 20
MAX_CHARS = 400
_OPTIONS = ("search_depth", "topic", "country")


class Tavily:
    """Asks ``POST /search``."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def search(self, request: Request) -> Reply:
        """At most 20 hits, their content being the passages that fit the question."""
        from encyclopedia.model.outcome import Reply
        from encyclopedia_adapters.shared.http import Call
        from encyclopedia_adapters.shared.service import hits, results, within, worded

        http, base, headers, options = self._service
        text, note = worded(request, chars=MAX_CHARS)
        body = {"query": text, "max_results": within(request.limit, MAX_LIMIT), **options}
        answer = await http.post_json(Call("tavily", f"{base}/search", request.timeout, headers=headers), body)
        return Reply(hits(results("tavily", answer, "results"), request.limit, _hit), note=note)


def _hit(element: dict[str, object]) -> Hit:
    from encyclopedia.model.outcome import Hit
    from encyclopedia_adapters.shared.hits import as_text, clean_date

    return Hit(
        title=as_text(element.get("title")),
        url=as_text(element.get("url")),
        content=as_text(element.get("content")),
        published=clean_date(element.get("published_date")),
    )


def _make(context: Context) -> Tavily:
    from encyclopedia_adapters.shared.service import service

    key, keyless = context.secret("TAVILY_API_KEY"), context.options.get("keyless", False)
    if not isinstance(keyless, bool):
        raise ConfigurationError("[sources.tavily] keyless must be true or false")
    headers = {"Authorization": f"Bearer {key}"} if key else {"X-Tavily-Access-Mode": "keyless"}
    return Tavily(service(context, BASE, headers, _OPTIONS))


CARD = Card(
    "tavily",
    serves={QueryType.GENERAL_SEARCH: 0.20},
    make=_make,
    description="web search made for programs",
    requires=(Package("aiohttp"), Option("keyless", env="TAVILY_API_KEY")),
    accepts=(Key("TAVILY_API_KEY"),),
    form=Form.KEYWORD,
    options=("keyless", *_OPTIONS),
)
