"""One copy out of several of the same page, and the orders that do not depend on who came first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.outcome import Hit
from encyclopedia.stages.canonical import clean_url

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from encyclopedia.model.outcome import Outcome, Outcomes
    from encyclopedia.model.ranking import Ranked, Share


def heaviest_first(share: Share) -> tuple[float, str]:
    """The order of the shares of one result."""
    return -share.score, share.source


def best_first(result: Ranked) -> tuple[float, int, str]:
    """The order of results: score, then rank and name of the heaviest source, which together no two results share."""
    share = result.shares[0]
    return -result.score, share.rank, share.source


def in_plan_order(outcomes: Outcomes) -> tuple[Outcome, ...]:
    """The outcomes in the order in which their sources were planned."""
    place = {ask.source: number for number, ask in enumerate(outcomes.plan.asks)}
    return tuple(sorted(outcomes.outcomes, key=lambda outcome: (place.get(outcome.source, len(place)), outcome.source)))


def addresses_of(hits: Iterable[Hit]) -> set[str]:
    """The addresses without the place within the page."""
    urls = {hit.url for hit in hits}
    return {url.partition("#")[0] for url in urls if url} if len(urls) > 1 else urls


def one_copy(hits: Sequence[Hit], addresses: Collection[str]) -> Hit:
    """The merged copy of ``hits``, best contributor first.

    Title and name of the page come from the best, the longest content brings its locator, every other field is the first that
    is not empty, and the highest label holds. A page known by several ``addresses`` is shown by a clean one.
    """
    best = richest = hits[0]
    title, url, locator, published, version, name = best.title, best.url, None, best.published, best.version, best.id
    for hit in hits[1:]:
        if len(hit.content) > len(richest.content):
            richest = hit
        title, url, published = title or hit.title, url or hit.url, published or hit.published
        version, name, locator = version or hit.version, name or hit.id, locator or hit.locator
    if len(addresses) > 1:
        url = clean_url(url)
    locator = richest.locator or best.locator or locator
    label = max(hit.label for hit in hits)
    return Hit(title, url, richest.content, locator, published, version, name, best.page, label=label)
