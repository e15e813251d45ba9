"""Perplexity, web search for questions in plain language, with a key; with ``answers`` its Agent API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import QuotaSpent
from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Card, Key, Package

if TYPE_CHECKING:
    from encyclopedia.model.outcome import Hit, Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Context, Source
    from encyclopedia_adapters.shared.service import Service

BASE = "https://api.perplexity.ai"
MAX_LIMIT = 20
MAX_TOKENS = 512
CODES = {"insufficient_quota": (QuotaSpent, "the credit is used up")}
_OPTIONS = ("country",)


class Perplexity:
    """Asks ``POST /search``."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def search(self, request: Request) -> Reply:
        """At most 20 hits, with up to 512 tokens of each page."""
        from encyclopedia.model.outcome import Reply
        from encyclopedia_adapters.shared.http import Call
        from encyclopedia_adapters.shared.service import hits, results, within, worded

        http, base, headers, options = self._service
        body = {
            "query": worded(request)[0],
            "max_results": within(request.limit, MAX_LIMIT),
            "max_tokens_per_page": MAX_TOKENS,
            **options,
        }
        call = Call("perplexity", f"{base}/search", request.timeout, headers=headers, codes=CODES)
        return Reply(hits(results("perplexity", await http.post_json(call, body), "results"), request.limit, hit_of))


def hit_of(element: dict[str, object]) -> Hit:
    """A result of a search of Perplexity's, not yet clean."""
    from encyclopedia.model.outcome import Hit
    from encyclopedia_adapters.shared.hits import as_text, clean_date

    return Hit(
        title=as_text(element.get("title")),
        url=as_text(element.get("url")),
        content=as_text(element.get("snippet")),
        published=clean_date(element.get("date")) or clean_date(element.get("last_updated")),
    )


def _make(context: Context) -> Source:
    from encyclopedia_adapters.shared.generated import wants_answer
    from encyclopedia_adapters.shared.service import service

    made = service(context, BASE, {"Authorization": f"Bearer {context.secret('PERPLEXITY_API_KEY')}"}, _OPTIONS)
    if not wants_answer(context, "answers"):
        return Perplexity(made)
    from encyclopedia_adapters.web.perplexity_agent import PerplexityAgent

    return PerplexityAgent(made, str(context.options.get("model") or ""))


CARD = Card(
    "perplexity",
    serves={QueryType.GENERAL_SEARCH: 0.35, QueryType.LIBRARY_DOCS: 0.20, QueryType.CODE_CONTEXT: 0.15},
    make=_make,
    description="web search for questions in plain language",
    requires=(Package("aiohttp"), Key("PERPLEXITY_API_KEY")),
    form=Form.QUESTION,
    options=("answers", "model", *_OPTIONS),
)
