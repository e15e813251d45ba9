"""Who does what to whom, and from where to where: the same words in another order may ask the opposite."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from encyclopedia.engine.guards.align import Pair
    from encyclopedia.engine.guards.question import Asked
    from encyclopedia.model.wording import Wording

LABELS = {
    "to": "to", "into": "to", "onto": "to", "from": "to",
    "in": "in", "inside": "in", "on": "in", "under": "in", "at": "in",
}  # fmt: skip
"""Prepositions of one sense; ``from`` is ``to`` the other way round."""
AFTER = 2
"""Pieces from a preposition to its noun, an article counted."""
FOR = 2
"""Words before a ``for`` that are for what follows: what stands further off belongs to them."""
Arrow = tuple[str, int, int]


def turned(pair: Pair) -> bool:
    """Whether something that goes one way in the one question goes the other way in the other."""
    there = dict(pair.pairs)
    a, b = _arrows(pair.a, pair.wording), _arrows(pair.b, pair.wording)
    seen = {(label, there[i], there[j]) for label, i, j in a if i in there and j in there}
    back = {j: i for i, j in pair.pairs}
    fronted = {there.get(0) if _fronted(pair.a, pair.b, there) else None, 0 if _fronted(pair.b, pair.a, back) else None}
    if any((label, j, i) in b and (label, i, j) not in b for label, i, j in seen if i != j and not {i, j} & fronted):
        return True
    return _against(pair, pair.a, pair.b, there, a, b) or _against(pair, pair.b, pair.a, back, b, a)


def _fronted(one: Asked, other: Asked, back: dict[int, int]) -> bool:
    """Whether the first word of a question is where all of it happens, which the other one says at its end.

    ``bash stop on error`` is ``stop on error in bash``: no arrow leads from or to the first word.
    """
    if len(other.places) <= len(one.places) or 0 not in back:
        return False
    at = other.words[back[0]].at
    return any(LABELS.get(name) == "in" and place < at and at - place <= AFTER for name, place in other.places)


def _against(pair: Pair, one: Asked, other: Asked, map: dict[int, int], own: set[Arrow], others: set[Arrow]) -> bool:
    """Whether one question says from what to what, and the other only names the two, in the other order."""
    if any(label == "to" for label, _, _ in others) or not any(
        w.base in pair.wording.turns for w in (*one.words, *other.words)
    ):
        return False
    last = {target: source for label, source, target in sorted(own) if label == "to"}
    return any(
        source in map
        and target in map
        and map[source] > map[target]
        and not _verb_between(pair, other, map[target], map[source])
        for target, source in last.items()
        if one.words[source].base not in pair.wording.turns
    )


def _verb_between(pair: Pair, asked: Asked, start: int, end: int) -> bool:
    """What stands before the verb is the tool, not where something is brought: ``terraform import a resource``."""
    return any(word.base in pair.wording.turns for word in asked.words[start + 1 : end])


def _arrows(asked: Asked, wording: Wording) -> set[Arrow]:
    """``(sense, from, to)`` for all before and the word after each preposition; what would go both ways goes neither.

    Nor does what is measured: ``7 days of logs`` are the logs of 7 days.
    """
    found: set[Arrow] = set()
    for number, (name, at) in enumerate(asked.places):
        end = asked.places[number + 1][1] if number + 1 < len(asked.places) else 10**6
        before = [i for i, word in enumerate(asked.words) if word.at < at]
        before = before[-FOR:] if name == "for" else before
        after = [i for i, word in enumerate(asked.words) if at < word.at < end][:1]
        label = LABELS.get(name, name)
        if name == "of" and before and asked.words[before[-1]].base in wording.times:
            continue
        pairs = [(j, i) if name == "from" else (i, j) for i in before for j in after]
        found |= {(label, i, j) for i, j in pairs}
    return {(label, i, j) for label, i, j in found if (label, j, i) not in found}


def swapped(pair: Pair) -> bool:
    """Whether two words changed places around a third that stayed: who does it is then who suffers it."""
    a, there = pair.a.words, dict(pair.pairs)
    for m in range(1, len(a) - 1):
        if a[m].base not in pair.wording.doers or m not in there:
            continue
        x, n, y = there.get(m - 1), there[m], there.get(m + 1)
        papers = {a[m - 1].base, a[m + 1].base} & pair.wording.papers  # nobody does anything to a tutorial
        if x is not None and y is not None and x == n + 1 and y == n - 1 and not papers:
            return True
    return _exchanged(pair)


def _exchanged(pair: Pair) -> bool:
    """Whether the words are the same, in the same places but for two that are further apart than neighbours."""
    if not pair.equal or len(pair.a.words) != len(pair.b.words):
        return False
    names = [word.base for word in pair.a.words]
    if "versus" in names:  # a comparison has no first and no second
        return False
    others = [""] * len(names)
    for i, j in pair.pairs:
        others[j] = names[i]
    moved = [at for at, (x, y) in enumerate(zip(names, others, strict=True)) if x != y]
    far = len(moved) == 2 and moved[1] - moved[0] > 1 and Counter(names) == Counter(others)  # noqa: PLR2004 - two that changed places
    return far and not _restated(pair, moved) and not any(_idle(names[at], names, pair.wording) for at in moved)


def _idle(name: str, names: list[str], wording: Wording) -> bool:
    """A word for what does nothing to anybody: a tutorial, or an error; but not ``fail`` where something else passes."""
    return name in wording.papers or (name in wording.trouble and not wording.opposites.get(name, frozenset()) & {*names})


def _restated(pair: Pair, moved: list[int]) -> bool:
    """Whether a preposition beside one of the two tells its part, so that the order does not."""
    return bool(len(pair.a.places) != len(pair.b.places) or moved[0] > moved[1])
