"""From the loose values of foreign JSON to a clean hit."""

from __future__ import annotations

import math
from datetime import UTC, datetime

from encyclopedia.model.outcome import Hit
from encyclopedia_adapters.shared.sanitize import clean_line, clean_text, clean_url

_NAME = 200
_MEMBERS = 50
_MILLISECONDS = 1e11
_LAST_SECOND = 32_503_680_000  # the year 3000


def as_text(value: object, separator: str = ", ") -> str:
    """A JSON value as text: strings, numbers, lists of them joined; nothing for null, objects and what is not finite."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(value) if math.isfinite(value) else ""
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        members = (as_text(member, separator) for member in value[:_MEMBERS] if not isinstance(member, list))
        return separator.join(member for member in members if member)
    return ""


def clean_date(value: object) -> str:
    """An ISO 8601 date or time from an ISO or mail date, or from Unix seconds or milliseconds; empty if it is none."""
    if value is None or value == "":
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_number(value)
    text = clean_line(as_text(value), 40)
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return _from_mail_date(text)
    return text


def _from_number(value: float) -> str:
    if not 0 < value < _LAST_SECOND * 1000:
        return ""
    seconds = value / 1000 if value > _MILLISECONDS else value
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _from_mail_date(text: str) -> str:
    if text.isascii() and text.isdigit():
        return _from_number(int(text)) if len(text) >= 9 else ""  # noqa: PLR2004 - fewer digits are a year or a day
    if not text:
        return ""
    from email.utils import parsedate_to_datetime  # a local search without such a date has no use for it

    try:
        return parsedate_to_datetime(text).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""


def clean_hit(raw: Hit, *, markup: str = "text") -> Hit | None:
    """The hit with every field cleaned, ``None`` without both title and content.

    ``markup`` says what title and content are: ``text``, ``html``, or ``guess`` for a source that says nothing of it. A hit
    without a title is called by its address, else by how its content begins.
    """
    title, content = raw.title, raw.content
    if markup != "text" and ("<" in title or "<" in content or "&" in title or "&" in content):
        from encyclopedia_adapters.shared.markup import clean_html, looks_like_html

        if markup == "html" or looks_like_html(title):
            title = clean_html(title)
        if markup == "html" or looks_like_html(content):
            content = clean_html(content)
    title, content, url = clean_line(title), clean_text(content), clean_url(raw.url)
    if not title and not content:
        return None
    _, _, _, locator, published, version, id, page, relations, work, label = raw
    return Hit(
        title or clean_line(url or content, 80),
        url,
        content,
        locator,
        published and clean_date(published),
        version and clean_line(version, _NAME),
        id and clean_line(id, _NAME),
        page,
        relations,
        work,
        label,
    )
