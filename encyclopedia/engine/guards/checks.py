"""The guards: each looks at two questions and may forbid that the one gets the other's answer."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from encyclopedia.engine.guards.order import swapped, turned
from encyclopedia.engine.guards.pieces import Kind
from encyclopedia.engine.guards.tongue import tongue

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from encyclopedia.engine.guards.align import Pair
    from encyclopedia.engine.guards.question import Asked, Word
    from encyclopedia.model.wording import Wording

OPPOSING = ("un", "non", "in", "im", "ir", "il", "dis", "de", "a", "anti", "mis")
"""Beginnings that make a word its own opposite."""
QUANTITIES = frozenset(("AMOUNT", "DURATION", "FREQUENCY", "DISTANCE", "SIZE", "SPEED", "AGE", "LATE", "EARLY"))
ENOUGH = 3
"""Words that make a mere list of words as clear as the question when something happens."""


def languages(pair: Pair) -> bool:
    """Another script or another language."""
    (scripts, one), (others, other) = tongue(pair.a.text), tongue(pair.b.text)
    return scripts != others or bool(one and other and one != other)


def versions(pair: Pair) -> bool:
    """Another version, or a version that only one of them names."""
    return bool(_left(pair, Kind.VERSION))


def dates(pair: Pair) -> bool:
    """Another day, month, year or span of time."""
    return bool(_left(pair, Kind.DATE)) or any(word.base in pair.wording.times for word in (*pair.left, *pair.right))


def numbers(pair: Pair) -> bool:
    """Another number, or the same numbers with other things."""
    if _left(pair, Kind.NUMBER):
        return True
    there = dict(pair.pairs)
    mine, theirs = _bound(pair.a), _bound(pair.b)
    if len(set(mine.values())) < 2:  # noqa: PLR2004 - one number cannot be mistaken for another
        return False
    return any(at in there and there[at] in theirs and there.get(owner) != theirs[there[at]] for at, owner in mine.items())


def _bound(asked: Asked) -> dict[int, int]:
    """The place of each number with that of the word before it."""
    figures = (Kind.NUMBER, Kind.VERSION, Kind.DATE)
    return {
        at: at - 1
        for at in range(1, len(asked.words))
        if asked.words[at].kind in figures and asked.words[at - 1].kind is Kind.WORD
    }


def negation(pair: Pair) -> bool:
    """One of them denies what the other does not."""
    a, b = pair.a.denied, pair.b.denied
    if len(a) != len(b):
        return True
    if Counter(a) == Counter(b):
        return False
    mine = [{_bases(word, pair.wording) for word in side} for side in (a, b)]
    return not all(any(x & y for y in mine[1]) for x in mine[0])


def _bases(word: str, wording: Wording) -> frozenset[object]:
    return frozenset((word, *wording.same.get(word, ())))


def polarity(pair: Pair) -> bool:
    """A word of the one is the opposite of a word of the other."""
    return any(opposed(x, y, pair.wording) for x in _plain(pair.left) for y in _plain(pair.right))


def opposed(x: Word, y: Word, wording: Wording) -> bool:
    """Whether two words say the contrary, by the list or by a prefix such as ``un``."""
    listed = {
        word: wording.opposites.get(word.base, frozenset()) | wording.opposites.get(word.key, frozenset()) for word in (x, y)
    }
    if y.base in listed[x] or x.base in listed[y] or y.key in listed[x] or x.key in listed[y]:
        return True
    short, long = sorted((x.base, y.base), key=len)
    return len(short) > 2 and any(long == prefix + short for prefix in OPPOSING)  # noqa: PLR2004 - a word


def question(pair: Pair) -> bool:
    """One asks why, the other how; one whether, the other when."""
    a, b = pair.a.kind, pair.b.kind
    if a == b:
        return False
    if a and b:
        return not ({a, b} <= QUANTITIES | {"WHAT"} and "WHAT" in (a, b))
    asked = a or b
    if asked in {"WHAT", "HOW", "CAN"} or asked in QUANTITIES:
        return False
    if asked == "WHY":
        return not any(word.base in pair.wording.trouble for word in pair.a.words) and not any(pair.a.denied)
    return not (asked == "WHEN" and len(pair.pairs) >= ENOUGH)


def identifiers(pair: Pair) -> bool:
    """Another option, function, path or error."""
    return bool(_left(pair, Kind.IDENTIFIER))


def names(pair: Pair) -> bool:
    """Another product, library, place or person, or one that only one of them names."""
    return any(word.name and word.base not in pair.wording.weak for word in _plain((*pair.left, *pair.right)))


def direction(pair: Pair) -> bool:
    """From here to there, and from there to here."""
    return turned(pair)


def roles(pair: Pair) -> bool:
    """Who does it and to whom it is done have changed places."""
    return swapped(pair)


def scope(pair: Pair) -> bool:
    """One asks for less or for more: it has a word beside those of the other."""
    left, right = _telling(pair.left, pair), _telling(pair.right, pair)
    return bool(left) != bool(right)


def words(pair: Pair) -> bool:
    """Another word stands in the place of one, and no list says that the two mean the same."""
    if not pair.pairs or (_telling(pair.left, pair) and _telling(pair.right, pair)):
        return True
    verbs = pair.wording.verbs
    return any(w.base in verbs for w in pair.left) and any(w.base in verbs for w in pair.right)


GUARDS: Mapping[str, Callable[[Pair], bool]] = {
    "language": languages,
    "versions": versions,
    "dates": dates,
    "numbers": numbers,
    "negation": negation,
    "polarity": polarity,
    "question": question,
    "identifiers": identifiers,
    "direction": direction,
    "roles": roles,
    "names": names,
    "scope": scope,
    "words": words,
}
"""Every guard by its name, in the order in which they are asked; the first that forbids gives its name to the refusal."""


def refusal(pair: Pair, guards: Collection[str]) -> str:
    """The name of the first guard of ``guards`` that forbids, or nothing."""
    return next((name for name, forbids in GUARDS.items() if name in guards and forbids(pair)), "")


def same_words(pair: Pair) -> bool:
    """Whether the two ask about the same: no word that says something is left over on either side."""
    return not _telling((*pair.left, *pair.right), pair)


def _left(pair: Pair, kind: Kind) -> list[Word]:
    return [word for word in (*pair.left, *pair.right) if word.kind is kind]


def _plain(words: Iterable[Word]) -> list[Word]:
    return [word for word in words if word.kind is Kind.WORD]


def _telling(words: Iterable[Word], pair: Pair) -> list[Word]:
    """The words that say something: not those that say nothing, nor those that name the kind of what is named beside them."""
    wording, enough = pair.wording, len(pair.pairs) >= ENOUGH - 1
    silent = wording.weak | wording.kinds if enough else wording.verbs
    said = {pair.a.words[at].base for at, _ in pair.pairs}
    return [word for word in words if word.base in said or (word.base not in silent and word.key not in silent)]
