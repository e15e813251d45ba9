"""The ranking cut to what was asked for: so many results, so much text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from encyclopedia.model.outcome import Hit
    from encyclopedia.model.ranking import Ranked, Ranking

CHARACTERS_PER_TOKEN = 4
LONGEST_WORD = 40
FIRST_UNSPACED = 0x2E80
ELLIPSIS = "…"


def trim(ranking: Ranking) -> Ranking:
    """At most ``query.limit`` results with at most ``query.max_tokens`` of text, at 4 characters a token.

    Long contents are cut before short ones, all contents before a result is left out. One result always stays, with its
    title cut to what fits.
    """
    query = ranking.plan.query
    results = ranking.results[: query.limit]
    if query.max_tokens is not None:
        results = _to_budget(results, query.max_tokens * CHARACTERS_PER_TOKEN)
    return ranking if len(results) == len(ranking.results) and results == ranking.results else ranking._replace(results=results)


def cut(text: str, length: int) -> str:
    """Text of at most ``length`` characters, cut between words with an ellipsis; empty if not even one word fits.

    Where words are not parted by spaces, or one is very long, the cut falls inside.
    """
    if len(text) <= length:
        return text
    head = text[: max(0, length - 1)]
    if head and not text[len(head)].isspace():
        end = max((place for place, character in enumerate(head) if character.isspace()), default=0)
        if len(head) - end <= LONGEST_WORD and ord(head[-1]) < FIRST_UNSPACED:
            head = head[:end]
    return head.rstrip() + ELLIPSIS if head.strip() else ""


def _to_budget(results: Sequence[Ranked], budget: int) -> tuple[Ranked, ...]:
    kept = list(results)
    fixed = sum(_fixed(result.hit) for result in kept)
    while len(kept) > 1 and fixed > budget:
        fixed -= _fixed(kept.pop().hit)
    if not kept:
        return ()
    if fixed > budget:
        only = kept[0].hit
        title = cut(only.title, budget - fixed + len(only.title))
        return (kept[0]._replace(hit=only._replace(title=title, content="")),)
    longest = _level([len(result.hit.content) for result in kept], budget - fixed)
    return tuple([_with_content(result, cut(result.hit.content, longest)) for result in kept])


def _fixed(hit: Hit) -> int:
    place = len(hit.locator.path) + len(hit.locator.section) if hit.locator is not None else 0
    return len(hit.title) + len(hit.url) + place


def _level(lengths: Sequence[int], budget: int) -> int:
    """The length to which all contents must be cut, so that together they are within the budget."""
    left = budget
    for done, length in enumerate(sorted(lengths)):
        share = left // (len(lengths) - done)
        if length > share:
            return share
        left -= length
    return max(lengths, default=0)


def _with_content(result: Ranked, content: str) -> Ranked:
    return result if content == result.hit.content else result._replace(hit=result.hit._replace(content=content))
