"""Hacker News, by the search that Algolia runs for it; no key needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Card, Package

if TYPE_CHECKING:
    from encyclopedia.model.outcome import Hit, Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Context
    from encyclopedia_adapters.shared.http import Http

MAX_LIMIT = 100
_DISCUSSION = "https://news.ycombinator.com/item?id="


class HackerNews:
    """Stories; ``address`` is that of the search."""

    def __init__(self, http: Http, address: str) -> None:
        self._http = http
        self._address = address

    async def search(self, request: Request) -> Reply:
        """At most 100 stories: the page that each is about, or its discussion, with its text or how it was received."""
        from encyclopedia.model.outcome import Reply
        from encyclopedia_adapters.shared.http import Call
        from encyclopedia_adapters.shared.service import results, within

        limit = str(within(request.limit, MAX_LIMIT))
        params = {"query": request.text, "tags": "story", "hitsPerPage": limit}
        answer = await self._http.get_json(Call("hackernews", self._address, request.timeout, params))
        hits = (_hit(story) for story in results("hackernews", answer, "hits") if isinstance(story, dict))
        return Reply(tuple(hit for hit in hits if hit)[: request.limit])


def _hit(story: dict[str, object]) -> Hit | None:
    """One story; a question to the readers has no address of its own."""
    from encyclopedia.model.outcome import Hit
    from encyclopedia_adapters.shared.hits import as_text, clean_date, clean_hit
    from encyclopedia_adapters.shared.markup import clean_html
    from encyclopedia_adapters.shared.sanitize import clean_url

    title, number = as_text(story.get("title")), as_text(story.get("objectID"))
    text = as_text(story.get("story_text")) or as_text(story.get("comment_text"))
    raw = Hit(
        title=title,
        url=clean_url(as_text(story.get("url"))) or (_DISCUSSION + number if number.isdecimal() else ""),
        content=clean_html(text) or _reception(story),
        published=clean_date(story.get("created_at")),
        id=number,
    )
    return clean_hit(raw) if title else None


def _reception(story: dict[str, object]) -> str:
    points, comments = story.get("points"), story.get("num_comments")
    told = [f"{number} {word}" for number, word in ((points, "points"), (comments, "comments")) if isinstance(number, int)]
    return f"{' and '.join(told)} on Hacker News" if told else ""


def _make(context: Context) -> HackerNews:
    from encyclopedia_adapters.shared.address import base_address
    from encyclopedia_adapters.shared.http import shared_http

    return HackerNews(shared_http(context), base_address(context, "https://hn.algolia.com/api/v1") + "/search")


CARD = Card(
    "hackernews",
    serves={QueryType.GENERAL_SEARCH: 0.10},
    make=_make,
    description="stories of Hacker News: what programmers talk about",
    requires=(Package("aiohttp"),),
    form=Form.KEYWORD,
    keyless=True,
)
