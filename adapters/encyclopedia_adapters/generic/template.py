"""Templates of a described source: ``{query}`` and its like from the request, ``${NAME}`` from the environment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from encyclopedia.model.plan import Request

PLACEHOLDERS = ("query", "limit", "library", "version", "repository")
_MARK = re.compile(r"\$\{([^{}]*)\}|\{([^{}]*)\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def environment_names(template: str) -> tuple[str, ...]:
    """The names of the environment that a template needs, in order; ``ValueError`` names one that cannot be a name."""
    names = [match[1] for match in _MARK.finditer(template) if match[1] is not None]
    for name in names:
        if not _NAME.fullmatch(name):
            raise ValueError(name)
    return tuple(dict.fromkeys(names))


def placeholders(template: str) -> tuple[str, ...]:
    """The names in plain braces."""
    return tuple(match[2] for match in _MARK.finditer(template) if match[2] is not None)


def values(request: Request) -> Mapping[str, str]:
    """What the placeholders stand for in a request."""
    return {
        "query": request.text,
        "limit": str(request.limit),
        "library": request.library,
        "version": request.version,
        "repository": request.repository,
    }


def fill(template: str, known: Mapping[str, str], secret: Callable[[str], str], encode: Callable[[str], str] = str) -> str:
    """The template with every mark replaced in one pass, each value through ``encode``; an unknown placeholder stays."""

    def replacement(match: re.Match[str]) -> str:
        if match[1] is not None:
            return encode(secret(match[1]))
        return encode(known[match[2]]) if match[2] in known else match[0]

    return _MARK.sub(replacement, template)


def filled(value: object, known: Mapping[str, str], secret: Callable[[str], str]) -> object:
    """A TOML value with its placeholders filled; ``"{limit}"`` alone becomes a number."""
    if value == "{limit}":
        return int(known["limit"])
    if isinstance(value, str):
        return fill(value, known, secret)
    if isinstance(value, Mapping):
        return {name: filled(member, known, secret) for name, member in value.items()}
    if isinstance(value, list):
        return [filled(member, known, secret) for member in value]
    return value


def percent(value: str) -> str:
    """Percent-encoded for any place in a URL; also the dots of ``.`` and ``..``, which would change the path."""
    from urllib.parse import quote

    return value.replace(".", "%2E") if value in (".", "..") else quote(value, safe="", errors="replace")
