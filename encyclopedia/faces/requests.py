"""From what a caller passes to a query, with clear errors for what does not fit."""

from __future__ import annotations

from typing import Any

from encyclopedia.model.errors import ConfigurationError, UsageError
from encyclopedia.model.label import NAMES, Label, named
from encyclopedia.model.nearest import nearest
from encyclopedia.model.query import Query, QueryType, Scope
from encyclopedia.stages.credentials import without_credentials

SCOPES = ("sources", "corpora", "tags")
PLAIN = ("limit", "timeout", "max_tokens", "correct", "expand", "read_cache")
SHOWN = ("verbose", "explain")
NUMBERS: dict[str, tuple[tuple[type, ...], str]] = {
    "limit": ((int,), "a whole number"),
    "max_tokens": ((int,), "a whole number"),
    "timeout": ((int, float), "a number of seconds"),
}
OPTIONS = (*SCOPES, *PLAIN, *SHOWN, "type", "version")


def query_from(text: str, options: dict[str, Any]) -> tuple[Query, tuple[str, ...]]:
    """The query, and what of ``verbose`` and ``explain`` is wanted.

    Raises ``UsageError`` for an unknown option or a text that is none, ``ConfigurationError`` for an unknown query type.
    """
    if not isinstance(text, str):
        raise UsageError(f"a query is text, not {type(text).__name__}")
    for name in options:
        if name not in OPTIONS:
            raise UsageError(f"unknown option {name!r}", nearest(name, OPTIONS))
    for name, (kinds, wanted) in NUMBERS.items():
        value = options.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, kinds)):
            raise UsageError(f"{name} takes {wanted}, not {value!r}")
    sources, corpora, tags = (narrowed(name, options.get(name)) for name in SCOPES)
    scope = Scope(sources, corpora, tags, options.get("version") or "")
    given = {name: options[name] for name in PLAIN if options.get(name) is not None}
    shown = tuple(name for name in SHOWN if options.get(name))
    return Query(without_credentials(text), type=query_type(options.get("type")), scope=scope, **given), shown


def query_type(name: str | None) -> QueryType | None:
    """The query type of that name. Raises ``ConfigurationError`` with the nearest one."""
    if name is None:
        return None
    if name not in list(QueryType):
        raise ConfigurationError(f"unknown query type {name!r}", nearest(name, QueryType))
    return QueryType(name)


def label_of(name: str) -> Label:
    """The label of that name. Raises ``ConfigurationError`` with the nearest one."""
    found = named(name)
    if found is None:
        raise ConfigurationError(f"unknown label {name!r}", nearest(name, NAMES))
    return found


def narrowed(option: str, value: Any) -> tuple[str, ...]:
    """The names that narrow a search; none where nothing was given (``None`` or ``""``).

    Raises ``UsageError`` for a list without a name: who narrows to nothing must not be given everything.
    """
    found = names(value)
    if not found and value is not None and value != "":
        raise UsageError(f"{option} names none of them", f"leave {option} out to search everywhere")
    return found


def names(value: Any) -> tuple[str, ...]:
    """Names from a comma list or a sequence, without blanks and repetitions, in order."""
    parts = value.split(",") if isinstance(value, str) else list(value or ())
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))
