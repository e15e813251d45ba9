"""The retreat from fusion: sources by weight, hits in the order of their source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.ranking import Fusion, Ranked, Ranking, Share
from encyclopedia.stages.merge import in_plan_order

if TYPE_CHECKING:
    from encyclopedia.model.outcome import Hit, Outcomes


def priority(outcomes: Outcomes) -> Ranking:
    """Every hit once, the heaviest source first; what was found only by expansion comes last. A score is 1 / place."""
    asks = sorted(outcomes.plan.asks, key=lambda ask: (-ask.weight, ask.source))
    replies = {outcome.source: outcome.reply for outcome in outcomes.outcomes}
    results: dict[tuple[object, ...], Ranked] = {}
    for expansion in (False, True):
        for ask in asks:
            reply = replies.get(ask.source)
            if reply is None or not ask.weight > 0:
                continue
            for rank, hit in enumerate(reply.alternatives if expansion else reply.hits, 1):
                share = Share(ask.source, rank, ask.weight, 1 / (len(results) + 1), expansion=expansion)
                results.setdefault(_identity(hit), Ranked(hit, (share,)))
    fusion = Fusion("priority", 0.0, {ask.source: ask.weight for ask in sorted(asks, key=lambda ask: ask.source)})
    return Ranking(outcomes.plan, in_plan_order(outcomes), tuple(results.values()), fusion)


def _identity(hit: Hit) -> tuple[object, ...]:
    return (hit.url, hit.version) if hit.url else (hit.locator, hit.title, hit.content)
