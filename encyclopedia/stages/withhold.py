"""The ranking without what may not be shown: results above a label, and how many they were."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from encyclopedia.model.label import Label
    from encyclopedia.model.outcome import Hit, Outcome
    from encyclopedia.model.ranking import Ranking


def withhold(ranking: Ranking, ceiling: Label) -> Ranking:
    """No hit above ``ceiling``, neither among the results nor in what the sources answered; ``withheld`` counts results."""
    results = tuple(result for result in ranking.results if result.hit.label <= ceiling)
    outcomes = tuple(_without(outcome, ceiling) for outcome in ranking.outcomes)
    return ranking._replace(results=results, outcomes=outcomes, withheld=len(ranking.results) - len(results))


def _without(outcome: Outcome, ceiling: Label) -> Outcome:
    reply = outcome.reply
    hits, alternatives = _shown(reply.hits, ceiling), _shown(reply.alternatives, ceiling)
    if len(hits) == len(reply.hits) and len(alternatives) == len(reply.alternatives):
        return outcome
    return outcome._replace(reply=reply._replace(hits=hits, alternatives=alternatives))


def _shown(hits: Sequence[Hit], ceiling: Label) -> tuple[Hit, ...]:
    return tuple(hit for hit in hits if hit.label <= ceiling)
