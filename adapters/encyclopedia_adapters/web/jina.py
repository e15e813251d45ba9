"""Jina, web search as a list of pages with their descriptions, with a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Card, Key, Package

if TYPE_CHECKING:
    from encyclopedia.model.outcome import Hit, Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Context
    from encyclopedia_adapters.shared.service import Service

BASE = "https://s.jina.ai"
MAX_LIMIT = 20
_NOTHING = (404, 422)
# JSON comes only to those who take nothing else, and without reading all the pages only if that is asked for.
_HEADERS = {"Accept": "application/json", "X-Respond-With": "no-content"}


class Jina:
    """Asks the search, not the reader."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def search(self, request: Request) -> Reply:
        """At most 20 hits with the description of each page."""
        from encyclopedia.model.outcome import Reply
        from encyclopedia_adapters.shared.http import Call
        from encyclopedia_adapters.shared.service import hits, results, within, worded

        http, base, headers, _ = self._service
        params = {"q": worded(request)[0], "num": str(within(request.limit, MAX_LIMIT))}
        call = Call("jina", f"{base}/", request.timeout, params, headers, nothing=_NOTHING)
        return Reply(hits(results("jina", await http.get_json(call), "data"), request.limit, _hit, markup="guess"))


def _hit(element: dict[str, object]) -> Hit:
    from encyclopedia.model.outcome import Hit
    from encyclopedia_adapters.shared.hits import as_text, clean_date

    return Hit(
        title=as_text(element.get("title")),
        url=as_text(element.get("url")),
        content=as_text(element.get("description")) or as_text(element.get("content")),
        published=clean_date(element.get("date")),
    )


def _make(context: Context) -> Jina:
    from encyclopedia_adapters.shared.service import service

    return Jina(service(context, BASE, {"Authorization": f"Bearer {context.secret('JINA_API_KEY')}", **_HEADERS}))


CARD = Card(
    "jina",
    serves={QueryType.GENERAL_SEARCH: 0.10},
    make=_make,
    description="web search by Jina",
    requires=(Package("aiohttp"), Key("JINA_API_KEY")),
    form=Form.KEYWORD,
)
