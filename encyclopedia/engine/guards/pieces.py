"""A question cut into words, numbers, versions, dates, options and identifiers, each in the form in which it is compared."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator


class Kind(StrEnum):
    """What a piece of a question is."""

    WORD = "word"
    NUMBER = "number"
    VERSION = "version"
    DATE = "date"
    IDENTIFIER = "identifier"


class Piece(NamedTuple):
    """``key`` is what is compared; ``capital`` marks what was written like a name."""

    key: str
    kind: Kind = Kind.WORD
    capital: bool = False


APOSTROPHES = {"\u2018": "'", "\u2019": "'", "\u00b4": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": " - "}
CONTRACTED = (
    (r"\b(ca|wo)n't\b", r"\1nt"),
    (r"n't\b", " not"),
    (r"\b(what|who|where|when|how|why|it|that|there|here)'s\b", r"\1 is"),
    (r"\bi'm\b", "i am"),
    (r"'(s|re|ve|ll|d|m)\b", ""),
    (r"\be\.g\.|\bi\.e\.", " "),
    (r"(?<![=<>-])\s*[-=]>\s*", " to "),
    (r"[\u2192\u21d2]", " to "),
    (r"(?<=\w) & (?=\w)|(?<=\w)&(?=\w)", " and "),
)
AROUND = ",;:?!\"'`()[]{}\u2026\u00ab\u00bb\u201e\u00bf\u00a1\u3002\u3001\uff1f\uff01\uff0c"
NUMBERS = {
    name: str(value)
    for value, name in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
    if name != "one"
} | {"twenty": "20", "fifty": "50", "hundred": "100", "thousand": "1000", "million": "1000000", "twice": "2"}
ORDINALS = {"1": "first", "2": "second", "3": "third"}
OPTION = re.compile(r"--?[A-Za-z][\w-]*(=\S*)?$")
HEX = re.compile(r"0x[0-9a-f]+$", re.IGNORECASE)
DAY = re.compile(r"(19|20)\d\d([-/.]\d{1,2}){1,2}$|\d{1,2}[/.]\d{1,2}[/.](19|20)?\d\d$")
YEAR = re.compile(r"(19|20)\d\d$")
VERSION = re.compile(r"v?\d+(\.\d+)+([.-]?(?:a|b|rc|alpha|beta|dev|post|x)\.?\d*)?$|v\d+$|\d+(\.\d+)*\.[x*]$", re.IGNORECASE)
WHOLE = re.compile(r"[-+]?\d[\d,_]*$")
NUMBER = re.compile(r"[-+]?\d[\d,_]*(\.\d+)?$")
ORDINAL = re.compile(r"(\d+)(st|nd|rd|th)$", re.IGNORECASE)
SHAPES = (
    (OPTION, Kind.IDENTIFIER),
    (HEX, Kind.NUMBER),
    (DAY, Kind.DATE),
    (YEAR, Kind.DATE),
    (WHOLE, Kind.NUMBER),
    (VERSION, Kind.VERSION),
)
"""What a piece is by its shape; the first that fits."""
LETTERS_DIGITS = re.compile(r"([^\W\d_]+)(v?\d+(?:\.\d+)*)$")
DIGITS_LETTERS = re.compile(r"(\d+(?:\.\d+)?)([^\W\d_]+)$")
LANGUAGES = re.compile(r"([a-z](?:\+\+|#))(\d*)$", re.IGNORECASE)
CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
MOST = 400
"""Pieces of a question that are looked at: one of more is refused by being cut differently from any other."""


def pieces(text: str, known: Collection[str]) -> list[Piece]:
    """The pieces of a question in their order; ``known`` are names that are kept whole, as ``ec2`` and ``log4j``."""
    if not text.isascii():
        import unicodedata

        text = unicodedata.normalize("NFKC", text)
        text = "".join(APOSTROPHES.get(letter, letter) for letter in text)
    for pattern, replacement in CONTRACTED:
        text = re.sub(pattern, replacement, text, flags=re.IGNORECASE)
    found = [piece for chunk in text.split() for piece in _read(chunk, known)]
    return found[:MOST]


def _read(chunk: str, known: Collection[str]) -> Iterator[Piece]:
    """The pieces of what stands between two blanks."""
    core = chunk.strip(AROUND)
    if "(" in core or chunk.rstrip("?!.,;:").endswith(f"{core}()"):
        core = core.replace("()", "")
    if not core.startswith("...") and len(core) > 1:
        core = core.rstrip(".")
    if not core or core in {"-", "/", "&", "."}:
        return
    low = core.casefold()
    if (whole := _whole(core, low)) is not None:
        yield whole
    elif low.endswith(".js") and low[:-3].isalpha():
        yield Piece(f"{low[:-3]}js", Kind.WORD, capital=True)
    elif low in known:
        yield Piece(low, Kind.WORD, core != low)
    elif language := LANGUAGES.match(low):
        yield Piece(language[1])
        yield from (Piece(language[2], Kind.NUMBER),) if language[2] else ()
    else:
        yield from _parts(core, low, known)


def _whole(core: str, low: str) -> Piece | None:
    """What is no word and cannot be cut."""
    if low in NUMBERS:
        return Piece(NUMBERS[low], Kind.NUMBER)
    if ordinal := ORDINAL.match(core):
        name = ORDINALS.get(ordinal[1])
        return Piece(name) if name else Piece(ordinal[1], Kind.NUMBER)
    for pattern, kind in SHAPES:
        if pattern.match(core):
            return Piece(core if kind is Kind.IDENTIFIER else figure(low), kind)
    return None


def figure(low: str) -> str:
    """A number as it is compared: without what parts its digits, without the ``v`` of a version."""
    return low.removeprefix("v") if "." in low else low.replace(",", "").replace("_", "").lstrip("+v")


def _parts(core: str, low: str, known: Collection[str]) -> Iterator[Piece]:
    for separator in ("/", "-", ","):
        parts = core.split(separator)
        sound = len(parts) > 1 and all(part and (part[0].isalnum() or part[0] == ".") for part in parts)
        if sound and not (separator == "/" and len(parts) > SHORT_PATH):
            for part in parts:
                yield from [Piece("not")] if part.casefold() == "non" else _read(part, known)
            return
    if core.endswith("%") and NUMBER.match(core[:-1]):
        yield from (Piece(core[:-1], Kind.NUMBER), Piece("percent"))
    elif core[0] in "$\u20ac\u00a3" and NUMBER.match(core[1:]):
        yield from (Piece(core[1:].replace(",", ""), Kind.NUMBER), Piece(core[0]))
    elif mixed := LETTERS_DIGITS.match(core):
        yield Piece(mixed[1].casefold(), Kind.WORD, mixed[1] != mixed[1].lower())
        number = mixed[2].lower().removeprefix("v")
        yield Piece(number, Kind.VERSION if "." in number else Kind.NUMBER)
    elif mixed := DIGITS_LETTERS.match(core):
        yield Piece(mixed[1], Kind.NUMBER)
        yield Piece(mixed[2].casefold())
    elif core.isalpha() and not CAMEL.search(core):
        yield Piece(low, Kind.WORD, core != low)
    elif core.isalnum() and not core.isascii():
        yield Piece(low)
    else:
        # names in capitals or small letters are one; a path or an expression is what it is to the letter
        yield Piece(low if core.isalnum() else core, Kind.IDENTIFIER, capital=True)


SHORT_PATH = 3
