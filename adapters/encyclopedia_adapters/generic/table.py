"""Reads the table of a described source, field by field; every complaint names the source and the field."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple, NoReturn

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.query import Form, QueryType
from encyclopedia_adapters.generic.template import environment_names, placeholders

FIELDS = ("title", "url", "content", "published", "version", "id")
COMMON = ("kind", "serves", "timeout", "form", "description", "enabled", "results", "fields", "html", "limited")
"""The options of every described source that answers with whatever its program or server prints."""
_PLAIN_PATH = re.compile(r"@|[A-Za-z_][A-Za-z0-9_]*(?:\[\d*\])?(?:\.[A-Za-z_][A-Za-z0-9_]*(?:\[\d*\])?)*")
_LONGEST_TIMEOUT = 300.0
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def strings(value: object) -> Iterable[str]:
    """Every string inside a TOML value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for member in value.values():
            yield from strings(member)
    elif isinstance(value, list):
        for member in value:
            yield from strings(member)


class Passed(NamedTuple):
    """The environment of a program: values as templates by name, and names that are passed on where they are set."""

    values: Mapping[str, str] = {}
    names: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Without values: there are keys among them, and this may come to stand in a log."""
        return f"<Passed {sorted((*self.values, *self.names))}>"


class TableReader:
    """Reads fields of one table; every complaint names the source and the field."""

    def __init__(self, name: str, options: Mapping[str, object]) -> None:
        self.name = name
        self._options = options

    def fail(self, field: str, fault: str, hint: str = "") -> NoReturn:
        """Raise ``ConfigurationError`` about a field."""
        raise ConfigurationError(f"[sources.{self.name}] {field} {fault}", hint, {"source": self.name, "field": field})

    def known(self, given: Iterable[str], names: Iterable[str], prefix: str) -> None:
        """Complain of the first word that is none of the names, naming the nearest."""
        for word in given:
            if word not in names:
                from difflib import get_close_matches

                near = get_close_matches(str(word), list(names), 1, 0.5)
                hint = f'did you mean "{near[0]}"?' if near else f"known are {', '.join(names)}"
                self.fail(f"{prefix}{word}", "is not known", hint)

    def text(self, field: str, default: str | None = None) -> str:
        """A string."""
        value = self._options.get(field, default)
        if value is None:
            self.fail(field, "is missing")
        if not isinstance(value, str):
            self.fail(field, "must be a string")
        return value

    def flag(self, field: str) -> bool:
        """A switch, off where it is not set."""
        value = self._options.get(field, False)
        if not isinstance(value, bool):
            self.fail(field, "must be true or false")
        return value

    def markup(self) -> str:
        """What title and content are: html, text, or guess where the table does not say."""
        html = self.flag("html") if "html" in self._options else None
        return {None: "guess", True: "html", False: "text"}[html]

    def names(self, field: str) -> tuple[str, ...]:
        """A list of strings, empty without the field."""
        value = self._options.get(field, [])
        if not isinstance(value, list | tuple) or not all(isinstance(member, str) for member in value):
            self.fail(field, "must be a list of strings")
        return tuple(value)

    def command(self, field: str = "command") -> tuple[str, ...]:
        """A program and its arguments; the program is a plain name or an absolute path, and never from a question."""
        command = self.names(field)
        if not command or not command[0]:
            self.fail(field, "is missing", 'for example command = ["program", "search", "{query}"]')
        if placeholders(command[0]) or environment_names(command[0]):
            self.fail(field, "must not take its program from the query or the environment")
        if any("\0" in part for part in command):
            self.fail(field, "must not hold a NUL")
        program = os.path.expanduser(command[0])
        if os.sep in program and not os.path.isabs(program):
            self.fail(field, "must name a program, or give its absolute path")
        return (program, *command[1:])

    def passed(self) -> Passed:
        """``env``: a table of templates, or a list of names."""
        if isinstance(self._options.get("env", {}), Mapping):
            passed = Passed(values=self.strings("env"))
        else:
            passed = Passed(names=self.names("env"))
        for name in (*passed.values, *passed.names):
            if not _VARIABLE.fullmatch(name):
                self.fail(f"env.{name}", "is not the name of an environment variable")
        return passed

    def limited(self) -> tuple[tuple[str, ...], ...]:
        """The patterns of ``limited``: words, ``|`` between alternatives, ``.*`` for whatever stands between two of them.

        Only these two signs, so that no text can make looking for them slow.
        """
        text = self.text("limited", "").lower()
        parts = tuple(tuple(filter(None, part.strip().split(".*"))) for part in text.split("|")) if text else ()
        if not all(parts):
            self.fail("limited", "holds an empty alternative")
        if any(set(piece) & set("\\[](){}^$+*?") for part in parts for piece in part):
            self.fail("limited", "takes words, | and .* only")
        return parts

    def table(self, field: str) -> Mapping[str, object]:
        """A table, empty where it is not set."""
        value = self._options.get(field, {})
        if not isinstance(value, Mapping):
            self.fail(field, "must be a table")
        return value

    def strings(self, field: str) -> Mapping[str, str]:
        """A table of strings."""
        table = self.table(field)
        for name, value in table.items():
            if not isinstance(value, str):
                self.fail(f"{field}.{name}", "must be a string")
        return {name: value for name, value in table.items() if isinstance(value, str)}

    def url(self) -> str:
        """The address; its host is fixed and holds no credentials."""
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
        """Headers that can be sent."""
        headers = self.strings("headers")
        for name, value in headers.items():
            if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name) or not value.isprintable():
                self.fail(f"headers.{name}", "is not a header that can be sent")
        return headers

    def environment(self, templates: Iterable[str]) -> tuple[str, ...]:
        """The names of the environment that templates need."""
        try:
            return tuple(dict.fromkeys(name for template in templates for name in environment_names(template)))
        except ValueError as fault:
            self.fail(f"${{{fault}}}", "is not the name of an environment variable")

    def serves(self) -> Mapping[QueryType, float]:
        """The weight for each type of question."""
        table = self.table("serves")
        self.known(table, [type.value for type in QueryType], "serves.")
        if not table:
            self.fail("serves", "is missing", "for example serves = { general_search = 0.3 }")
        return {QueryType(type): self.number(f"serves.{type}", weight, 1000.0) for type, weight in table.items()}

    def number(self, field: str, value: object, largest: float) -> float:
        """A number from 0 to ``largest``."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= largest:
            self.fail(field, f"must be a number from 0 to {largest:g}")
        return float(value)

    def timeout(self) -> float | None:
        """Seconds, ``None`` where it is not set."""
        if "timeout" not in self._options:
            return None
        seconds = self.number("timeout", self._options["timeout"], _LONGEST_TIMEOUT)
        if seconds == 0:
            self.fail("timeout", "must be more than 0 seconds")
        return seconds

    def form(self) -> Form:
        """The wording that the source wants."""
        form = self.text("form", Form.KEYWORD.value)
        self.known([form], [form.value for form in Form], "form ")
        return Form(form)

    def fields(self, *, needed: bool = True) -> Mapping[str, str]:
        """The path of each field of a hit; without ``needed`` there may be none at all."""
        if not needed and "fields" not in self._options:
            return {}
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
            except (JMESPathError, RecursionError):
                self.fail(field, f"is not a JMESPath expression: {path[:200]}")
        return path
