"""arXiv, by its API that answers in Atom: a slow lane of one request every three seconds; no key needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import Garbled, Refused
from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Card, Package

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from encyclopedia.model.outcome import Hit, Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Context
    from encyclopedia_adapters.shared.http import Http
    from encyclopedia_adapters.shared.pacer import Pacer

INTERVAL = 3.0
MAX_LIMIT = 100
MAX_WORDS = 12
_ATOM = "{http://www.w3.org/2005/Atom}"
_MEDIA = ("application/atom+xml", "application/xml", "text/xml")
_PLAIN = frozenset(
    (
        *("a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "has", "how", "i", "in", "is"),
        *("it", "of", "on", "or", "that", "the", "this", "to", "use", "using", "what", "when", "where", "which", "who", "why"),
        *("with",),
    )
)


class Arxiv:
    """Papers; ``address`` is that of the query, ``pacer`` spaces the requests of all who share it."""

    def __init__(self, http: Http, address: str, pacer: Pacer) -> None:
        self._http = http
        self._address = address
        self._pacer = pacer

    async def search(self, request: Request) -> Reply:
        """Papers that hold all of the first twelve words; waiting for a turn takes at most half of the time."""
        from encyclopedia.model.outcome import Reply
        from encyclopedia_adapters.shared.http import Call
        from encyclopedia_adapters.shared.service import within
        from encyclopedia_adapters.shared.xml_body import parse_xml

        query = search_query(request.text)
        if not query:
            return Reply(note="the question holds no word that arXiv can be asked for")
        params = {
            "search_query": query,
            "start": "0",
            "max_results": str(within(request.limit, MAX_LIMIT)),
            "sortBy": "relevance",
            "sortOrder": "descending",
        }
        waited = await self._pacer.turn("arxiv", request.timeout / 2)
        call = Call("arxiv", self._address, request.timeout - waited, params, slots=1, media=_MEDIA)
        answer = await self._http.get_text(call)
        if answer.nothing_found:
            return Reply()
        feed = parse_xml("arxiv", str(answer.data))
        if feed.tag != f"{_ATOM}feed":
            raise Garbled("arxiv answered something that is not a feed")
        hits = (_hit(entry) for entry in feed.findall(f"{_ATOM}entry"))
        return Reply(tuple(hit for hit in hits if hit)[: request.limit])


def search_query(text: str) -> str:
    """The question in arXiv's language: every word that means something, anywhere in the paper."""
    import re

    words = [word.rstrip(".-") for word in re.findall(r"\w[\w.+#-]*", text.lower())]
    telling = [word for word in words if word not in _PLAIN] or words
    terms = (word if word.isalnum() else f'"{word}"' for word in dict.fromkeys(telling))
    return " AND ".join(f"all:{term}" for term in list(terms)[:MAX_WORDS])


def _hit(entry: Element) -> Hit | None:
    """One paper. A wrong request is answered with 200 and one entry that tells the error."""
    from encyclopedia.model.outcome import Hit
    from encyclopedia_adapters.shared.hits import clean_date, clean_hit
    from encyclopedia_adapters.shared.papers import citation

    address, title = _text(entry, "id"), _text(entry, "title")
    if "/api/errors" in address:
        raise Refused("arxiv did not accept the request")
    authors = [_text(author, "name") for author in entry.findall(f"{_ATOM}author")]
    summary = " ".join(_text(entry, "summary").split())
    raw = Hit(
        title=title,
        url=address,
        content="\n".join(part for part in (citation(authors), summary) if part),
        published=clean_date(_text(entry, "published")),
        id=address.rpartition("/abs/")[2],
    )
    return clean_hit(raw) if title else None


def _text(element: Element, name: str) -> str:
    return (element.findtext(_ATOM + name) or "").strip()


def _make(context: Context) -> Arxiv:
    from encyclopedia_adapters.shared.address import base_address
    from encyclopedia_adapters.shared.http import shared_http
    from encyclopedia_adapters.shared.pacer import Pacer

    pacer = context.resources.get("pacer of arxiv", lambda: Pacer(INTERVAL))
    return Arxiv(shared_http(context), base_address(context, "https://export.arxiv.org/api") + "/query", pacer)


CARD = Card(
    "arxiv",
    serves={QueryType.GENERAL_SEARCH: 0.10},
    make=_make,
    description="preprints of arXiv",
    timeout=6.0,
    requires=(Package("aiohttp"),),
    form=Form.RAW,
    keyless=True,
)
