"""The order of entities: what the catalog says of them and what stands in their pages, in one score that explains itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.local.catalog.form import CARD, WHOLE, named, scope, typed, words
from encyclopedia_adapters.shared.text_index import analyser
from encyclopedia_adapters.shared.text_index.asked import COMMON
from encyclopedia_adapters.shared.text_index.coverage import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from encyclopedia.ports import Embedder
    from encyclopedia_adapters.engines.opening import Index
    from encyclopedia_adapters.shared.text_index import Match

CARD_SHARE = 0.25
"""What the card counts beside the whole page, each as a part of its best score. From .2 to .7 the gold set of 89 questions is
answered alike by words (.989 among the first five, mean reciprocal rank .961), from 0 to .3 with vectors (.989, .967)."""

NAME_SHARE = 0.5
"""What it counts that the topic names an entity whole, for the part of the topic that the name is; .25 to 1 do the same."""

DEPTH = 200
"""Entities looked at of either kind of passage."""

_LONGEST_NAME = 8
_MOST_WORDS = 64


class Wanted(NamedTuple):
    """What is looked for: a topic, other texts that count like it, and the tags (any of them) or the type to stay within."""

    topic: str
    beside: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    type: str = ""

    @property
    def text(self) -> str:
        """All words that are asked."""
        return " ".join((self.topic, *self.beside))

    def marks(self, kind: str) -> tuple[str, ...]:
        """The marks of the passages of one kind that are in scope."""
        if self.type:
            return (f"{kind}{typed(self.type)}",)
        return tuple(f"{kind}{scope(tag)}" for tag in self.tags) or (kind,)


class Ranked(NamedTuple):
    """An entity by its document, with the parts of its score.

    ``name`` is that by which the topic calls it; ``first`` is above 0 where the topic is nothing but a name of it.
    """

    document: str
    card: float = 0.0
    page: float = 0.0
    share: float = 0.0
    name: str = ""
    first: int = 0
    match: Match | None = None

    @property
    def score(self) -> float:
        """The sum of the parts."""
        return sum(points for _, points in self.parts)

    @property
    def parts(self) -> tuple[tuple[str, float], ...]:
        """Each part of the score that is not nothing."""
        name = f"name=={self.name}"
        parts = (("card", CARD_SHARE * self.card), ("page", (1 - CARD_SHARE) * self.page), (name, NAME_SHARE * self.share))
        return tuple(part for part in parts if part[1])


def rank(index: Index, wanted: Wanted, *, depth: int = DEPTH, embedder: Embedder | None = None) -> list[Ranked]:
    """All entities that share a word with what is wanted, best first; those whose name the topic is before all others.

    Scores of one kind of passage are parts of the best of that kind, so that both kinds can be added up.
    """
    found = {kind: _search(index, wanted, kind, depth, embedder) for kind in (CARD, WHOLE)}
    called = _called(index, wanted)
    ranked = []
    for document in found[CARD].keys() | found[WHOLE].keys():
        card, page = (found[kind].get(document) for kind in (CARD, WHOLE))
        name, share, first = called.get(document, ("", 0.0, 0))
        best = {kind: max((match.score for match in found[kind].values()), default=0.0) or 1.0 for kind in found}
        parts = (card.score / best[CARD] if card else 0.0, page.score / best[WHOLE] if page else 0.0)
        ranked.append(Ranked(document, *parts, share, name, first, page or card))
    return sorted(ranked, key=lambda one: (-one.first, -one.score, one.document))


def _search(index: Index, wanted: Wanted, kind: str, depth: int, embedder: Embedder | None) -> Mapping[str, Match]:
    text = _even(wanted.text) if kind == CARD else wanted.text
    matches = index.search(text, limit=depth, tags=wanted.marks(kind), embedder=embedder)
    return {match.document: match for match in matches}


def _even(text: str) -> str:
    """The text with its common words so often that they count like the others.

    A claim is one sentence: that something happens *only once* is what it says.
    """
    common = [word for word in analyser.split(text) if word.lower() in STOP_WORDS]
    return " ".join((text, *common * (round(1 / COMMON) - 1)))


def _called(index: Index, wanted: Wanted) -> dict[str, tuple[str, float, int]]:
    """Entities that are named: the name, its share of what is asked, and whether the topic is nothing else."""
    spoken = [words(text)[:_MOST_WORDS] for text in (wanted.topic, *wanted.beside)]
    runs = {" ".join(run) for text in spoken for run in _runs(text)}
    coverage, whole = index.coverage(wanted.text), " ".join(spoken[0])
    found: dict[str, tuple[str, float, int]] = {}
    marks = tuple(f"{CARD}{named(run)}" for run in runs)
    for match in index.search(wanted.text, limit=DEPTH, tags=marks) if marks else ():
        own, others = (_keys(match.data.get(name)) for name in ("own", "names"))
        keys = others | own
        shares = [(coverage.share(key), name) for key, name in keys.items() if key in runs]
        share, name = max(shares, key=lambda pair: pair[0], default=(0.0, ""))
        found[match.document] = (name, share, 2 if whole in own else int(whole in keys))
    return found


def _runs(text: Sequence[str]) -> Iterator[Sequence[str]]:
    """Neighbouring words that may be a name."""
    for size in range(1, _LONGEST_NAME + 1):
        for at in range(len(text) - size + 1):
            yield text[at : at + size]


def _keys(names: object) -> dict[str, str]:
    """Names by the words that they are made of."""
    texts = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
    return {" ".join(words(name)): name for name in texts}
