"""Stack Overflow, or another site of Stack Exchange, by the search of its API; a key is optional and raises the quota."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import ConfigurationError, RateLimited
from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Card, Key, Package

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.model.outcome import Hit, Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Context
    from encyclopedia_adapters.shared.http import Http

MAX_LIMIT = 100
CONTENT = 2000
KEY = Key("STACKEXCHANGE_KEY")
_LOW = 10


class StackExchange:
    """One site. ``address`` is that of the search, ``fixed`` are parameters of every request."""

    def __init__(self, http: Http, address: str, fixed: Mapping[str, str]) -> None:
        self._http = http
        self._address = address
        self._fixed = fixed
        self._free = 0.0

    async def search(self, request: Request) -> Reply:
        """Questions with the beginning of their text.

        A ``backoff`` of the answer is the reply's ``pause``, which the circuit keeps for all processes. It is obeyed here as
        well, for requests that were admitted before it came: whoever ignores it is banned.
        """
        import time

        from encyclopedia.model.outcome import Reply
        from encyclopedia_adapters.shared.http import Call
        from encyclopedia_adapters.shared.service import results, within

        if (left := self._free - time.monotonic()) > 0:
            raise RateLimited("stackexchange asked us to pause", left)
        params = {"q": request.text, "pagesize": str(within(request.limit, MAX_LIMIT)), **self._fixed}
        answer = await self._http.get_json(Call("stackexchange", self._address, request.timeout, params, slots=2))
        items = results("stackexchange", answer, "items")
        data = answer.data if isinstance(answer.data, dict) else {}
        pause = _seconds(data.get("backoff"))
        self._free = max(self._free, time.monotonic() + pause)
        hits = (_hit(item) for item in items if isinstance(item, dict))
        return Reply(tuple(hit for hit in hits if hit)[: request.limit], note=_remaining(data), pause=pause)


def _hit(item: dict[str, object]) -> Hit | None:
    """One question: its title is escaped, its body HTML."""
    from encyclopedia.model.outcome import Hit
    from encyclopedia_adapters.shared.hits import as_text, clean_date, clean_hit
    from encyclopedia_adapters.shared.markup import clean_html

    body = clean_html(as_text(item.get("body")), CONTENT)
    raw = Hit(
        title=clean_html(as_text(item.get("title"))),
        url=as_text(item.get("link")),
        content=body or as_text(item.get("tags")),
        published=clean_date(item.get("creation_date")),
        id=as_text(item.get("question_id")),
    )
    return clean_hit(raw) if raw.title else None


def _seconds(value: object) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e9 else 0.0  # noqa: PLR2004 - no time


def _remaining(data: Mapping[str, object]) -> str:
    """A word on the quota of the day when it is nearly used up."""
    most, left = data.get("quota_max"), data.get("quota_remaining")
    if not isinstance(most, int) or not isinstance(left, int) or left * _LOW > most:
        return ""
    return f"stackexchange has {left} of {most} calls left for today"


def _make(context: Context) -> StackExchange:
    import re

    from encyclopedia_adapters.shared.address import base_address
    from encyclopedia_adapters.shared.http import shared_http

    site = context.options.get("site", "stackoverflow")
    if not isinstance(site, str) or not re.fullmatch(r"[a-z0-9]+([.-][a-z0-9]+)*", site):
        raise ConfigurationError("[sources.stackexchange] site must be a name such as stackoverflow or unix")
    fixed = {"site": site, "order": "desc", "sort": "relevance", "filter": "withbody"}
    if key := context.secret(KEY.name):
        fixed["key"] = key
    address = base_address(context, "https://api.stackexchange.com/2.3")
    return StackExchange(shared_http(context), f"{address}/search/advanced", fixed)


CARD = Card(
    "stackexchange",
    serves={QueryType.GENERAL_SEARCH: 0.15, QueryType.LIBRARY_DOCS: 0.15, QueryType.CODE_CONTEXT: 0.10},
    make=_make,
    description="questions of programmers, by Stack Overflow",
    requires=(Package("aiohttp"),),
    accepts=(KEY,),
    form=Form.KEYWORD,
    keyless=True,
    options=("site",),
    daily_calls=300,
)
