"""The text of a query made safe, and cut into words that know whether they may be touched."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from encyclopedia.model.query import Token

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# Patterns stand as text and are compiled on first use: a process that only prints its help pays for none.
ESCAPES = r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))"
# Controls but white space, marks that change the direction, invisible ones, tags, surrogates. The joiners U+200C and U+200D
# stay: Persian, Indic scripts and emoji need them.
HIDDEN = (
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
QUOTES = "\"'`“«„"
# A single quote opens after a space and closes before one, so that an apostrophe is none. No pattern can run twice over a text.
QUOTED = (
    r"(?<!`)`+[^`]+`+"
    r'|"[^"]+"'
    r"|“[^“”]+”"
    r"|«[^«»]+»"
    r"|„[^„“”]+[“”]"
    r"|(?<![^\s(])'[^']+'(?![^\s),.;:!?])"
)
OPENING = "\"'`“”\u2018\u2019«»„(,;!?¿¡"
CLOSING = "\"'`“”\u2018\u2019«»„),;:!?.…"


def clean(text: str) -> tuple[str, bool]:
    """``text`` without terminal escapes, control and other hidden characters; and whether there were any."""
    if text.isascii() and text.isprintable():
        return text, False
    shown = re.sub(HIDDEN, "", re.sub(ESCAPES, "", text))
    return shown, shown != text


def compose(text: str) -> str:
    """``text`` in Unicode's composed form (NFC)."""
    if text.isascii():
        return text
    import unicodedata

    return unicodedata.normalize("NFC", text)


def quoted(text: str) -> bytes:
    """One byte for each character: 1 within a quotation or code between backticks, quotes included, else 0."""
    within = bytearray(len(text))
    if any(quote in text for quote in QUOTES):
        for match in re.finditer(QUOTED, text):
            start, end = match.span()
            within[start:end] = b"\1" * (end - start)
    return bytes(within)


def tokenise(text: str) -> tuple[Token, ...]:
    """The words of ``text`` without the punctuation around them, in order; runs of mere punctuation are none."""
    within = quoted(text)
    tokens = []
    for start, end in _chunks(text):
        first, last = _core(text, start, end)
        if first < last:
            word = text[first:last]
            tokens.append(Token(word, first, last, bool(within[first]) or _special(word)))
    return tuple(tokens)


def plain(word: str) -> bool:
    """Whether ``word`` is of lower-case ASCII letters only."""
    return word.isascii() and word.isalpha() and word.islower()


def splice(text: str, tokens: tuple[Token, ...], replacements: Mapping[str, str], mark: Callable[[str], str]) -> str:
    """``text`` with ``mark(replacement)`` right after the first unprotected token of each word in ``replacements``."""
    pieces, at, open_words = [], 0, dict(replacements)
    for token in tokens:
        if not token.protected and token.text in open_words:
            pieces += [text[at : token.end], mark(open_words.pop(token.text))]
            at = token.end
    return "".join([*pieces, text[at:]])


def _chunks(text: str) -> list[tuple[int, int]]:
    """Runs between white space; those that are only letters and commas also between the commas."""
    spans, at = [], 0
    for chunk in text.split():
        start = text.index(chunk, at)
        at = start + len(chunk)
        if "," in chunk and chunk.replace(",", "").isalpha():
            spans += [(start + match.start(), start + match.end()) for match in re.finditer("[^,]+", chunk)]
        else:
            spans.append((start, at))
    return spans


def _core(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without punctuation around it; a bracket that closes one inside the word, as in ``f(x)``, belongs to it."""
    opened, closed = text.count("(", start, end), text.count(")", start, end)
    while start < end and text[start] in OPENING:
        opened -= text[start] == "("
        start += 1
    while start < end and text[end - 1] in CLOSING:
        if text[end - 1] == ")":
            if closed <= opened:
                break
            closed -= 1
        if text.endswith("::", start, end):
            break
        end -= 1
    return start, end


def _special(word: str) -> bool:
    """Whether ``word`` is more than a plain lower-case word: an identifier, path, version, flag, capitals, another script."""
    letters = word.replace("'", "")
    return not plain(letters) and not (len(word) == 1 and word.isascii() and word.isalpha())
