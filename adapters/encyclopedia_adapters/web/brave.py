"""Brave, web search on an index of its own, with a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import AuthRefused, QuotaSpent
from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Card, Key, Package

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.model.outcome import Hit, Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Context
    from encyclopedia_adapters.shared.http import Answer
    from encyclopedia_adapters.shared.refusal import Meaning
    from encyclopedia_adapters.shared.service import Service

BASE = "https://api.search.brave.com/res/v1"
MAX_LIMIT = 20
MAX_CHARS = 400
MAX_WORDS = 50
# A wrong key is answered with 422, a month that is used up with 429.
_CODES: Mapping[str, Meaning] = {
    "SUBSCRIPTION_TOKEN_INVALID": (AuthRefused, "the key is not accepted"),
    "SUBSCRIPTION_NOT_FOUND": (AuthRefused, "the key belongs to no subscription"),
    "QUOTA_LIMITED": (QuotaSpent, "the quota is used up"),
}
_OPTIONS = ("country", "search_lang", "safesearch")


class Brave:
    """Asks ``GET /web/search``."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def search(self, request: Request) -> Reply:
        """At most 20 hits: description and, with plans that have them, more passages of the page."""
        from encyclopedia.model.outcome import Reply
        from encyclopedia_adapters.shared.http import Call
        from encyclopedia_adapters.shared.service import hits, within, worded

        http, base, headers, options = self._service
        text, note = worded(request, chars=MAX_CHARS, words=MAX_WORDS)
        params = {"q": text, "count": str(within(request.limit, MAX_LIMIT)), "result_filter": "web", **options}
        call = Call("brave", f"{base}/web/search", request.timeout, params, headers, codes=_CODES)
        return Reply(hits(_found(await http.get_json(call)), request.limit, _hit, markup="html"), note=note)


def _found(answer: Answer) -> list[object]:
    """The web's results; without any, the answer has no part for them and still repeats the query."""
    from encyclopedia_adapters.shared.service import results

    data = answer.data
    if isinstance(data, dict) and "web" not in data and isinstance(data.get("query"), dict):
        return []
    return results("brave", answer, "web", "results")


def _hit(element: dict[str, object]) -> Hit:
    from encyclopedia.model.outcome import Hit
    from encyclopedia_adapters.shared.hits import as_text, clean_date

    passages = (as_text(element.get(name), "<br>") for name in ("description", "extra_snippets"))
    return Hit(
        title=as_text(element.get("title")),
        url=as_text(element.get("url")),
        content="<br>".join(filter(None, passages)),
        published=clean_date(element.get("page_age")) or clean_date(element.get("age")),
    )


def _make(context: Context) -> Brave:
    from encyclopedia_adapters.shared.service import service

    return Brave(service(context, BASE, {"X-Subscription-Token": context.secret("BRAVE_API_KEY")}, _OPTIONS))


CARD = Card(
    "brave",
    serves={QueryType.GENERAL_SEARCH: 0.20},
    make=_make,
    description="web search on an index of its own",
    requires=(Package("aiohttp"), Key("BRAVE_API_KEY")),
    form=Form.KEYWORD,
    options=_OPTIONS,
)
