"""Keeps credentials out of what a source says: a service may send back the key that it was sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from encyclopedia.model.outcome import Hit, Reply
    from encyclopedia.model.plan import Request

    Search = Callable[[Request], Awaitable[Reply]]

MASK = "…"
CUT = "…"
"""What ends a text that was too long: before it may stand the beginning of a value."""
_TELLING = ("strerror", "filename", "filename2", "reason")
"""What the exceptions of the language show beside their arguments."""
_BEGINNING = 4
"""So many characters of a value tell it already."""


class Redaction:
    """Takes some values out of texts, as they are and encoded in every usual way, whatever their case."""

    def __init__(self, values: Iterable[str]) -> None:
        import re

        forms = sorted({form for value in values for form in _forms(value)}, key=len, reverse=True)
        self._folded = tuple(dict.fromkeys(form.lower() for form in forms))
        self._pattern = re.compile("|".join(map(re.escape, forms)), re.IGNORECASE)

    def text(self, text: str) -> str:
        """``text`` without the values, and without the beginning of one at which it was cut off."""
        folded = text.lower()
        if any(form in folded for form in self._folded):  # many times as fast as the pattern, and mostly the answer is no
            text = self._pattern.sub(MASK, text)
        return self._without_beginning(text) if text.endswith(CUT) else text

    def _without_beginning(self, text: str) -> str:
        kept = text[: -len(CUT)]
        folded = kept.lower()
        for form in self._folded:
            for length in range(len(form) - 1, _BEGINNING - 1, -1):
                if folded.endswith(form[:length]):
                    return kept[:-length] + CUT
        return text

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
        """Take the values out of what an exception says, and out of those of a group.

        Raises a ``RuntimeError`` with the rest of its words in the place of one that has a way of its own to say them.
        """
        if isinstance(error, BaseExceptionGroup):
            for member in error.exceptions:
                self.error(member)
            return
        error.args = tuple(map(self._told, error.args))
        for name in _TELLING:
            if isinstance(text := getattr(error, name, None), str):
                setattr(error, name, self.text(text))
        said = str(error)
        if (clean := self.text(said)) != said:
            raise RuntimeError(clean) from None

    def _told(self, value: object) -> object:
        """An argument of an exception; one that says a value becomes the text that it is shown as."""
        text = str(value)
        clean = self.text(text)
        return value if clean == text else clean

    def _reply(self, reply: Reply) -> Reply:
        from encyclopedia.model.outcome import Reply as Made

        if not isinstance(reply, Made):
            return reply

        return reply._replace(
            hits=self._hits(reply.hits),
            alternatives=self._hits(reply.alternatives),
            reduced=self._any(reply.reduced),
            note=self._any(reply.note),
        )

    def _hits(self, hits: Any) -> Any:
        return tuple(map(self._hit, hits)) if isinstance(hits, tuple | list) else hits

    def _hit(self, hit: Hit) -> Hit:

        from encyclopedia.model.outcome import Hit as Made

        if not isinstance(hit, Made):
            return hit
        fields = {name: getattr(hit, name) for name in ("title", "url", "content", "published", "version", "id", "page")}
        clean = {name: self._any(value) for name, value in fields.items()}
        return hit if clean == fields else hit._replace(**clean)

    def _any(self, value: Any) -> Any:
        return self.text(value) if isinstance(value, str) else value


def _forms(value: str) -> set[str]:
    """How a value may come back: quoted for an address, a page or a text, in base64 also as a part of something longer."""
    import json
    from base64 import b64encode
    from html import escape
    from urllib.parse import quote, quote_plus

    raw = value.encode("utf-8", "surrogateescape")
    inside = {_within(b64encode(bytes(at) + raw + bytes(3)).decode(), at, len(raw)) for at in range(3)}
    urlsafe = {text.replace("+", "-").replace("/", "_") for text in inside}
    quoted = {quote(raw, safe=""), quote(raw), quote_plus(raw), escape(value), json.dumps(value)[1:-1], repr(value)[1:-1]}
    return {value, raw.hex(), *quoted, *inside, *urlsafe}


def _within(encoded: str, before: int, length: int) -> str:
    """The characters of base64 that depend on nothing but ``length`` bytes that begin after ``before`` others."""
    return encoded[(before * 8 + 5) // 6 : (before + length) * 8 // 6]
