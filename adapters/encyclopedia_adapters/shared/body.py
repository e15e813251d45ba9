"""Bodies: writing JSON, and reading what may be too long, too deep, or not what it says."""

from __future__ import annotations

import json
import re
from typing import NoReturn, Protocol

from encyclopedia.model.errors import Garbled

MAX_DEPTH = 64
_CHUNK = 65_536
MAX_VALUES = 200_000
_JSON_TYPE = re.compile(
    r"application/(?:[\w.+-]*\+)?json|text/json|application/(?:x-)?javascript|text/javascript", re.IGNORECASE
)
_CHARSET = re.compile(
    r"(?:utf-?(?:8|16|32)|iso-?8859|latin|windows-?\d|cp\d|us-ascii|ascii|gb|big5|shift|euc|koi8)[\w-]*", re.IGNORECASE
)


class Readable(Protocol):
    """A body that comes bit by bit."""

    async def read(self, n: int, /) -> bytes:
        """At most ``n`` bytes, none at the end."""
        ...


async def read_capped(body: Readable, limit: int) -> tuple[bytes, bool]:
    """The first ``limit`` decompressed bytes, and whether that was all of them."""
    parts: list[bytes] = []
    size = 0
    while chunk := await body.read(_CHUNK):
        parts.append(chunk)
        size += len(chunk)
        if size > limit:
            return b"".join(parts)[:limit], False
    return b"".join(parts), True


def is_json_type(content_type: str) -> bool:
    """Whether the type promises JSON; a missing one promises nothing and is let through."""
    return is_type(content_type, ())


def is_type(content_type: str, media: tuple[str, ...]) -> bool:
    """Whether the type is one of ``media`` (lower case), or promises JSON if there are none; a missing one is let through."""
    plain = content_type.partition(";")[0].strip().lower()
    return not plain or (plain in media if media else _JSON_TYPE.fullmatch(plain) is not None)


def decode(raw: bytes, charset: str | None) -> str:
    """Text in the named charset, else the Unicode form that the bytes show; what does not fit becomes U+FFFD."""
    named = charset if charset and _CHARSET.fullmatch(charset) else json.detect_encoding(raw)
    try:
        return raw.decode(named, "replace").removeprefix("\ufeff")
    except LookupError:
        return raw.decode("utf-8-sig", "replace")


def encode(value: object) -> bytes:
    """The value as JSON in UTF-8; a lone surrogate, which no text may hold, becomes a question mark."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def parse_json(host: str, text: str) -> object:
    """The JSON value; ``Garbled`` when it is none, holds NaN or Infinity, is deeper than 64 or larger than 200,000 values."""
    try:
        value: object = _decoder.decode(text)
    except (ValueError, RecursionError):
        raise Garbled(f"{host} answered something that is not JSON") from None
    if text.count("[") + text.count("{") <= MAX_DEPTH and text.count(",") < MAX_VALUES - 2 * MAX_DEPTH:
        return value  # so few brackets cannot be too deep, nor so few commas too many
    level: list[object] = [value]
    depth = seen = 0
    while level:
        depth += 1
        seen += len(level)
        if depth > MAX_DEPTH or seen > MAX_VALUES:
            raise Garbled(f"{host} answered JSON that is too deep or too large")
        level = _below(level)
    return value


def _below(level: list[object]) -> list[object]:
    """The containers' members, one level down."""
    found: list[object] = []
    for value in level:
        if isinstance(value, dict):
            found.extend(value.values())
        elif isinstance(value, list):
            found.extend(value)
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


_decoder = json.JSONDecoder(parse_constant=_no_constant)
