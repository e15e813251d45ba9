"""From the loose values of a described source to a hit."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urljoin

from encyclopedia.model.outcome import Hit
from encyclopedia_adapters.shared.hits import as_text, clean_date, clean_hit

if TYPE_CHECKING:
    from collections.abc import Mapping

WEB = ("https://", "http://")


def hit_of(name: str, raw: Mapping[str, object], base: str, markup: str) -> Hit | None:
    """The clean hit of loose values by field; one that has an id and no address is known by its id."""
    get = raw.get
    url, id = as_text(get("url")).strip(), as_text(get("id"))
    if url and not url.startswith(WEB):
        url = _joined(base, url)
    page = f"{name}:{id}" if id and not url else ""
    title, content, version = as_text(get("title"), " "), as_text(get("content"), "\n"), as_text(get("version"))
    return clean_hit(Hit(title, url, content, None, clean_date(get("published")), version, id, page), markup=markup)


def _joined(base: str, url: str) -> str:
    try:
        return urljoin(base, url)
    except ValueError:
        return ""
