"""Wikipedia, or any other MediaWiki, by the search of its action API; no key needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import ConfigurationError, RateLimited, Refused, SourceTrouble, Unavailable
from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Card, Package

if TYPE_CHECKING:
    from encyclopedia.model.outcome import Hit, Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Context
    from encyclopedia_adapters.shared.http import Answer, Http

MAX_LIMIT = 50
MAX_QUERY = 300
_LAGGING = frozenset({"maxlag", "ratelimited"})
_TITLE_SAFE = ":/()!$*,;@~"


class Wikipedia:
    """One wiki. ``api`` is the address of its api.php, ``pages`` what stands before a page's title."""

    def __init__(self, http: Http, api: str, pages: str) -> None:
        self._http = http
        self._api = api
        self._pages = pages

    async def search(self, request: Request) -> Reply:
        """At most 50 hits: title, snippet, address of the page or section, time of its last edit."""
        from encyclopedia.model.outcome import Reply
        from encyclopedia_adapters.shared.http import Call
        from encyclopedia_adapters.shared.service import within

        text = request.text[:MAX_QUERY]
        params = {
            "action": "query",
            "list": "search",
            "format": "json",
            "formatversion": "2",
            "utf8": "1",
            "srsearch": text,
            "srlimit": str(within(request.limit, MAX_LIMIT)),
            "srprop": "snippet|timestamp|sectiontitle",
        }
        # Wikimedia's etiquette: requests in series.
        answer = await self._http.get_json(Call("wikipedia", self._api, request.timeout, params, slots=1))
        hits = (self._hit(element) for element in _found(answer) if isinstance(element, dict))
        note = f"asked with the first {MAX_QUERY} characters" if text != request.text else ""
        return Reply(tuple(hit for hit in hits if hit)[: request.limit], note=note)

    def _hit(self, element: dict[str, object]) -> Hit | None:
        from encyclopedia.model.outcome import Hit
        from encyclopedia_adapters.shared.hits import as_text, clean_date, clean_hit
        from encyclopedia_adapters.shared.markup import clean_html

        title = as_text(element.get("title"))
        if not title:
            return None
        section = as_text(element.get("sectiontitle"))
        raw = Hit(
            title=f"{title} § {section}" if section else title,
            url=self._pages + _page_name(title) + (f"#{_page_name(section)}" if section else ""),
            content=clean_html(as_text(element.get("snippet"))),
            published=clean_date(element.get("timestamp")),
            id=as_text(element.get("pageid")),
        )
        return clean_hit(raw)


def _page_name(title: str) -> str:
    from urllib.parse import quote

    return quote(title.replace(" ", "_"), safe=_TITLE_SAFE, errors="replace")


def _found(answer: Answer) -> list[object]:
    """The list of results; MediaWiki tells its troubles in a body with status 200."""
    from encyclopedia_adapters.shared.service import results

    if isinstance(answer.data, dict) and "error" in answer.data:
        raise _trouble(answer.data["error"], answer)
    return results("wikipedia", answer, "query", "search")


def _trouble(error: object, answer: Answer) -> SourceTrouble:
    from encyclopedia_adapters.shared.sanitize import clean_line
    from encyclopedia_adapters.shared.status import wait

    code = error.get("code") if isinstance(error, dict) else None
    name = clean_line(code, 60) if isinstance(code, str) else "unknown"
    if name in _LAGGING:
        return RateLimited(f"wikipedia asks us to wait: {name}", wait(answer.headers, error))
    if name == "readonly" or name.startswith("internal_api_error") or "timeout" in name or "temporar" in name:
        return Unavailable(f"wikipedia has a fault of its own: {name}")
    return Refused(f"wikipedia did not accept the request: {name}")


def _make(context: Context) -> Wikipedia:
    import re

    from encyclopedia_adapters.shared.guard import normal_url
    from encyclopedia_adapters.shared.http import shared_http

    http = shared_http(context)
    language = context.options.get("language", "en")
    if not isinstance(language, str) or not re.fullmatch(r"[a-z]{2,}(-[a-z0-9]+)*", language):
        raise ConfigurationError("[sources.wikipedia] language must be a code such as en, de or zh-yue")
    base = context.options.get("base_url") or f"https://{language}.wikipedia.org"
    try:
        address = normal_url(str(base)).rstrip("/")
        if "base_url" in context.options:
            http.allow(address)
    except ValueError as fault:
        raise ConfigurationError(f"[sources.wikipedia] base_url: {fault}") from None
    if address.endswith("/api.php"):
        return Wikipedia(http, address, address.removesuffix("api.php") + "index.php?title=")
    return Wikipedia(http, f"{address}/w/api.php", f"{address}/wiki/")


CARD = Card(
    "wikipedia",
    serves={QueryType.GENERAL_SEARCH: 0.15},
    make=_make,
    description="the encyclopedia: topics, people, terms",
    requires=(Package("aiohttp"),),
    form=Form.KEYWORD,
    keyless=True,
    options=("language",),
)
