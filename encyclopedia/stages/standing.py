"""How far down the list of a local collection stands that hardly fits the question."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from encyclopedia.model.outcome import Outcome
    from encyclopedia.stages.mention import Mentions

WEAK = 0.55
"""A collection that mentions no more than this part of what the best one does is weak: half, titles aside."""
HEAD = 3
"""Hits by which a collection is judged."""


def standing(heard: Sequence[Outcome], mentions: Mentions, *, behind: int) -> dict[str, int]:
    """By how many places each source's list is moved down: ``behind`` or none.

    A local collection answers with whatever shares a word with the question, be it the wrong collection altogether; beside one
    that fits, it is counted from further down. Services that answer with addresses know more than words; they are not judged.
    """
    fits = {outcome.source: _fit(outcome, mentions) for outcome in heard}
    least = WEAK * max((fit for fit in fits.values() if fit is not None), default=0.0)
    return {source: behind if fit is not None and fit <= least and least else 0 for source, fit in fits.items()}


def _fit(outcome: Outcome, mentions: Mentions) -> float | None:
    """The best share of words that one of the first passages mentions; ``None`` for what is no local collection."""
    passages = [mentions.share(hit) for hit in outcome.reply.hits[:HEAD] if hit.locator is not None]
    return max(passages, default=None)
