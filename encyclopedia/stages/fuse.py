"""Fusion: the lists of all sources become one, and every score can be added up again from its shares."""

from __future__ import annotations

import math
from itertools import repeat
from typing import TYPE_CHECKING

from encyclopedia.model.ranking import Dropped, Fusion, Ranked, Ranking, Share
from encyclopedia.stages.canonical import page_key
from encyclopedia.stages.mention import Mentions
from encyclopedia.stages.merge import addresses_of, in_plan_order, one_copy
from encyclopedia.stages.reciprocal import Formula, distance_below_all, order, vote
from encyclopedia.stages.standing import standing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from encyclopedia.model.outcome import Hit, Outcome, Outcomes
    from encyclopedia.model.settings import FusionSettings
    from encyclopedia.stages.reciprocal import Vote

    Repeats = dict[str, list[tuple[str, Hit]]]

EXPANSION, WEAK = "expansion", "weak"
_REASONS = {"page": "same page", "url": "same address", "place": "same place", "text": "same text"}


def fuse(outcomes: Outcomes, *, settings: FusionSettings, stop_words: frozenset[str] = frozenset()) -> Ranking:
    """Weighted Reciprocal Rank Fusion, one vote per source and page, at the best rank.

    With the formula ``scaled`` lists are interleaved in proportion to their weights, whereas with ``classic`` a lighter list
    sinks as a whole once weights differ by more than (k + depth) / (k + 1). A local collection that mentions little of the
    question beside another one is counted further down; hits found only by expansion follow after all others, with ranks
    counted on from there. Of equal scores the one that mentions more words of the question, ``stop_words`` aside, stands
    first. The order of the outcomes does not matter. Raises ``ConfigurationError`` for
    another formula or an impossible k.
    """
    weights = {ask.source: ask.weight for ask in sorted(outcomes.plan.asks, key=lambda ask: ask.source)}
    formula = Formula(settings, weights)
    heard = sorted((o for o in outcomes.outcomes if formula.hears(o.source)), key=lambda o: o.source)
    votes: dict[str, list[Vote]] = {}
    repeats: Repeats = {}
    mentions, depth = Mentions(outcomes.plan.question, stop_words), outcomes.plan.depth
    down = standing(heard, mentions, behind=depth // 2)
    pages = {outcome.source: _count(outcome, down[outcome.source], formula, votes, repeats) for outcome in heard}
    if settings.expansion_weight > 0:
        last = {outcome.source: len(outcome.reply.hits) + down[outcome.source] for outcome in heard if outcome.reply.hits}
        _count_expanded(heard, formula, votes, pages, last, max(1.0, 1 / settings.expansion_weight))
    results, dropped = [], []
    for key in order(votes, mentions.share, depth):
        cast, repeated = votes[key], repeats.get(key, [])
        if len(cast) == 1 and not repeated:
            results.append(Ranked(cast[0][4], (_share(cast[0], weights),)))
            continue
        result = _merged(cast, repeated, weights)
        results.append(result)
        title, reason = result.hit.title, _REASONS[key.partition(":")[0]]
        dropped += [Dropped(source, hit.title, title, reason) for _, source, _, _, hit in cast[1:]]
        dropped += [Dropped(source, hit.title, title, reason) for source, hit in repeated]
    fusion = Fusion(formula.name, formula.k, weights, tuple(dropped))
    return Ranking(outcomes.plan, in_plan_order(outcomes), tuple(results), fusion)


def _count(outcome: Outcome, down: int, formula: Formula, votes: dict[str, list[Vote]], repeats: Repeats) -> list[str]:
    """The votes of a source's own list, counted from ``down`` places further down; the keys of its pages."""
    source, hits, kind = outcome.source, outcome.reply.hits, WEAK if down else ""
    keys = [page_key(hit, source) for hit in hits]
    ranks = range(down + 1, down + len(hits) + 1)
    ballots = zip(formula.scores(source, ranks), ranks, keys, hits, repeat(kind), strict=False)
    for key, hit in vote(votes, source, ballots):
        repeats.setdefault(key, []).append((source, hit))
    return keys


def _count_expanded(
    heard: Sequence[Outcome],
    formula: Formula,
    votes: dict[str, list[Vote]],
    pages: Mapping[str, list[str]],
    last: Mapping[str, int],
    step: float,
) -> None:
    """Votes for pages that a source found by other words only; a ``step`` above 1 pushes them further down.

    ``last`` are the last ranks of the sources' own lists.
    """
    expanded = [outcome for outcome in heard if outcome.reply.alternatives]
    distance = distance_below_all(formula, last, len(expanded))
    for outcome in expanded:
        source = outcome.source
        own = set(pages[source])
        keyed = [(page_key(hit, source), hit) for hit in outcome.reply.alternatives]
        start = formula.rank_at(source, distance)
        ranks = [start + math.ceil(number * step) for number in range(1, len(keyed) + 1)]
        scored = zip(formula.scores(source, ranks), ranks, keyed, strict=True)
        vote(votes, source, [(score, rank, key, hit, EXPANSION) for score, rank, (key, hit) in scored if key not in own])


def _merged(cast: Sequence[Vote], repeated: Sequence[tuple[str, Hit]], weights: Mapping[str, float]) -> Ranked:
    hits = [each[4] for each in cast]
    addresses = addresses_of([*hits, *[hit for _, hit in repeated]] if repeated else hits)
    return Ranked(one_copy(hits, addresses), tuple([_share(vote, weights) for vote in cast]))


def _share(vote: Vote, weights: Mapping[str, float]) -> Share:
    minus, source, rank, kind, _ = vote
    return Share(source, rank, weights[source], -minus, kind == EXPANSION, kind == WEAK)
