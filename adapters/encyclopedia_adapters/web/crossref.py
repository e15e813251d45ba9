"""Crossref, the register of scholarly works; no key, but whoever asks says how they can be reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Card, Contact, Package

if TYPE_CHECKING:
    from encyclopedia.model.outcome import Hit, Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Context
    from encyclopedia_adapters.shared.http import Http

MAX_LIMIT = 100
_FIELDS = "DOI,URL,title,container-title,abstract,author,published,type"


class Crossref:
    """Works; ``address`` is that of the list, ``contact`` goes with every request."""

    def __init__(self, http: Http, address: str, contact: str) -> None:
        self._http = http
        self._address = address
        self._contact = contact

    async def search(self, request: Request) -> Reply:
        """At most 100 works: title, address at doi.org, who wrote it, abstract, date if it is known to the day."""
        from encyclopedia.model.outcome import Reply
        from encyclopedia_adapters.shared.http import Call
        from encyclopedia_adapters.shared.service import results, within

        rows = str(within(request.limit, MAX_LIMIT))
        params = {"query": request.text, "rows": rows, "select": _FIELDS}
        if "@" in self._contact:  # an address of a page is told in the User-Agent only
            params["mailto"] = self._contact
        answer = await self._http.get_json(Call("crossref", self._address, request.timeout, params, slots=1))
        hits = (_hit(item) for item in results("crossref", answer, "message", "items") if isinstance(item, dict))
        return Reply(tuple(hit for hit in hits if hit)[: request.limit])


def _hit(item: dict[str, object]) -> Hit | None:
    """One work: titles are lists and may carry markup."""
    from encyclopedia.model.outcome import Hit
    from encyclopedia_adapters.shared.hits import as_text, clean_hit
    from encyclopedia_adapters.shared.markup import clean_html
    from encyclopedia_adapters.shared.papers import citation, date_of_parts, doi_url, members

    title = clean_html(as_text(item.get("title"), ": "))
    authors = item.get("author")
    names = zip(members(authors, "given"), members(authors, "family"), strict=True)
    date, year = date_of_parts(item.get("published"))
    who = citation((" ".join(filter(None, map(as_text, name))) for name in names), item.get("container-title"), year)
    raw = Hit(
        title=title,
        url=doi_url(item.get("DOI")) or as_text(item.get("URL")),
        content="\n".join(part for part in (who, abstract_text(as_text(item.get("abstract")))) if part),
        published=date,
        id=as_text(item.get("DOI")),
    )
    return clean_hit(raw) if title else None


def abstract_text(jats: str) -> str:
    """The text of an abstract in JATS, whose elements carry a prefix: ``<jats:p>``."""
    import re

    from encyclopedia_adapters.shared.markup import clean_html

    marked = re.sub(r"</?jats:(?:p|title|sec|list-item)(?:\s[^<>]*)?/?>", "<br>", jats[:100_000])
    return clean_html(re.sub(r"</?(?:jats|mml):[\w-]+(?:\s[^<>]*)?/?>", "", marked))


def _make(context: Context) -> Crossref:
    from encyclopedia_adapters.shared.address import base_address
    from encyclopedia_adapters.shared.http import shared_http

    return Crossref(shared_http(context), base_address(context, "https://api.crossref.org") + "/works", context.contact)


CARD = Card(
    "crossref",
    serves={QueryType.GENERAL_SEARCH: 0.10},
    make=_make,
    description="scholarly works registered at Crossref",
    requires=(Package("aiohttp"), Contact()),
    form=Form.KEYWORD,
    keyless=True,
)
