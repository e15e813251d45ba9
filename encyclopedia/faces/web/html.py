"""HTML from text: everything is escaped, and an address is a link only if a browser may follow it."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable

WIDTH = 340
"""Characters of a result's text that are shown."""
LEAD = 60
"""Of them, those before the first word that was asked for."""


def text(value: object) -> str:
    """The value as harmless text, in an attribute too."""
    return escape(str(value), quote=True)


def link(url: str | None, shown: str, kind: str = "") -> str:
    """A link with this text; the text alone for an address that is none of the web or of this service."""
    attribute = f' class="{kind}"' if kind else ""
    if not url or not followable(url):
        return f"<span{attribute}>{text(shown)}</span>"
    away = "" if url.startswith("/") else ' rel="noopener noreferrer nofollow"'
    return f'<a href="{text(url)}"{attribute}{away}>{text(shown)}</a>'


def followable(url: str) -> bool:
    """Whether an address is of the web, or a path of this service."""
    if url.startswith("/"):
        return not url.startswith(("//", "/\\"))
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)


def marked(value: str, words: Iterable[str]) -> str:
    """The text with the words marked wherever a word of it begins with one of them."""
    wanted = sorted({re.escape(word) for word in words if len(word) > 1}, key=len, reverse=True)
    if not wanted:
        return text(value)
    parts = re.split(rf"(?<!\w)((?:{'|'.join(wanted)})\w*)", value, flags=re.IGNORECASE)
    return "".join(f"<mark>{text(part)}</mark>" if at % 2 else text(part) for at, part in enumerate(parts))


def excerpt(value: str, words: Iterable[str]) -> str:
    """The part of a text around the first of the words, as plain text."""
    whole = " ".join(value.split())
    wanted = "|".join(re.escape(word) for word in words if len(word) > 1)
    found = re.search(rf"(?<!\w)(?:{wanted})", whole, re.IGNORECASE) if wanted else None
    begin = max(found.start() - LEAD, 0) if found and found.start() > WIDTH - LEAD else 0
    begin = whole.rfind(" ", 0, begin) + 1 if begin else 0
    part = whole[begin : begin + WIDTH]
    return f"{'… ' if begin else ''}{part}{' …' if begin + WIDTH < len(whole) else ''}"


def words_of(query: str) -> list[str]:
    """The words of a query that are worth marking."""
    return [word for word in re.findall(r"\w[\w.-]*", query) if len(word) > 2][:20]  # noqa: PLR2004 - shorter ones say nothing
