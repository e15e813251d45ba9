"""Which word of one question is which of another, and which words are left over on either side."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.engine.guards.pieces import Kind
from encyclopedia.engine.guards.question import Asked, Word, base_of
from encyclopedia.engine.guards.spelling import TYPO, knows, near

if TYPE_CHECKING:
    from collections.abc import Callable

    from encyclopedia.model.wording import Wording


class Pair(NamedTuple):
    """Two questions: ``pairs`` are the places in ``words`` that are the same, ``left`` and ``right`` the words left over."""

    a: Asked
    b: Asked
    pairs: tuple[tuple[int, int], ...]
    left: tuple[Word, ...]
    right: tuple[Word, ...]
    wording: Wording

    @property
    def equal(self) -> bool:
        """Whether no word is left over."""
        return not self.left and not self.right


def align(a: Asked, b: Asked, wording: Wording) -> Pair:
    """Match the words of two questions: to the letter, by base, by meaning, by short name, as compounds, as misspellings."""
    work = _Matching(a.words, b.words, wording)
    work.one_to_one(lambda x, y: x.kind == y.kind and x.key == y.key)
    work.one_to_one(_same_form)
    work.one_to_one(lambda x, y: _synonyms(x, y, wording))
    work.short_names()
    work.compounds()
    work.one_to_one(lambda x, y: _misspelt(x, y, wording))
    left, right = (
        tuple(words[at] for at in sorted(free)) for words, free in ((a.words, work.free[0]), (b.words, work.free[1]))
    )
    return Pair(a, b, tuple(work.pairs), left, right, wording)


def _same_form(x: Word, y: Word) -> bool:
    if {x.kind, y.kind} == {Kind.NUMBER, Kind.VERSION}:
        return x.key == y.key
    if {x.kind, y.kind} == {Kind.WORD, Kind.IDENTIFIER}:  # useEffect and useeffect
        return x.key.casefold() == y.key.casefold()
    return x.kind == y.kind == Kind.WORD and x.base == y.base


def _synonyms(x: Word, y: Word, wording: Wording) -> bool:
    if not x.kind == y.kind == Kind.WORD:
        return False
    return bool(wording.same.get(x.base, frozenset()) & wording.same.get(y.base, frozenset()))


def _misspelt(x: Word, y: Word, wording: Wording) -> bool:
    """Whether one of two is no word that anybody knows, and a slip away from the other, which is one."""
    if not x.kind == y.kind == Kind.WORD or min(len(x.key), len(y.key)) < TYPO or x.key[0] != y.key[0]:
        return False
    known = [knows(word.key, wording) for word in (x, y)]
    return known.count(True) == 1 and near(x.key, y.key)


class _Matching:
    """Two lists of words while they are matched; ``free`` are the places that are not yet."""

    def __init__(self, a: tuple[Word, ...], b: tuple[Word, ...], wording: Wording) -> None:
        self.words, self.wording = (a, b), wording
        self.free = (set(range(len(a))), set(range(len(b))))
        self.pairs: list[tuple[int, int]] = []

    def one_to_one(self, same: Callable[[Word, Word], bool]) -> None:
        a, b = self.words
        for i in sorted(self.free[0]):
            found = next((j for j in sorted(self.free[1]) if same(a[i], b[j])), None)
            if found is not None:
                self.take(((i, found),))

    def take(self, pairs: tuple[tuple[int, int], ...]) -> None:
        for i, j in pairs:
            self.pairs.append((i, j))
            self.free[0].discard(i)
            self.free[1].discard(j)

    def short_names(self) -> None:
        for side in (0, 1):
            for at in sorted(self.free[side]):
                word = self.words[side][at]
                for phrase in self.wording.short.get(word.key, ()) if word.kind is Kind.WORD else ():
                    if self._spelt_out(side, at, phrase):
                        break

    def _spelt_out(self, side: int, at: int, phrase: tuple[str, ...]) -> bool:
        """Match the word with those of the other side that it is short for, if they stand there one after the other."""
        others = self.words[1 - side]
        bases = [base_of(part, self.wording) for part in phrase]
        run = sorted(self.free[1 - side])
        for start in range(len(run) - len(bases) + 1):
            places = run[start : start + len(bases)]
            if places[-1] - places[0] == len(bases) - 1 and all(
                others[place].base == base or others[place].key == part
                for place, base, part in zip(places, bases, phrase, strict=True)
            ):
                self.take(tuple((at, place) if side == 0 else (place, at) for place in places))
                return True
        return False

    def compounds(self) -> None:
        """Words beside one another that are one on the other side: ``web pack``, or ``pg dump`` of ``pg_dump``."""
        for side in (0, 1):
            words = self.words[side]
            for size in (3, 2):
                for at in sorted(self.free[side]):
                    places = range(at, at + size)
                    if all(place in self.free[side] for place in places):
                        self._join(side, places, "".join(words[place].key for place in places))

    def _join(self, side: int, places: range, joined: str) -> None:
        base = base_of(joined, self.wording)
        for other in sorted(self.free[1 - side]):
            word = self.words[1 - side][other]
            if joined == _letters(word.key) or (base == word.base and word.kind is Kind.WORD):
                self.take(tuple((part, other) if side == 0 else (other, part) for part in places))
                return


def _letters(key: str) -> str:
    """The letters and digits of an identifier, in small letters."""
    return "".join(letter for letter in key.casefold() if letter.isalnum())
