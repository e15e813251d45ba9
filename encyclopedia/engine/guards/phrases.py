"""Turns of phrase and short names in the form in which questions are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.engine.guards.pieces import Kind, Piece

if TYPE_CHECKING:
    from collections.abc import Iterator

    from encyclopedia.model.wording import Phrase, Wording

START = "^"
"""Ends a phrase that is one only where the question begins with it."""
VERSUS = "versus"
LABELS = frozenset(("version", "ver", "v", "code", "number"))
"""What may stand before a figure and adds nothing to it: ``exit code 137``, ``port number 80``."""
PLURAL = 4
"""Letters from which on a word may be a short name with the ``s`` of the plural."""


def rephrased(found: list[Piece], wording: Wording) -> list[Piece]:
    """The pieces with short names spelt out, names in two parts joined, and phrases replaced by what stands for them."""
    return list(_once(list(_phrases(list(_spelt_out(list(_joined(found, wording)), wording)), wording))))


def _once(found: list[Piece]) -> Iterator[Piece]:
    """Each piece, but a comparison only the first time (``a vs b comparison``), and no label of a figure."""
    seen = False
    for at, piece in enumerate(found):
        figure = at + 1 < len(found) and found[at + 1].kind in (Kind.NUMBER, Kind.VERSION)
        label = figure and piece.kind is Kind.WORD and piece.key in LABELS
        if not label and not (seen and piece.key == VERSUS):
            yield piece
        seen = seen or piece.key == VERSUS


def _spelt_out(found: list[Piece], wording: Wording) -> Iterator[Piece]:
    """Each piece, or the words that it is short for if it can mean only one thing."""
    for piece in found:
        meaning = wording.spelt.get(piece.key) or _plural(piece.key, wording) if piece.kind is Kind.WORD else None
        yield from map(_plain, meaning) if meaning else (piece,)


def _plain(word: str) -> Piece:
    return Piece(word, Kind.NUMBER if word.isdigit() else Kind.WORD)


def _plural(key: str, wording: Wording) -> Phrase | None:
    """What several of a short name are: ``apis``."""
    if len(key) < PLURAL or not key.endswith("s") or key in wording.names:
        return None
    return wording.spelt.get(key[:-1])


def _joined(found: list[Piece], wording: Wording) -> Iterator[Piece]:
    """Each piece, or two that are one name: ``web pack``."""
    at = 0
    while at < len(found):
        both = found[at : at + 2]
        name = both[0].key + both[-1].key
        words = all(piece.kind is Kind.WORD and piece.key not in wording.stop for piece in both)  # "I sort" is no isort
        if len(both) == 2 and name in wording.names and words:  # noqa: PLR2004 - two
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
            yield from map(_plain, instead)
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
