"""The table that describes an HTTP API with JSON answers, read into a checked value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from encyclopedia_adapters.generic.table import TableReader, strings
from encyclopedia_adapters.generic.template import PLACEHOLDERS, placeholders

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.model.query import Form, QueryType

OPTIONS = (
    "kind", "serves", "url", "headers", "body", "results", "fields", "timeout", "form", "html", "alternatives", "description",
    "enabled",
)  # fmt: skip


@dataclass(frozen=True, slots=True, repr=False)  # there may be keys in it
class JsonTable:
    """One ``[sources.NAME]`` table of kind json.

    ``markup`` is html, text, or guess where the table does not say; ``keys`` the environment names that it needs; ``body``
    makes it a POST. ``timeout`` is in seconds.
    """

    name: str
    serves: Mapping[QueryType, float]
    url: str
    headers: Mapping[str, str]
    body: Mapping[str, object] | None
    results: str
    fields: Mapping[str, str]
    timeout: float | None
    form: Form
    markup: str
    alternatives: bool
    description: str
    keys: tuple[str, ...]


def read_table(name: str, options: Mapping[str, object]) -> JsonTable:
    """The checked table; ``ConfigurationError`` names the field at fault and the nearest that there is."""
    reader = TableReader(name, options)
    reader.known(options, OPTIONS, "")
    url, headers, body = reader.url(), reader.headers(), reader.table("body") if "body" in options else None
    asked = [word for text in (url, *strings(body)) for word in placeholders(text)]
    reader.known(asked, PLACEHOLDERS, "url: {")
    if not set(asked) - {"limit"}:
        reader.fail("url", "holds none of {query}, {library}, {version} and {repository}, so that it would ask nothing")
    return JsonTable(
        name=name,
        serves=reader.serves(),
        url=url,
        headers=headers,
        body=body,
        results=reader.path("results", reader.text("results", "@")),
        fields=reader.fields(),
        timeout=reader.timeout(),
        form=reader.form(),
        markup=reader.markup(),
        alternatives=reader.flag("alternatives"),
        description=reader.text("description", ""),
        keys=reader.environment((url, *headers.values(), *strings(body))),
    )
