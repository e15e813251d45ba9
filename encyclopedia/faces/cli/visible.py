"""Text from outside made harmless for a terminal: what would act on it is shown instead."""

from __future__ import annotations

from functools import cache

BIDI = (0x061C, *range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070), 0xFEFF)
JOINERS = (0x200C, 0x200D)
TAGS = range(0xE0000, 0xE0080)
KEPT = (0x09, 0x0A)


def visible(text: str) -> str:
    r"""``text`` with controls, escape sequences and marks that reorder or hide text written out as ``\x1b``, ``\u202e``.

    Tabs and new lines stay, and the joiners that Indic and Persian words and emoji are made with.
    """
    return text if text.isascii() and text.isprintable() else text.translate(_table())


def one_line(text: str) -> str:
    """As ``visible``, with every run of blanks as one blank."""
    return visible(" ".join(text.split()))


def escaped(json: str) -> str:
    r"""A JSON text with the same characters in JSON's own escapes: whoever reads it gets them back as they were."""
    return json if json.isascii() and "\x7f" not in json else json.translate(_escapes())


@cache
def _escapes() -> dict[int, str]:
    import json

    return {number: json.dumps(chr(number))[1:-1] for number in _table() if number not in range(0x20)}


@cache
def _table() -> dict[int, str]:
    controls = [number for number in (*range(0x20), *range(0x7F, 0xA0)) if number not in KEPT]
    marks = [number for number in BIDI if number not in JOINERS]
    lone = range(0xD800, 0xE000)
    return {number: ascii(chr(number))[1:-1] for number in (*controls, *marks, *TAGS, *lone)}
