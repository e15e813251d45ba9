"""The guards: each looks at two questions and may forbid that the one gets the other's answer."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from encyclopedia.engine.guards.order import swapped, turned
from encyclopedia.engine.guards.pieces import Kind
from encyclopedia.engine.guards.question import QUANTITIES
from encyclopedia.engine.guards.tongue import tongue

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from encyclopedia.engine.guards.align import Pair
    from encyclopedia.engine.guards.question import Asked, Word
    from encyclopedia.model.wording import Wording

OPPOSING = ("un", "non", "in", "im", "ir", "il", "dis", "de", "a", "anti", "mis")
"""Beginnings that make a word its own opposite."""
ENOUGH = 3
"""Words that make a mere list of words as clear as the question when something happens."""


def languages(pair: Pair) -> bool:
    """Another script or another language."""
    (scripts, one), (others, other) = tongue(pair.a.raw), tongue(pair.b.raw)
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
    if a == b or {a, b} in ({"CAN", "WHETHER"}, {"CAN", "HOW"}):  # that one can is best told by how
        return False
    if a and b:
        return not ({a, b} <= {*QUANTITIES} | {"WHAT"} and "WHAT" in (a, b))
    asked = a or b
    if asked in {"WHAT", "HOW", "CAN", "WHETHER"} or asked in QUANTITIES:
        return False
    if asked == "WHY":
        mine = "my" in (pair.a if a else pair.b).raw.casefold().split()  # what happens to somebody is trouble
        return not mine and not any(word.base in pair.wording.trouble for word in pair.a.words) and not any(pair.a.denied)
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
    """One asks for less or for more: it has a word beside those of the other, or it asks about all and the other about one."""
    left, right = _telling(pair.left, pair), _telling(pair.right, pair)
    return bool(left) != bool(right) or _one_and_all(pair.a, pair.b) or _one_and_all(pair.b, pair.a)


def _one_and_all(a: Asked, b: Asked) -> bool:
    return bool((a.one - a.every) & (b.every - b.one))


def words(pair: Pair) -> bool:
    """Another word stands in the place of one, and no list says that the two mean the same."""
    silent = pair.wording.fluff
    if any(pair.a.words[at].base in pair.wording.trouble for at, _ in pair.pairs):
        silent |= pair.wording.remedies
    if len(pair.pairs) >= ENOUGH - 1:
        silent |= pair.wording.papers
    sides = [[word for word in side if word.base not in silent] for side in (pair.left, pair.right)]
    return not pair.pairs or all(sides)


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
    return not _telling((*pair.left, *pair.right), pair) and not _opening((*pair.left, *pair.right), pair)


def _left(pair: Pair, kind: Kind) -> list[Word]:
    return [word for word in (*pair.left, *pair.right) if word.kind is kind]


def _plain(words: Iterable[Word]) -> list[Word]:
    return [word for word in words if word.kind is Kind.WORD]


def _telling(words: Collection[Word], pair: Pair) -> list[Word]:
    """The words that say something: not those that say nothing, nor those that name the kind of what is named beside them."""
    wording, matched = pair.wording, {pair.a.words[at].base for at, _ in pair.pairs}
    silent = wording.verbs | wording.weak if matched else wording.verbs
    if len(matched) >= ENOUGH - 1:
        silent |= wording.papers | {word.base for word in _beside(words, pair) if word.base in wording.kinds}
    if all(any(name == "to" for name, _ in asked.places) for asked in (pair.a, pair.b)):
        silent |= {"convert"}
    if matched & wording.trouble:
        silent |= wording.remedies
    if pair.a.kind == pair.b.kind == "WHERE":
        silent |= wording.placing
    opening = _opening(words, pair)
    return [w for w in words if w.base in matched or not (w in opening or w.base in silent or w.key in silent)]


def _beside(words: Collection[Word], pair: Pair) -> list[Word]:
    """Those that stand right beside a word that both questions have."""
    sides = ([pair.a.words[i] for i, _ in pair.pairs], [pair.b.words[j] for _, j in pair.pairs])
    places = [{word.at for word in side} for side in sides]
    free = (pair.left, pair.right)
    return [w for w in words for side, seen in zip(free, places, strict=True) if w in side and {w.at - 1, w.at + 1} & seen]


def _opening(words: Collection[Word], pair: Pair) -> list[Word]:
    """A verb at the beginning that hardly says more than the name of the thing: ``add authentication to an app``."""
    if len(pair.pairs) < ENOUGH - 1:
        return []
    first = (*pair.a.words[:1], *pair.b.words[:1])
    return [word for word in words if word in first and word.base in pair.wording.generic]
