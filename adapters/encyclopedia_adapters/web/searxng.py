"""SearXNG, the user's own instance, by its JSON format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import ConfigurationError, Refused
from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Card, Option, Package

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.model.outcome import Hit, Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Context
    from encyclopedia_adapters.shared.http import Http

_NAMED = 8
_PASSED_ON = ("language", "categories", "engines")
_JSON_OFF = "it gives no JSON; add json to search.formats in its settings.yml"
_SENT_AWAY = "its limiter sends programs away; set server.limiter to false or ask another instance"


class SearXNG:
    """One instance. ``address`` is that of its search, ``options`` are parameters of every request."""

    def __init__(self, http: Http, address: str, options: Mapping[str, str]) -> None:
        self._http = http
        self._address = address
        self._options = options

    async def search(self, request: Request) -> Reply:
        """The first page's hits; engines that did not answer are named, and reduce an answer without results."""
        from encyclopedia.model.outcome import Reply
        from encyclopedia_adapters.shared.http import Call
        from encyclopedia_adapters.shared.service import results

        params = {"q": request.text, "format": "json", "pageno": "1", **self._options}
        meanings = {403: (Refused, _JSON_OFF), 302: (Refused, _SENT_AWAY)}
        answer = await self._http.get_json(Call("searxng", self._address, request.timeout, params, meanings=meanings))
        data = answer.data if isinstance(answer.data, dict) else {}
        found: list[Hit] = []
        for element in results("searxng", answer, "results"):
            if len(found) < request.limit and isinstance(element, dict) and (hit := _hit(element)):
                found.append(hit)
        silent = _silent(data.get("unresponsive_engines"))
        return Reply(tuple(found), note=silent) if found else Reply(reduced=silent)


def _hit(element: dict[str, object]) -> Hit | None:
    """One result: only its address and title are sure to be there."""
    from encyclopedia.model.outcome import Hit
    from encyclopedia_adapters.shared.hits import as_text, clean_date, clean_hit

    content = as_text(element.get("content")) or _code(element.get("codelines"))
    published = clean_date(element.get("publishedDate")) or clean_date(element.get("pubdate"))
    raw = Hit(
        title=as_text(element.get("title")),
        url=as_text(element.get("url")),
        content=content,
        published=published,
        version=as_text(element.get("version")) if "package_name" in element else "",
    )
    return clean_hit(raw)


def _code(lines: object) -> str:
    """The text of a code result: pairs of a line's number and the line."""
    if not isinstance(lines, list):
        return ""
    return "\n".join(str(line[1]) for line in lines[:200] if isinstance(line, list) and len(line) > 1)


def _empty(engine: object) -> bool:
    """Whether it did answer, with nothing: encyclopedia itself, served as an instance, names such engines too."""
    return isinstance(engine, list) and engine[1:] == ["no results"]


def _silent(engines: object) -> str:
    """The engines that did not answer, with their reasons; empty if all did. Older instances give names only."""
    engines = [engine for engine in engines if not _empty(engine)] if isinstance(engines, list) else []
    if not engines:
        return ""
    from encyclopedia_adapters.shared.hits import as_text
    from encyclopedia_adapters.shared.sanitize import clean_line

    named: list[str] = []
    for engine in engines[:_NAMED]:
        parts = list(engine.values()) if isinstance(engine, dict) else engine if isinstance(engine, list) else [engine]
        words = [clean_line(as_text(part), 60) for part in parts[:2]]
        named.append(words[0] + (f" ({words[1]})" if len(words) > 1 and words[1] else "") if words else "unnamed")
    more = f" and {len(engines) - _NAMED} more" if len(engines) > _NAMED else ""
    return f"engines that did not answer: {', '.join(named)}{more}"


def _make(context: Context) -> SearXNG:
    from encyclopedia_adapters.shared.guard import normal_url
    from encyclopedia_adapters.shared.http import shared_http

    http = shared_http(context)
    base = context.options.get("base_url") or context.secret("SEARXNG_URL")
    try:
        address = normal_url(str(base)).rstrip("/")
        http.allow(address)
    except ValueError as fault:
        raise ConfigurationError(f"the address of searxng (base_url or SEARXNG_URL): {fault}") from None
    options = {name: str(context.options[name]) for name in _PASSED_ON if context.options.get(name)}
    return SearXNG(http, address if address.endswith("/search") else f"{address}/search", options)


CARD = Card(
    "searxng",
    serves={QueryType.GENERAL_SEARCH: 0.10},
    make=_make,
    description="web search by your own SearXNG instance",
    requires=(Package("aiohttp"), Option("base_url", env="SEARXNG_URL")),
    form=Form.KEYWORD,
    options=_PASSED_ON,
)
