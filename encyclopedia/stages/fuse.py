"""Fusion: the lists of all sources become one, and every score can be added up again from its shares."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from encyclopedia.model.ranking import Dropped, Fusion, Ranked, Ranking, Share
from encyclopedia.stages.canonical import page_key
from encyclopedia.stages.merge import addresses_of, in_plan_order, one_copy
from encyclopedia.stages.reciprocal import Formula, distance_below_all, order, vote

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from encyclopedia.model.outcome import Hit, Outcome, Outcomes
    from encyclopedia.model.settings import FusionSettings
    from encyclopedia.stages.reciprocal import Vote

    Repeats = dict[str, list[tuple[str, Hit]]]

_REASONS = {"page": "same page", "url": "same address", "place": "same place", "text": "same text"}


def fuse(outcomes: Outcomes, *, settings: FusionSettings) -> Ranking:
    """Weighted Reciprocal Rank Fusion, one vote per source and page, at the best rank.

    With the formula ``scaled`` lists are interleaved in proportion to their weights, whereas with ``classic`` a lighter list
    sinks as a whole once weights differ by more than (k + depth) / (k + 1). Hits found only by expansion follow after all
    others, with ranks counted on from there. The order of the outcomes does not matter. Raises ``ConfigurationError`` for
    another formula or an impossible k.
    """
    weights = {ask.source: ask.weight for ask in sorted(outcomes.plan.asks, key=lambda ask: ask.source)}
    formula = Formula(settings, weights)
    heard = sorted((o for o in outcomes.outcomes if formula.hears(o.source)), key=lambda o: o.source)
    votes: dict[str, list[Vote]] = {}
    repeats: Repeats = {}
    pages = {outcome.source: _count(outcome, formula, votes, repeats) for outcome in heard}
    if settings.expansion_weight > 0:
        _count_expanded(heard, formula, votes, pages, max(1.0, 1 / settings.expansion_weight))
    results, dropped = [], []
    for key in order(votes):
        cast, repeated = votes[key], repeats.get(key, [])
        if len(cast) == 1 and not repeated:
            minus, source, rank, expansion, hit = cast[0]
            results.append(Ranked(hit, (Share(source, rank, weights[source], -minus, expansion),)))
            continue
        result = _merged(cast, repeated, weights)
        results.append(result)
        title, reason = result.hit.title, _REASONS[key.partition(":")[0]]
        dropped += [Dropped(source, hit.title, title, reason) for _, source, _, _, hit in cast[1:]]
        dropped += [Dropped(source, hit.title, title, reason) for source, hit in repeated]
    fusion = Fusion(formula.name, formula.k, weights, tuple(dropped))
    return Ranking(outcomes.plan, in_plan_order(outcomes), tuple(results), fusion)


def _count(outcome: Outcome, formula: Formula, votes: dict[str, list[Vote]], repeats: Repeats) -> list[str]:
    """The votes of a source's own list; the keys of its pages."""
    source, hits = outcome.source, outcome.reply.hits
    keys = [page_key(hit, source) for hit in hits]
    ranks = range(1, len(hits) + 1)
    for key, hit in vote(votes, source, zip(formula.scores(source, ranks), ranks, keys, hits, strict=True)):
        repeats.setdefault(key, []).append((source, hit))
    return keys


def _count_expanded(
    heard: Sequence[Outcome], formula: Formula, votes: dict[str, list[Vote]], pages: Mapping[str, list[str]], step: float
) -> None:
    """Votes for pages that a source found by other words only; a ``step`` above 1 pushes them further down."""
    expanded = [outcome for outcome in heard if outcome.reply.alternatives]
    distance = distance_below_all(formula, {o.source: len(o.reply.hits) for o in heard}, len(expanded))
    for outcome in expanded:
        source = outcome.source
        own = set(pages[source])
        keyed = [(page_key(hit, source), hit) for hit in outcome.reply.alternatives]
        start = formula.rank_at(source, distance)
        ranks = [start + math.ceil(number * step) for number in range(1, len(keyed) + 1)]
        scored = zip(formula.scores(source, ranks), ranks, keyed, strict=True)
        ballots = [(score, rank, key, hit) for score, rank, (key, hit) in scored if key not in own]
        vote(votes, source, ballots, expansion=True)


def _merged(cast: Sequence[Vote], repeated: Sequence[tuple[str, Hit]], weights: Mapping[str, float]) -> Ranked:
    hits = [each[4] for each in cast]
    addresses = addresses_of([*hits, *[hit for _, hit in repeated]] if repeated else hits)
    shares = [Share(source, rank, weights[source], -minus, expansion) for minus, source, rank, expansion, _ in cast]
    return Ranked(one_copy(hits, addresses), tuple(shares))
