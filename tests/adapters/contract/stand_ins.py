"""What remote sources are built from in tests: resources, a context, requests, and the sources themselves on a fake upstream."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from encyclopedia.model.plan import Request
from encyclopedia.model.query import QueryType
from encyclopedia.ports import Card, Context, Source
from encyclopedia_adapters.code.github import CARD as GITHUB
from encyclopedia_adapters.code.gitlab import CARD as GITLAB
from encyclopedia_adapters.docs.context7 import CARD as CONTEXT7
from encyclopedia_adapters.docs.mdn import CARD as MDN
from encyclopedia_adapters.docs.readthedocs import CARD as READTHEDOCS
from encyclopedia_adapters.generic.json_api import card as json_card
from encyclopedia_adapters.web.brave import CARD as BRAVE
from encyclopedia_adapters.web.crossref import CARD as CROSSREF
from encyclopedia_adapters.web.exa import CARD as EXA
from encyclopedia_adapters.web.hackernews import CARD as HACKERNEWS
from encyclopedia_adapters.web.jina import CARD as JINA
from encyclopedia_adapters.web.kagi import CARD as KAGI
from encyclopedia_adapters.web.openalex import CARD as OPENALEX
from encyclopedia_adapters.web.perplexity import CARD as PERPLEXITY
from encyclopedia_adapters.web.searxng import CARD as SEARXNG
from encyclopedia_adapters.web.semanticscholar import CARD as SCHOLAR
from encyclopedia_adapters.web.stackexchange import CARD as STACKEXCHANGE
from encyclopedia_adapters.web.tavily import CARD as TAVILY
from encyclopedia_adapters.web.wikipedia import CARD as WIKIPEDIA
from tests.adapters.contract.keyed import (
    agent_body,
    brave_body,
    exa_body,
    fastgpt_body,
    first_kagi_body,
    jina_body,
    kagi_body,
    perplexity_body,
    tavily_body,
)
from tests.docs_bodies import context7_body, mdn_body, readthedocs_body
from tests.forge_bodies import github_body, gitlab_body
from tests.public_bodies import crossref_body, hackernews_body, openalex_body, semanticscholar_body, stackexchange_body
from tests.upstream import Row, Seen, Upstream, searxng_body, wikipedia_body

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from encyclopedia.model.outcome import Hit, Reply

AGENT = "encyclopedia/0.0 (+https://example.org/encyclopedia; mail@example.org)"
CONTACT = "mail@example.org"


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
            if hasattr(resource, "aclose"):
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
    context = Context(card.name, "", AGENT, 5.0, resources, lambda name: known.get(name, ""), options or {}, CONTACT)
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
    body: Callable[..., object]
    before: str = ""
    more: Mapping[str, object] = field(default_factory=dict)
    accept: str = "text/html"  # a limiter wants to hear that we would take it
    wrote: str = ""  # the title of what the service writes itself, which stands behind the pages

    def pages(self, reply: Reply) -> list[Hit]:
        """The hits that are pages."""
        return [hit for hit in reply.hits if not self.wrote or hit.title != self.wrote]

    def request(self, text: str = "async routing", **more: Any) -> Request:
        """A request that the source answers; ``more`` are the fields that it needs besides the text."""
        return request(text, **{**self.more, **more})

    def asked(self, seen: Seen) -> str:
        """The question as it arrived, in the parameter or the JSON field ``query``, without what the source puts ``before`` it."""
        fields = seen.query if self.query in seen.query else json.loads(seen.body)
        return fields[self.query].removeprefix(self.before)


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
    Remote(
        "stackexchange", lambda up: STACKEXCHANGE, lambda up: {"base_url": up.url}, "/search/advanced", "q", stackexchange_body
    ),
    Remote("hackernews", lambda up: HACKERNEWS, lambda up: {"base_url": up.url}, "/search", "query", hackernews_body),
    Remote("crossref", lambda up: CROSSREF, lambda up: {"base_url": up.url}, "/works", "query", crossref_body),
    Remote("openalex", lambda up: OPENALEX, lambda up: {"base_url": up.url}, "/works", "search", openalex_body),
    Remote(
        "semanticscholar", lambda up: SCHOLAR, lambda up: {"base_url": up.url}, "/paper/search", "query", semanticscholar_body
    ),
    Remote("exa", lambda up: EXA, lambda up: {"base_url": up.url}, "/search", "query", exa_body),
    Remote("perplexity", lambda up: PERPLEXITY, lambda up: {"base_url": up.url}, "/search", "query", perplexity_body),
    Remote(
        "perplexity answers",
        lambda up: PERPLEXITY,
        lambda up: {"base_url": up.url, "answers": True},
        "/v1/responses",
        "input",
        agent_body,
        wrote="Answer by Perplexity (generated)",
    ),
    Remote("kagi", lambda up: KAGI, lambda up: {"base_url": up.url}, "/search", "query", kagi_body),
    Remote("kagi v0", lambda up: KAGI, lambda up: {"base_url": f"{up.url}/v0"}, "/v0/search", "q", first_kagi_body),
    Remote(
        "kagi fastgpt",
        lambda up: KAGI,
        lambda up: {"base_url": f"{up.url}/v0", "fastgpt": True},
        "/v0/fastgpt",
        "query",
        fastgpt_body,
        wrote="Answer by Kagi FastGPT (generated)",
    ),
    Remote("tavily", lambda up: TAVILY, lambda up: {"base_url": up.url}, "/search", "query", tavily_body),
    Remote("brave", lambda up: BRAVE, lambda up: {"base_url": up.url}, "/web/search", "q", brave_body),
    Remote("jina", lambda up: JINA, lambda up: {"base_url": up.url}, "/", "q", jina_body, accept="application/json"),
    Remote(
        "context7",
        lambda up: CONTEXT7,
        lambda up: {"base_url": up.url + "/api", "libraries": {"webkit": "/acme/webkit"}},
        "/api/v2/context",
        "query",
        context7_body,
        more={"library": "webkit"},
    ),
    Remote(
        "context7 v3", lambda up: CONTEXT7, lambda up: {"base_url": up.url, "v3": True}, "/v3/search", "query", context7_body
    ),
    Remote(
        "readthedocs",
        lambda up: READTHEDOCS,
        lambda up: {"base_url": up.url, "projects": ["acme"]},
        "/api/v3/search/",
        "q",
        readthedocs_body,
        before="project:acme ",
    ),
    Remote("mdn", lambda up: MDN, lambda up: {"base_url": up.url}, "/api/v1/search", "q", mdn_body),
    Remote("github", lambda up: GITHUB, lambda up: {"base_url": up.url}, "/search/repositories", "q", github_body),
    Remote("gitlab", lambda up: GITLAB, lambda up: {"base_url": up.url}, "/projects", "search", gitlab_body),
    Remote("json", described, lambda up: {}, "/api/search", "q", json_body),
)
SECRETS = {
    "WIKI_TOKEN": "s3cr3t-t0ken",
    "CONTEXT7_API_KEY": "s3cr3t-t0ken",
    "OPENALEX_API_KEY": "s3cr3t-t0ken",
    "SEMANTIC_SCHOLAR_API_KEY": "s3cr3t-t0ken",
    "EXA_API_KEY": "s3cr3t-t0ken",
    "PERPLEXITY_API_KEY": "s3cr3t-t0ken",
    "KAGI_API_KEY": "s3cr3t-t0ken",
    "TAVILY_API_KEY": "s3cr3t-t0ken",
    "BRAVE_API_KEY": "s3cr3t-t0ken",
    "JINA_API_KEY": "s3cr3t-t0ken",
}
