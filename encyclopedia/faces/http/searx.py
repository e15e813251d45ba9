"""What SearXNG's clients ask for, read as leniently as SearXNG does: unknown names are left alone, odd values refused."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.faces.http.replies import JSON, Refusal
from encyclopedia.faces.http.service import body_of
from encyclopedia.faces.http.verbs import parsed
from encyclopedia.faces.requests import names
from encyclopedia.model.errors import UsageError
from encyclopedia.model.query import QueryType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from aiohttp import web

    from encyclopedia.faces.library import Encyclopedia

FORMATS = ("html", "json", "csv", "rss")
PAGE = 20
"""Results of a page."""
MOST = 100
"""Results that can be had of a query, over all pages."""
CATEGORIES: dict[str, QueryType | None] = {
    "general": None,
    "it": QueryType.LIBRARY_DOCS,
    "packages": QueryType.LIBRARY_DOCS,
    "repos": QueryType.CODE_CONTEXT,
    "news": QueryType.GENERAL_SEARCH,
    "science": QueryType.GENERAL_SEARCH,
}
"""SearXNG's names for what is searched, each with the query type that stands for it; none decides by the words."""
RANGES = {"day": 1, "week": 7, "month": 31, "year": 366}
"""Days of a time range."""
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-zA-Z]{2})?|auto|all")
_COUNTS = ("limit", "num_results", "numResults")
_PAGES = ("pageno", "pageNumber")


class Invalid(Refusal):
    """A request that SearXNG would refuse, in its words."""

    def __init__(self, message: str) -> None:
        super().__init__(400, message)


class Asked(NamedTuple):
    """A request: ``options`` are those of a search, ``category`` what its results are called, ``since`` days of age at most."""

    text: str
    format: str
    page: int = 1
    size: int = PAGE
    category: str = "general"
    options: Mapping[str, Any] = {}
    since: int = 0

    @property
    def wanted(self) -> int:
        """How many results are needed for this page and all before it."""
        return min(self.page * self.size, MOST)


async def parameters(request: web.Request) -> dict[str, str]:
    """What is given in the query string, in a form, or in a JSON body; whatever the client calls the type of its body."""
    given = {name: request.query[name] for name in request.query}
    if request.method != "POST" or not request.can_read_body:
        return given
    raw = await body_of(request)
    if request.content_type == JSON or raw.lstrip()[:1] == b"{":
        return given | _of_json(raw)
    from urllib.parse import parse_qsl

    try:
        return given | dict(parse_qsl(raw.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=100))
    except ValueError:
        return given


def _of_json(raw: bytes) -> dict[str, str]:
    try:
        body = parsed(raw)
    except UsageError:
        return {}
    told: dict[str, str] = {}
    for name, value in body.items() if isinstance(body, dict) else ():
        if isinstance(value, list):
            told[name] = ",".join(map(str, value))
        elif value is not None and not isinstance(value, dict):
            told[name] = str(value)
    return told


def asked(given: Mapping[str, str], e: Encyclopedia, default: str) -> Asked:
    """The request; ``default`` is the format of one that names none. Raises ``Invalid``."""
    form = given.get("format", "") or default
    text = given.get("q", "")
    if form not in FORMATS:
        form = "html"
    _valid(given, "language", lambda value: bool(_LANGUAGE.fullmatch(value)))
    _valid(given, "safesearch", lambda value: value in ("0", "1", "2"))
    _valid(given, "time_range", lambda value: value in RANGES)
    category, kind = _category(given)
    options: dict[str, Any] = {"type": kind} if kind else {}
    engines = [name for name in names(given.get("engines", "")) if name in usable(e)]
    if engines:
        options = {"sources": engines}
    page = max(_number(given, _PAGES, 1), 1)
    size = min(max(_number(given, _COUNTS, PAGE), 1), MOST)
    return Asked(text, form, page, size, category, options, RANGES.get(given.get("time_range", ""), 0))


def usable(e: Encyclopedia) -> frozenset[str]:
    """The sources that can be asked by name."""
    return frozenset(name for name, entry in e.engine.catalog.items() if not entry.candidate.missing)


def _category(given: Mapping[str, str]) -> tuple[str, QueryType | None]:
    """The first category that is known, and the query type that it stands for; with general among them the words decide."""
    wanted = [*names(given.get("categories", "")), *_ticked(given)]
    known = [name for name in wanted if name in CATEGORIES]
    if not known or "general" in known:
        return "general", None
    return known[0], CATEGORIES[known[0]]


def _ticked(given: Mapping[str, str]) -> Iterable[str]:
    return (name.removeprefix("category_") for name, value in given.items() if name.startswith("category_") and value == "on")


def _valid(given: Mapping[str, str], name: str, fits: Any) -> None:
    value = given.get(name, "")
    if value and not fits(value):
        raise Invalid(f"Invalid value {value[:100]} for parameter {name}")


def _number(given: Mapping[str, str], aliases: Iterable[str], default: int) -> int:
    for name in aliases:
        value = given.get(name, "")
        if value:
            if not (value.isascii() and value.isdigit() and len(value) < 9):  # noqa: PLR2004 - nobody has that many pages
                raise Invalid(f"Invalid value {value[:100]} for parameter {name}")
            return int(value)
    return default
