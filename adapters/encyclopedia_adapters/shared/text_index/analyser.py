"""From text to index terms: one analyser for documents and for queries."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING
from unicodedata import normalize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

VERSION = 1
"""Raised with every change of what this module returns: an index made with another version is rebuilt."""

LONGEST = 64
"""Characters kept of a term; what is longer is a blob (base64, a digest, a minified line) that nobody types."""

_CUT = 2 * LONGEST

# Scripts written without spaces between words: they are cut into overlapping pairs of characters.
_UNSPACED = (
    "\u0e01-\u0e4e\u0e81-\u0ede\u1000-\u109f\u1780-\u17d3\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
# Vowel signs and accents that stay separate after NFKC; ``\w`` leaves them out and would cut words in two.
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u06d6-\u06ed\u0900-\u0963\u0966-\u0dff"
    "\u0e31-\u0e4e\u0eb1-\u0ecd\u102b-\u103e\u17b4-\u17d3\u3099\u309a"
)
_WORD = r"[\w{0}]+(?:\.[\w{0}]+)*(?:\+\+|#)?|(?<![\w.])\.(?i:net)(?!\w)"


@cache
def _word(marks: str) -> re.Pattern[str]:
    """Runs of letters and digits, joined by dots where no space follows; the tail of ``c++`` and ``c#``; ``.net``."""
    return re.compile(_WORD.format(marks), re.UNICODE if marks else re.ASCII)


@cache
def _humps() -> re.Pattern[str]:
    """The humps of an identifier: ``HTTPServer2`` is HTTP, Server, 2; outside ASCII only digits and underscores part them."""
    return re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


@cache
def _pieces() -> re.Pattern[str]:
    return re.compile(rf"(?:[^\W\d_]|[{_MARKS}])+|\d+")


@cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(rf"[{_UNSPACED}]+")


@cache
def _stem() -> Callable[[str], str]:
    # Without its own cache the stemmer keeps no state between calls, so threads may share it.
    from Stemmer import Stemmer

    stem: Callable[[str], str] = Stemmer("english", 0).stemWord
    return stem


def fold(word: str) -> str:
    """The whole form of a word before stemming: NFKC, case folded, cut to ``LONGEST``."""
    return normalize("NFKC", normalize("NFKC", word).casefold())[:LONGEST]


def _bare(word: str) -> str:
    """The word without its accents; the marks of other scripts are letters, they stay."""
    return normalize("NFC", "".join(char for char in normalize("NFD", word) if not "\u0300" <= char <= "\u036f"))


def _pairs(run: re.Match[str]) -> str:
    """The characters of a run and its overlapping pairs, as words of their own."""
    text = run[0]
    return f" {' '.join(text[at : at + size] for at in range(len(text)) for size in (1, 2) if at + size <= len(text))} "


def _spread(word: str) -> Iterator[str]:
    """The word whole, then its dotted pieces, then the humps of each, so that neighbours in a text stay neighbours."""
    if word.endswith(("+", "#")) and len(word.rstrip("+#")) > 1:
        word = word.rstrip("+#")  # the end of an expression or a heading, not the name of a language
    yield word
    pieces = word.split(".")
    if len(pieces) > 1 and word.replace(".", "").isdecimal():
        yield from (".".join(pieces[:size]) for size in range(len(pieces) - 1, 1, -1))
        return
    for piece in pieces:
        if len(pieces) > 1 and piece:
            yield piece
        humps = (_humps() if piece.isascii() else _pieces()).findall(piece)
        if humps != [piece]:
            yield from (hump for hump in humps if len(hump) > 1)


def _folded(word: str) -> Iterator[str]:
    for form in _spread(word):
        folded = fold(form)
        yield folded
        if not folded.isascii() and (bare := _bare(folded)) != folded:
            yield bare


@lru_cache(maxsize=65536)
def _forms(word: str) -> str:
    return " ".join(dict.fromkeys(_folded(word)))


def stem(form: str) -> str:
    """The index term of a folded form: English words lose their endings, everything else stays."""
    return _stem()(form) if form.isascii() and form.isalpha() else form


@lru_cache(maxsize=65536)
def _terms(word: str) -> str:
    return " ".join(map(stem, _forms(word).split(" ")))


def split(text: str) -> list[str]:
    """The words of a text as they stand there, after NFKC; unspaced scripts as single characters and pairs."""
    if text.isascii():
        words = _word("").findall(text)
    else:
        words = _word(_MARKS).findall(_unspaced().sub(_pairs, normalize("NFKC", text)))
    if max(map(len, words), default=0) > _CUT:
        words = [word[:_CUT] for word in words]
    return words


def asked(text: str) -> tuple[list[str], list[str]]:
    """The words of a question, and its runs of characters of scripts that put no spaces between words."""
    if text.isascii():
        return split(text), []
    text = normalize("NFKC", text)
    runs = [word for run in _unspaced().findall(text) for word in _word(_MARKS).findall(run)]
    return split(_unspaced().sub(" ", text)), runs


def pieces(run: str, size: int = 2) -> list[str]:
    """All ``size`` characters of a run that follow one another, each once; a shorter run is one piece."""
    return list(dict.fromkeys(run[at : at + size] for at in range(max(len(run) - size, 0) + 1)))


def alphabetic(run: str) -> bool:
    """Whether the script of the run has letters, of which pairs say little: Thai, Lao, Burmese, Khmer."""
    return run[0] < "\u3000"


def terms(words: Iterable[str]) -> str:
    """The index terms of ``split`` words in order, joined by spaces; a word that occurs twice is there twice.

    Identifiers are kept whole and split at dots, underscores, digits and case; English words are stemmed (Snowball); accented
    words are there with and without accents.
    """
    return " ".join(map(_terms, words))
