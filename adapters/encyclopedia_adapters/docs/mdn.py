"""MDN Web Docs: HTML, CSS, JavaScript and the interfaces of browsers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Card, Package

if TYPE_CHECKING:
    from encyclopedia.model.outcome import Hit, Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Context
    from encyclopedia_adapters.shared.http import Http

MAX_PAGE = 50


class MDN:
    """The site at ``base`` in the language ``locale``."""

    def __init__(self, http: Http, base: str, locale: str) -> None:
        self._http = http
        self._base = base
        self._locale = locale

    async def search(self, request: Request) -> Reply:
        """Pages with their summary and what matches in them; of a question about a library only those that speak of it."""
        from encyclopedia.model.outcome import Reply
        from encyclopedia_adapters.shared.http import Call
        from encyclopedia_adapters.shared.service import results, within

        size = str(within(request.limit, MAX_PAGE))
        params = {"q": request.text, "locale": self._locale, "size": size}
        answer = await self._http.get_json(Call("mdn", f"{self._base}/api/v1/search", request.timeout, params))
        found: list[Hit] = []
        for element in results("mdn", answer, "documents"):
            hit = self._hit(element) if isinstance(element, dict) and len(found) < request.limit else None
            if hit is not None and request.library.lower() in f"{hit.title} {hit.content}".lower():
                found.append(hit)
        return Reply(tuple(found))

    def _hit(self, element: dict[str, object]) -> Hit | None:
        from encyclopedia.model.outcome import Hit
        from encyclopedia_adapters.shared.hits import as_text, clean_hit
        from encyclopedia_adapters.shared.markup import clean_html

        path = as_text(element.get("mdn_url"))
        marked = element.get("highlight")
        places = marked.get("body") if isinstance(marked, dict) else None
        parts = (as_text(element.get("summary")), clean_html(as_text(places, " … ")))
        raw = Hit(
            title=as_text(element.get("title")),
            url=self._base + path if path.startswith("/") else "",
            content="\n\n".join(part for part in parts if part),
        )
        return clean_hit(raw)


def _make(context: Context) -> MDN:
    import re

    from encyclopedia_adapters.docs.address import base_address
    from encyclopedia_adapters.shared.http import shared_http

    http = shared_http(context)
    locale = context.options.get("locale", "en-US")
    if not isinstance(locale, str) or not re.fullmatch(r"[a-z]{2,3}(-[A-Z]{2})?", locale):
        raise ConfigurationError("[sources.mdn] locale must be one of MDN's, such as en-US, fr or zh-CN")
    return MDN(http, base_address(context, http, "https://developer.mozilla.org"), locale)


CARD = Card(
    "mdn",
    serves={QueryType.LIBRARY_DOCS: 0.10},
    make=_make,
    description="the web platform: HTML, CSS, JavaScript, browsers",
    requires=(Package("aiohttp"),),
    form=Form.KEYWORD,
    keyless=True,
    options=("locale",),
)
