"""Keeps credentials out of what a source says: a service may send back the key that it was sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.ports import Key

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping

    from encyclopedia.model.outcome import Hit, Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Card

    Search = Callable[[Request], Awaitable[Reply]]

MASK = "…"
SHORTEST = 8
"""A shorter value could be a word of any text, and no service gives out such a key."""
SECRET_NAMES = ("key", "token", "secret", "authorization", "cookie", "password")


def secrets_of(card: Card, options: Mapping[str, object], secret: Callable[[str], str]) -> tuple[str, ...]:
    """The values that prove who asks: from the environment, or written into the headers or the address of its table.

    A name that stands for the host of its address is no secret.
    """
    url = str(options.get("url", ""))
    host = url.partition("//")[2].partition("/")[0]
    names = [need.name for need in (*card.requires, *card.accepts) if isinstance(need, Key)]
    values = [secret(name) for name in names if f"${{{name}}}" not in host]
    headers = options.get("headers")
    for name, value in headers.items() if isinstance(headers, dict) else ():
        if _telling(str(name)):
            values += [part for part in str(value).split() if "${" not in part]
    values += _written_into(url)
    return tuple(dict.fromkeys(value for value in values if len(value) >= SHORTEST))


def _telling(name: str) -> bool:
    return any(word in name.lower() for word in SECRET_NAMES)


def _written_into(url: str) -> list[str]:
    """The values of an address's parameters that have the name of a credential; one with a brace is filled in later."""
    if "?" not in url:
        return []
    from urllib.parse import parse_qsl

    return [value for name, value in parse_qsl(url.partition("?")[2].partition("#")[0]) if _telling(name) and "{" not in value]


class Redaction:
    """Takes some values out of texts, as they are, percent-encoded and in base64, whatever their case."""

    def __init__(self, values: Iterable[str]) -> None:
        import re

        forms = sorted({form for value in values for form in _forms(value)}, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, forms)), re.IGNORECASE)

    def text(self, text: str) -> str:
        """``text`` without the values."""
        return self._pattern.sub(MASK, text)

    def around(self, search: Search) -> Search:
        """A search whose replies and exceptions do not hold the values."""

        async def redacted(request: Request) -> Reply:
            try:
                reply = await search(request)
            except Exception as error:
                self.error(error)
                raise
            return self._reply(reply)

        return redacted

    def error(self, error: BaseException) -> None:
        """Take the values out of what an exception says, and out of those of a group."""
        error.args = tuple(self.text(arg) if isinstance(arg, str) else arg for arg in error.args)
        for member in error.exceptions if isinstance(error, BaseExceptionGroup) else ():
            self.error(member)

    def _reply(self, reply: Reply) -> Reply:
        from encyclopedia.model.outcome import Reply as Made

        if not isinstance(reply, Made):
            return reply
        from dataclasses import replace

        return replace(
            reply,
            hits=self._hits(reply.hits),
            alternatives=self._hits(reply.alternatives),
            reduced=self._any(reply.reduced),
            note=self._any(reply.note),
        )

    def _hits(self, hits: Any) -> Any:
        return tuple(map(self._hit, hits)) if isinstance(hits, tuple | list) else hits

    def _hit(self, hit: Hit) -> Hit:
        from dataclasses import replace

        from encyclopedia.model.outcome import Hit as Made

        if not isinstance(hit, Made):
            return hit
        fields = {name: getattr(hit, name) for name in ("title", "url", "content", "published", "version", "id", "page")}
        clean = {name: self._any(value) for name, value in fields.items()}
        return hit if clean == fields else replace(hit, **clean)

    def _any(self, value: Any) -> Any:
        return self.text(value) if isinstance(value, str) else value


def _forms(value: str) -> set[str]:
    """How a value may come back."""
    from base64 import b64encode, urlsafe_b64encode
    from urllib.parse import quote

    raw = value.encode("utf-8", "surrogateescape")
    encoded = {encode(raw).decode().rstrip("=") for encode in (b64encode, urlsafe_b64encode)}
    return {value, quote(raw, safe=""), quote(raw), *encoded}
