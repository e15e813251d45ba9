"""The table that describes an HTTP API with JSON answers, read into a checked value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NoReturn

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.query import Form, QueryType
from encyclopedia_adapters.generic.template import PLACEHOLDERS, environment_names, placeholders

OPTIONS = (
    "kind", "serves", "url", "headers", "body", "results", "fields", "timeout", "form", "html", "alternatives", "description",
    "enabled",
)  # fmt: skip
FIELDS = ("title", "url", "content", "published", "version", "id")
_PLAIN_PATH = re.compile(r"@|[A-Za-z_][A-Za-z0-9_]*(?:\[\d*\])?(?:\.[A-Za-z_][A-Za-z0-9_]*(?:\[\d*\])?)*")
_LONGEST_TIMEOUT = 300.0


@dataclass(frozen=True, slots=True)
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
    reader = _Reader(name, options)
    reader.known(options, OPTIONS, "")
    url, headers, body = reader.url(), reader.headers(), reader.table("body") if "body" in options else None
    asked = [word for text in (url, *_strings(body)) for word in placeholders(text)]
    reader.known(asked, PLACEHOLDERS, "url: {")
    if not set(asked) - {"limit"}:
        reader.fail("url", "holds none of {query}, {library}, {version} and {repository}, so that it would ask nothing")
    html = reader.flag("html") if "html" in options else None
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
        markup={None: "guess", True: "html", False: "text"}[html],
        alternatives=reader.flag("alternatives"),
        description=reader.text("description", ""),
        keys=reader.environment((url, *headers.values(), *_strings(body))),
    )


def _strings(value: object) -> Iterable[str]:
    """Every string inside a TOML value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for member in value.values():
            yield from _strings(member)
    elif isinstance(value, list):
        for member in value:
            yield from _strings(member)


class _Reader:
    """Reads fields of one table; every complaint names the source and the field."""

    def __init__(self, name: str, options: Mapping[str, object]) -> None:
        self._name = name
        self._options = options

    def fail(self, field: str, fault: str, hint: str = "") -> NoReturn:
        raise ConfigurationError(f"[sources.{self._name}] {field} {fault}", hint, {"source": self._name, "field": field})

    def known(self, given: Iterable[str], names: Iterable[str], prefix: str) -> None:
        for word in given:
            if word not in names:
                from difflib import get_close_matches

                near = get_close_matches(str(word), list(names), 1, 0.5)
                hint = f'did you mean "{near[0]}"?' if near else f"known are {', '.join(names)}"
                self.fail(f"{prefix}{word}", "is not known", hint)

    def text(self, field: str, default: str | None = None) -> str:
        value = self._options.get(field, default)
        if value is None:
            self.fail(field, "is missing")
        if not isinstance(value, str):
            self.fail(field, "must be a string")
        return value

    def flag(self, field: str) -> bool:
        value = self._options.get(field, False)
        if not isinstance(value, bool):
            self.fail(field, "must be true or false")
        return value

    def table(self, field: str) -> Mapping[str, object]:
        value = self._options.get(field, {})
        if not isinstance(value, Mapping):
            self.fail(field, "must be a table")
        return value

    def strings(self, field: str) -> Mapping[str, str]:
        table = self.table(field)
        for name, value in table.items():
            if not isinstance(value, str):
                self.fail(f"{field}.{name}", "must be a string")
        return {name: value for name, value in table.items() if isinstance(value, str)}

    def url(self) -> str:
        url = self.text("url")
        host = re.fullmatch(r"https?://([^/?#]+)(?:[/?#].*)?", url, re.DOTALL)
        if not host:
            self.fail("url", "must begin with http:// or https:// and name a host")
        if "@" in host[1]:
            self.fail("url", "must not carry credentials", "put them into headers, as ${NAME}")
        if placeholders(host[1]):
            self.fail("url", "must not take its host from the query")
        return url

    def headers(self) -> Mapping[str, str]:
        headers = self.strings("headers")
        for name, value in headers.items():
            if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name) or not value.isprintable():
                self.fail(f"headers.{name}", "is not a header that can be sent")
        return headers

    def environment(self, templates: Iterable[str]) -> tuple[str, ...]:
        try:
            return tuple(dict.fromkeys(name for template in templates for name in environment_names(template)))
        except ValueError as fault:
            self.fail(f"${{{fault}}}", "is not the name of an environment variable")

    def serves(self) -> Mapping[QueryType, float]:
        table = self.table("serves")
        self.known(table, [type.value for type in QueryType], "serves.")
        if not table:
            self.fail("serves", "is missing", "for example serves = { general_search = 0.3 }")
        return {QueryType(type): self.number(f"serves.{type}", weight, 1000.0) for type, weight in table.items()}

    def number(self, field: str, value: object, largest: float) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= largest:
            self.fail(field, f"must be a number from 0 to {largest:g}")
        return float(value)

    def timeout(self) -> float | None:
        if "timeout" not in self._options:
            return None
        seconds = self.number("timeout", self._options["timeout"], _LONGEST_TIMEOUT)
        if seconds == 0:
            self.fail("timeout", "must be more than 0 seconds")
        return seconds

    def form(self) -> Form:
        form = self.text("form", Form.KEYWORD.value)
        self.known([form], [form.value for form in Form], "form ")
        return Form(form)

    def fields(self) -> Mapping[str, str]:
        fields = self.strings("fields")
        self.known(fields, FIELDS, "fields.")
        if not {"title", "content"} & set(fields):
            self.fail("fields", "needs a title or a content", 'for example fields = { title = "name", url = "link" }')
        return {name: self.path(f"fields.{name}", path) for name, path in fields.items()}

    def path(self, field: str, path: str) -> str:
        """The path, checked; a plain dotted one needs no library for that, which saves loading it with every command."""
        if _PLAIN_PATH.fullmatch(path):
            return path
        from importlib.util import find_spec

        if find_spec("jmespath") is not None:
            from jmespath import compile as compile_path
            from jmespath.exceptions import JMESPathError

            try:
                compile_path(path)
            except JMESPathError:
                self.fail(field, f"is not a JMESPath expression: {path}")
        return path
