"""What remote sources are built from in tests: resources, a context, requests, and the sources themselves on a fake upstream."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from encyclopedia.model.plan import Request
from encyclopedia.model.query import QueryType
from encyclopedia.ports import Card, Context, Source
from encyclopedia_adapters.generic.json_api import card as json_card
from encyclopedia_adapters.web.searxng import CARD as SEARXNG
from encyclopedia_adapters.web.wikipedia import CARD as WIKIPEDIA
from tests.upstream import Row, Upstream, searxng_body, wikipedia_body

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

AGENT = "encyclopedia/0.0 (+https://example.org/encyclopedia; mail@example.org)"


class Resources:
    """Made on first use, closed together."""

    def __init__(self) -> None:
        self.made: dict[str, Any] = {}

    def get(self, name: str, make: Callable[[], Any]) -> Any:
        if name not in self.made:
            self.made[name] = make()
        return self.made[name]

    async def aclose(self) -> None:
        for resource in self.made.values():
            await resource.aclose()


def request(text: str = "async routing", **more: Any) -> Request:
    return Request(**{"text": text, "type": QueryType.GENERAL_SEARCH, "limit": 5, "timeout": 5.0, **more})


@asynccontextmanager
async def built(
    card: Card, options: Mapping[str, object] | None = None, secrets: Mapping[str, str] | None = None
) -> AsyncIterator[Source]:
    """The source of a card, closed at the end."""
    resources = Resources()
    known = secrets or {}
    context = Context(card.name, "", AGENT, 5.0, resources, lambda name: known.get(name, ""), options or {})
    try:
        yield card.make(context)
    finally:
        await resources.aclose()


def json_body(*rows: Row) -> dict[str, object]:
    return {"found": [{"name": title, "links": {"html": url}, "text": content} for title, url, content in rows]}


@dataclass(frozen=True)
class Remote:
    """One remote source as the contract sees it: how to build it on a fake, where it asks, and what it is answered."""

    name: str
    card: Callable[[Upstream], Card]
    options: Callable[[Upstream], Mapping[str, object]]
    path: str
    query: str
    body: Callable[..., dict[str, object]]


def described(up: Upstream, **more: object) -> Card:
    table = {
        "serves": {"general_search": 0.3},
        "url": up.url + "/api/search?q={query}&n={limit}",
        "headers": {"Authorization": "Bearer ${WIKI_TOKEN}", "X-Api-Key": "${WIKI_TOKEN}"},
        "results": "found[]",
        "fields": {"title": "name", "url": "links.html", "content": "text"},
    }
    return json_card("intranet", table | more)


REMOTES = (
    Remote("wikipedia", lambda up: WIKIPEDIA, lambda up: {"base_url": up.url}, "/w/api.php", "srsearch", wikipedia_body),
    Remote("searxng", lambda up: SEARXNG, lambda up: {"base_url": up.url}, "/search", "q", searxng_body),
    Remote("json", described, lambda up: {}, "/api/search", "q", json_body),
)
SECRETS = {"WIKI_TOKEN": "s3cr3t-t0ken"}
