"""The order of passages on an engine: the same combination of words and meaning as in an embedded index."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.shared.text_index import hybrid
from encyclopedia_adapters.shared.text_index.passage import Match, best_first, match

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from encyclopedia_adapters.engines.port import Engine, Scope, Words
    from encyclopedia_adapters.shared.text_index.coverage import Coverage


class Asked(NamedTuple):
    """A question: its text, its words (``None`` without any), where to look, how many passages are wanted."""

    text: str
    words: Words | None
    scope: Scope
    limit: int


def lexical(engine: Engine, asked: Asked) -> tuple[Match, ...]:
    """The best passages by their words."""
    if asked.words is None:
        return ()
    scores = engine.lexical(asked.words, asked.scope, asked.limit)
    entries = engine.entries(list(scores))
    return best_first(match(entries[ref], score) for ref, score in scores.items() if ref in entries)


def both(engine: Engine, asked: Asked, vector: NDArray[np.float32], needs: Coverage) -> tuple[Match, ...]:
    """The best passages by words and meaning: either side brings its best, each of these is then scored by both."""
    depth = max(hybrid.DEPTH, asked.limit)
    words = engine.lexical(asked.words, asked.scope, depth) if asked.words else {}
    near = engine.nearest(vector, asked.scope, depth)
    sample = list(dict.fromkeys([*list(words)[: hybrid.SAMPLE], *list(near)[: hybrid.SAMPLE]]))
    if asked.words and (others := [ref for ref in near if ref not in words]):
        words |= engine.lexical(asked.words, asked.scope, len(others), others)
    cosines = dict(near)
    if others := [ref for ref in words if ref not in near]:
        cosines |= engine.nearest(vector, asked.scope, len(others), others)
    entries = engine.entries(sample)
    weight = hybrid.weigh(asked.text, needs, entries.values())
    scores = hybrid.combined(words, {ref: ref for ref in (*words, *near)}, cosines, weight)
    ranked = sorted(scores, key=lambda ref: (-scores[ref], ref))[: asked.limit]
    entries |= engine.entries([ref for ref in ranked if ref not in entries])
    return best_first(match(entries[ref], scores[ref], cosines.get(ref)) for ref in ranked if ref in entries)
