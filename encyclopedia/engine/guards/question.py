"""A question as the guards see it: its kind, its words by their bases, what it denies, and what stands where."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.engine.guards.phrases import rephrased
from encyclopedia.engine.guards.pieces import Kind, Piece, pieces
from encyclopedia.engine.guards.spelling import knows, spelt
from encyclopedia.engine.guards.stem import stem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from encyclopedia.model.wording import Wording

PREPOSITIONS = frozenset(
    [
        "to",
        "into",
        "onto",
        "in",
        "inside",
        "on",
        "under",
        "at",
        "with",
        "by",
        "for",
        "of",
        "than",
        "over",
        "before",
        "after",
        "then",
        "as",
        "against",
        "per",
        "through",
        "behind",
        "from",
    ]
)
DENIALS = frozenset(["not", "without", "no", "never", "nor", "neither", "none", "cannot"])
ASKING = frozenset(["is", "are", "was", "were", "does", "did", "has", "will", "can", "could", "would"])
ONE = frozenset(["a", "an", "one", "single", "individual"])
EVERY = frozenset(["all", "every", "each", "entire", "whole"])
KEYWORDS = frozenset(["for", "while", "do", "if", "with", "is", "as", "this", "then", "from", "on"])
SYNTAX = frozenset(["loop", "loops", "statement", "statements", "clause", "clauses", "keyword", "keywords", "operator"])
"""What makes of a word of grammar before it one of a programming language: a ``while`` loop is no ``for`` loop."""
CONTENT = frozenset(["over", "before", "after"])
"""Prepositions that are also words of their own: one of them for another changes the question."""


class Word(NamedTuple):
    """``key`` as it was written, ``base`` what its forms have in common, ``at`` its place among all pieces."""

    key: str
    base: str
    kind: Kind
    at: int
    name: bool = False


class Asked(NamedTuple):
    """A question taken apart.

    ``kind`` is how it asks (``HOW``, ``WHY``, …; empty for mere words). ``words`` are what it asks about. ``denied`` holds the
    bases that are denied, ``places`` prepositions with their places, ``one`` and ``every`` the bases of what is one of its
    kind and of what is all of it, ``text`` what is turned into a vector, ``raw`` the words as they were typed.
    """

    kind: str
    words: tuple[Word, ...]
    denied: tuple[str, ...]
    places: tuple[tuple[str, int], ...]
    one: frozenset[str]
    every: frozenset[str]
    text: str
    raw: str = ""


QUANTITIES = ("AMOUNT", "DURATION", "FREQUENCY", "DISTANCE", "SIZE", "SPEED", "AGE", "LATE", "EARLY")
ORDER = (*QUANTITIES, "WHYSHOULD", "WHY", "WHENTO", "WHEN", "WHERE", "WHO", "SHOULD", "CAN")
"""The kinds that speak first where a question has several."""


def read(text: str, wording: Wording) -> Asked:
    """Take a question apart."""
    found = pieces(text, wording.whole)
    first = found[0].key if found else ""
    found = rephrased(found, wording)
    kind = _kind(found, first)
    if kind == "WHATDOES":
        kind, found = "WHAT", [piece for piece in found if piece.key not in {"mean", "means"}]
    letters = any(piece.key == "b" for piece in found)
    words, denied, places, denying = list[Word](), list[str](), list[tuple[str, int]](), False
    for at, piece in enumerate(found):
        if piece.kind is Kind.WORD and piece.key in DENIALS:
            denying = True
            continue
        keyword = piece.key in KEYWORDS and at + 1 < len(found) and found[at + 1].key in SYNTAX
        if piece.kind is Kind.WORD and piece.key in PREPOSITIONS and not keyword:
            places.append((piece.key, at))
        plain = piece.kind is Kind.WORD and not keyword
        if _marks(piece) or (plain and piece.key in wording.stop and not _named(piece, at, letters)):
            continue
        word = Word(piece.key, _base(piece, wording), piece.kind, at, _name(piece, at, wording))
        words.append(word)
        if denying:
            denied.append(word.base)
            denying = False
    if denying:
        denied.append("")
    one, every = (_under(found, words, opening) for opening in (ONE, EVERY))
    return Asked(kind, tuple(words), tuple(sorted(denied)), tuple(places), one, every, _said(found, wording), text)


def _under(found: list[Piece], words: Iterable[Word], opening: frozenset[str]) -> frozenset[str]:
    """The bases of the words that stand after one of ``opening``, up to a word of grammar."""
    bases, under, inside = {word.at: word.base for word in words}, set[str](), False
    for at, piece in enumerate(found):
        opens = piece.kind is Kind.WORD and piece.key in opening
        inside = opens or (inside and at in bases)
        if inside and not opens:
            under.add(bases[at])
    return frozenset(under)


def _kind(found: list[Piece], first: str) -> str:
    """How the question asks: as its turns of phrase tell, or its first word."""
    kinds = [piece.key for piece in found if _marks(piece)]
    kind = next((name for name in ORDER if name in kinds), kinds[0] if kinds else "")
    return kind or ("WHETHER" if first in ASKING else "")


def _marks(piece: Piece) -> bool:
    """Whether the piece tells the kind of the question: phrases put such words in capitals, and all others are small."""
    return piece.kind is Kind.WORD and piece.key.isascii() and piece.key.isupper()


def _named(piece: Piece, at: int, letters: bool) -> bool:
    """A word of grammar in capitals within a question is meant: SQL's ``IN``, the US; and ``a`` where there is a ``b``."""
    return (piece.capital and at > 0 and len(piece.key) > 1) or (letters and piece.key == "a")


def base_of(word: str, wording: Wording) -> str:
    """What the forms of a lower-case word have in common."""
    root = stem(word)
    return wording.bases.get(word) or wording.bases.get(root) or root


def _base(piece: Piece, wording: Wording) -> str:
    return base_of(piece.key, wording) if piece.kind is Kind.WORD else piece.key


def _name(piece: Piece, at: int, wording: Wording) -> bool:
    if piece.kind is not Kind.WORD:
        return False
    return piece.key in wording.names or (piece.capital and at > 0) or not knows(piece.key, wording)


def _said(found: Iterable[Piece], wording: Wording) -> str:
    """The text that is turned into a vector: words by their base where one is listed, slips of the pen put right."""
    said = []
    for piece in found:
        if _marks(piece):
            said.append(SPOKEN.get(piece.key, ""))
        elif piece.kind is Kind.WORD:
            said.append(wording.bases.get(piece.key) or spelt(piece.key, wording))
        else:
            said.append(piece.key)
    return " ".join(filter(None, said))


SPOKEN = {
    "WHY": "why", "WHYSHOULD": "why", "WHENTO": "when to", "WHEN": "when", "WHERE": "where", "WHO": "who", "SHOULD": "should",
    "AMOUNT": "how much", "DURATION": "how long", "FREQUENCY": "how often", "DISTANCE": "how far",
}  # fmt: skip
