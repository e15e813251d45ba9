"""Exa, web search by meaning, with a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import Refused
from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Card, Key, Package

if TYPE_CHECKING:
    from encyclopedia.model.outcome import Hit, Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Context
    from encyclopedia_adapters.shared.service import Service

BASE = "https://api.exa.ai"
MAX_LIMIT = 100
_MEANINGS = {403: (Refused, "the account or the question is not allowed this")}


class Exa:
    """Asks ``POST /search``."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def search(self, request: Request) -> Reply:
        """At most 100 hits, their content being the passages that fit the question."""
        from encyclopedia.model.outcome import Reply
        from encyclopedia_adapters.shared.http import Call
        from encyclopedia_adapters.shared.service import hits, results, within, worded

        http, base, headers, _ = self._service
        body = {
            "query": worded(request)[0],
            "type": "auto",
            "numResults": within(request.limit, MAX_LIMIT),
            # Without saying what is wanted of them, whole pages come: 10,000 characters each.
            "contents": {"highlights": True},
        }
        call = Call("exa", f"{base}/search", request.timeout, headers=headers, meanings=_MEANINGS)
        return Reply(hits(results("exa", await http.post_json(call, body), "results"), request.limit, _hit))


def _hit(element: dict[str, object]) -> Hit:
    """One result: only its address is sure to be there."""
    from encyclopedia.model.outcome import Hit
    from encyclopedia_adapters.shared.hits import as_text, clean_date

    content = (as_text(element.get(name), "\n") for name in ("highlights", "summary", "text"))
    return Hit(
        title=as_text(element.get("title")),
        url=as_text(element.get("url")),
        content=next(filter(None, content), ""),
        published=clean_date(element.get("publishedDate")),
    )


def _make(context: Context) -> Exa:
    from encyclopedia_adapters.shared.service import service

    return Exa(service(context, BASE, {"x-api-key": context.secret("EXA_API_KEY")}))


CARD = Card(
    "exa",
    serves={
        QueryType.GENERAL_SEARCH: 0.35,
        QueryType.LIBRARY_DOCS: 0.30,
        QueryType.CODE_CONTEXT: 0.20,
        QueryType.REPOSITORY: 0.20,
    },
    make=_make,
    description="web search by meaning, strong on documentation",
    requires=(Package("aiohttp"), Key("EXA_API_KEY")),
    form=Form.KEYWORD,
)
