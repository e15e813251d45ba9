"""What retrievers of other frameworks share: one search, and what their documents tell of a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.at_once import at_once
from encyclopedia.faces.report import locator_row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.faces.report import Report, Result


async def report_for(query: str, url: str, token: str, own: Mapping[str, Any], options: Mapping[str, Any]) -> Report:
    """The report of a search on this machine, made with the options ``own``, or by the service at ``url``."""
    if url:
        from encyclopedia.faces.remote import RemoteEncyclopedia

        async with RemoteEncyclopedia(url, token=token) as service:
            return await service.search(query, **options)
    from encyclopedia.faces.library import Encyclopedia

    async with Encyclopedia(**own) as encyclopedia:
        return await encyclopedia.search(query, **options)


def report_now(query: str, url: str, token: str, own: Mapping[str, Any], options: Mapping[str, Any]) -> Report:
    """As ``report_for``, waited for; also within a running event loop."""
    return at_once(lambda: report_for(query, url, token, own, options))


def told(result: Result) -> dict[str, Any]:
    """What a document tells of its result besides the text; what is not known is left out."""
    row: dict[str, Any] = {"title": result.title, "url": result.url, "source": result.source, "rank": result.rank}
    row |= {"score": result.score, "published": result.published, "version": result.version, "label": result.label}
    place = locator_row(result.locator)
    return {name: value for name, value in row.items() if value != ""} | ({"locator": place} if place else {})


def id_of(result: Result) -> str:
    """What a result is called: its address, else its place in a collection, else source and title."""
    place = result.locator
    return result.url or (f"{place.corpus}:{place.path}" if place else f"{result.source}:{result.title}")
