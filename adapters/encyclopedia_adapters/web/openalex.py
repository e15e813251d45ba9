"""OpenAlex, a catalogue of scholarly works; a free key is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Card, Key, Package

if TYPE_CHECKING:
    from encyclopedia.model.outcome import Hit, Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Context
    from encyclopedia_adapters.shared.http import Http

MAX_LIMIT = 100
MAX_WORDS = 5000
KEY = Key("OPENALEX_API_KEY")
_FIELDS = "id,doi,display_name,publication_date,publication_year,abstract_inverted_index,primary_location,authorships"


class OpenAlex:
    """Works; ``address`` is that of the list."""

    def __init__(self, http: Http, address: str, key: str) -> None:
        self._http = http
        self._address = address
        self._key = key

    async def search(self, request: Request) -> Reply:
        """At most 100 works: title, address at doi.org or of the publisher, who wrote it, abstract, date."""
        from encyclopedia.model.outcome import Reply
        from encyclopedia_adapters.shared.http import Call
        from encyclopedia_adapters.shared.service import results, within

        pages = str(within(request.limit, MAX_LIMIT))
        params = {"search": request.text, "per-page": pages, "select": _FIELDS, "api_key": self._key}
        answer = await self._http.get_json(Call("openalex", self._address, request.timeout, params))
        hits = (_hit(work) for work in results("openalex", answer, "results") if isinstance(work, dict))
        return Reply(tuple(hit for hit in hits if hit)[: request.limit])


def _hit(work: dict[str, object]) -> Hit | None:
    from encyclopedia.model.outcome import Hit
    from encyclopedia_adapters.shared.hits import as_text, clean_hit
    from encyclopedia_adapters.shared.papers import citation, doi_url, members

    title = as_text(work.get("display_name")) or as_text(work.get("title"))
    place = work.get("primary_location")
    place = place if isinstance(place, dict) else {}
    authors = members(members(work.get("authorships"), "author"), "display_name")
    who = citation(authors, next(iter(members([place.get("source")], "display_name")), ""), work.get("publication_year"))
    raw = Hit(
        title=title,
        url=doi_url(work.get("doi")) or as_text(place.get("landing_page_url")) or as_text(work.get("id")),
        content="\n".join(part for part in (who, text_of(work.get("abstract_inverted_index"))) if part),
        published=as_text(work.get("publication_date")),
        id=as_text(work.get("id")),
    )
    return clean_hit(raw, markup="guess") if title else None


def text_of(index: object) -> str:
    """The text whose words an inverted index (word → positions) tells; at most 5000 words of it."""
    if not isinstance(index, dict):
        return ""
    placed = [
        (position, word)
        for word, positions in index.items()
        if isinstance(positions, list)
        for position in positions
        if isinstance(position, int) and 0 <= position < MAX_WORDS
    ]
    return " ".join(word for _, word in sorted(placed)[:MAX_WORDS])


def _make(context: Context) -> OpenAlex:
    from encyclopedia_adapters.shared.address import base_address
    from encyclopedia_adapters.shared.http import shared_http

    address = base_address(context, "https://api.openalex.org") + "/works"
    return OpenAlex(shared_http(context), address, context.secret(KEY.name))


CARD = Card(
    "openalex",
    serves={QueryType.GENERAL_SEARCH: 0.10},
    make=_make,
    description="scholarly works, by OpenAlex",
    requires=(Package("aiohttp"), KEY),
    form=Form.KEYWORD,
    daily_calls=1000,
)
