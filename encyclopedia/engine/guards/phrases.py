"""Turns of phrase and short names in the form in which questions are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.engine.guards.pieces import Kind, Piece

if TYPE_CHECKING:
    from collections.abc import Iterator

    from encyclopedia.model.wording import Phrase, Wording

START = "^"
"""Ends a phrase that is one only where the question begins with it."""
VERSION_WORDS = frozenset(("version", "ver", "v"))


def rephrased(found: list[Piece], wording: Wording) -> list[Piece]:
    """The pieces with short names spelt out, names in two parts joined, and phrases replaced by what stands for them."""
    return list(_phrases(list(_joined(list(_spelt_out(found, wording)), wording)), wording))


def _spelt_out(found: list[Piece], wording: Wording) -> Iterator[Piece]:
    """Each piece, or the words that it is short for if it can mean only one thing."""
    for at, piece in enumerate(found):
        figure = at + 1 < len(found) and found[at + 1].kind in (Kind.NUMBER, Kind.VERSION)
        if piece.kind is not Kind.WORD:
            yield piece
        elif not (figure and piece.key in VERSION_WORDS):
            meaning = wording.spelt.get(piece.key)
            yield from (Piece(word) for word in meaning) if meaning else (piece,)


def _joined(found: list[Piece], wording: Wording) -> Iterator[Piece]:
    """Each piece, or two that are one name: ``web pack``."""
    at = 0
    while at < len(found):
        both = found[at : at + 2]
        name = both[0].key + both[-1].key
        if len(both) == 2 and name in wording.names and all(p.kind is Kind.WORD for p in both):  # noqa: PLR2004 - two
            yield Piece(name, capital=both[0].capital)
            at += 2
        else:
            yield found[at]
            at += 1


def _phrases(found: list[Piece], wording: Wording) -> Iterator[Piece]:
    """The longest phrase that begins at each place."""
    at = 0
    while at < len(found):
        phrase, instead = _phrase(found, at, wording)
        if phrase:
            yield from (Piece(word, Kind.NUMBER if word.isdigit() else Kind.WORD) for word in instead)
            at += len(phrase)
        else:
            yield found[at]
            at += 1


def _phrase(found: list[Piece], at: int, wording: Wording) -> tuple[Phrase, Phrase]:
    for phrase, instead in wording.phrases.get(found[at].key, ()) if found[at].kind is Kind.WORD else ():
        words = phrase[:-1] if phrase[-1] == START else phrase
        if (words is phrase or at == 0) and tuple(piece.key for piece in found[at : at + len(words)]) == words:
            return words, instead
    return (), ()
