"""What the results are silent about: words of the question that no result holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.stages.mention import sought, text_of

if TYPE_CHECKING:
    from encyclopedia.model.ranking import Ranking

MOST_WORDS = 10


def evidence(ranking: Ranking, *, stop_words: frozenset[str] = frozenset()) -> Ranking:
    """The ranking with the content words of the question that stand in no title, content, address or locator of what is shown.

    Shown are the first results up to the limit of the query. In the order of the question, at most 10. A word counts as found
    by its correction, one of its alternatives, a plural or another ending; a misspelt word is shown as its correction. Without
    results every content word is missing.
    """
    question = ranking.plan.question
    text = "\n".join(text_of(result.hit) for result in ranking.results[: question.query.limit])
    right = {made.original.casefold(): made.replacement for made in question.corrections}
    gap = [word.word for word in sought(question, stop_words) if not word.stands_in(text)]
    shown = dict.fromkeys(right.get(word.casefold(), word) for word in gap)
    return ranking._replace(evidence_gap=tuple(shown)[:MOST_WORDS])
