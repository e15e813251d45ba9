"""Semantic Scholar, a search of scholarly papers; asked only with a key, as those without share one small pool."""

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
KEY = Key("SEMANTIC_SCHOLAR_API_KEY")
_FIELDS = "title,url,abstract,year,authors,openAccessPdf,externalIds,publicationDate"


class SemanticScholar:
    """Papers; ``address`` is that of the search."""

    def __init__(self, http: Http, address: str, key: str) -> None:
        self._http = http
        self._address = address
        self._key = key

    async def search(self, request: Request) -> Reply:
        """At most 100 papers: title, address at doi.org, arXiv or here, who wrote it, abstract, date."""
        from encyclopedia.model.outcome import Reply
        from encyclopedia_adapters.shared.http import Call
        from encyclopedia_adapters.shared.service import results, within

        limit = str(within(request.limit, MAX_LIMIT))
        params = {"query": request.text, "fields": _FIELDS, "offset": "0", "limit": limit}
        headers = {"x-api-key": self._key}
        call = Call("semanticscholar", self._address, request.timeout, params, headers, slots=1)
        answer = await self._http.get_json(call)
        if isinstance(answer.data, dict) and answer.data.get("total") == 0:
            return Reply()  # without results the list may be left out
        papers = results("semanticscholar", answer, "data")
        hits = (_hit(paper) for paper in papers if isinstance(paper, dict))
        return Reply(tuple(hit for hit in hits if hit)[: request.limit])


def _hit(paper: dict[str, object]) -> Hit | None:
    from encyclopedia.model.outcome import Hit
    from encyclopedia_adapters.shared.hits import as_text, clean_hit
    from encyclopedia_adapters.shared.papers import citation, members

    title = as_text(paper.get("title"))
    who = citation(members(paper.get("authors"), "name"), year=paper.get("year"))
    raw = Hit(
        title=title,
        url=_address(paper),
        content="\n".join(part for part in (who, as_text(paper.get("abstract"))) if part),
        published=as_text(paper.get("publicationDate")),
        id=as_text(paper.get("paperId")),
    )
    return clean_hit(raw, markup="guess") if title else None


def _address(paper: dict[str, object]) -> str:
    """Where the paper itself is, so that other sources' copies of it are the same page; else its page here, else its PDF."""
    import re

    from encyclopedia_adapters.shared.hits import as_text
    from encyclopedia_adapters.shared.papers import doi_url, members

    ids = paper.get("externalIds")
    ids = ids if isinstance(ids, dict) else {}
    preprint = as_text(ids.get("ArXiv"))
    if re.fullmatch(r"(?:[a-z.-]+/)?[\d.]+\d(?:v\d+)?", preprint, re.ASCII | re.IGNORECASE):
        return f"https://arxiv.org/abs/{preprint}"
    pdf = next(iter(members([paper.get("openAccessPdf")], "url")), "")
    return doi_url(ids.get("DOI")) or as_text(paper.get("url")) or as_text(pdf)


def _make(context: Context) -> SemanticScholar:
    from encyclopedia_adapters.shared.address import base_address
    from encyclopedia_adapters.shared.http import shared_http

    address = base_address(context, "https://api.semanticscholar.org/graph/v1") + "/paper/search"
    return SemanticScholar(shared_http(context), address, context.secret(KEY.name))


CARD = Card(
    "semanticscholar",
    serves={QueryType.GENERAL_SEARCH: 0.10},
    make=_make,
    description="scholarly papers, by Semantic Scholar",
    requires=(Package("aiohttp"), KEY),
    form=Form.KEYWORD,
)
