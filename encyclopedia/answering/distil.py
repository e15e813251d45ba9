"""From what was found for a facet to the few sentences that answer it, each word for word from a passage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.answering import amount
from encyclopedia.answering.disagree import divergent
from encyclopedia.answering.rank import ranked as best_first
from encyclopedia.answering.weigh import Candidate, Weights
from encyclopedia.answering.words import content, shown, stem, stems, words
from encyclopedia.model.answer import Distillate, Findings, Intent, Quote, Statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from encyclopedia.model.answer import Facet, Link

WORDS = 150
ENOUGH = 0.55
"""Of the weight of a facet's words, what one passage with its title must hold to answer it."""
MOST_LINKS = 3
"""Relations that are told of a facet."""
TOGETHER = 0.7
"""What all cited passages together must hold."""
_MOST = {Intent.FACTUAL: 4, Intent.RELATIONAL: 4, Intent.COMPARATIVE: 4, Intent.OVERVIEW: 6}
_NEAR = 0.5
"""How good a further sentence must be, compared with the best one."""
_NEARER = 0.65
"""And how good one of a further document must be."""
_ALIKE = 0.6
"""Shared words above which two sentences say the same."""
_KINDS = frozenset(map(stem, ("pattern", "class", "function", "module", "method", "library", "tool", "approach", "style")))


def distil(facet: Facet, findings: Findings) -> Distillate:
    """The compact record of a facet. Passages are best first; what does not answer the original facet is left out."""
    weights = Weights(facet.text, findings.passages)
    fitting = [one for one in findings.passages if _fits(facet, weights, weights.held[one.id])]
    together = frozenset[str]().union(*(weights.held[one.id] for one in fitting))
    if not fitting or weights.share(together) < TOGETHER:
        everything = frozenset[str]().union(*weights.held.values())
        missing = weights.missing(together) if fitting else weights.missing(everything)
        return Distillate(facet, gaps=missing, refused=_refusal(findings, missing))
    insights = _insights(facet, findings.links)
    stated = frozenset(link.passage for link in insights)
    ranked = best_first(facet, fitting, weights, stated)
    if amount.wanted(facet.text) and not any(_counts(facet, one, weights) for one in ranked):
        return Distillate(facet, refused="no passage gives a number for it")
    chosen = _both_sides(facet, ranked) if len(facet.sides) > 1 else _varied(ranked, _MOST[facet.intent])
    chosen = _within(chosen, WORDS)
    apart = divergent(chosen, ranked)
    said = [_statement(one) for one in dict.fromkeys((*chosen, *(one for pair in apart for one in pair)))]
    held = frozenset().union(*(one.held for one in chosen))
    return Distillate(
        facet,
        tuple(said),
        tuple(dict.fromkeys(one.passage for one in (*chosen, *(one for pair in apart for one in pair)))),
        insights,
        tuple((_statement(one), _statement(other)) for one, other in apart),
        _confidence(weights.share(held), _agreeing(chosen, weights)),
        weights.missing(together),
    )


def _counts(facet: Facet, one: Candidate, weights: Weights) -> bool:
    """Whether a sentence gives a number, and is about the facet itself and not only in a passage that is."""
    return amount.given(one.text, facet.text) and weights.share(one.held | stems(one.passage.title)) >= ENOUGH


def _fits(facet: Facet, weights: Weights, held: frozenset[str]) -> bool:
    """Whether a passage holds enough of the facet, or of one side of it."""
    return weights.share(held) >= ENOUGH or any(words and words <= held for words in map(_things, facet.sides))


def _things(side: str) -> frozenset[str]:
    """The words of a side without those that only say what kind of thing it is."""
    words = frozenset(content(side))
    return words - _KINDS or words


def _refusal(findings: Findings, missing: Sequence[str]) -> str:
    if not findings.passages:
        return "nothing was found"
    return f"no passage speaks of {', '.join(missing[:5])}" if missing else "no passage holds enough of the question"


def _varied(ranked: Sequence[Candidate], most: int) -> list[Candidate]:
    """The best that are not the same again, and not far below the best."""
    chosen: list[Candidate] = []
    best = max((one.score for one in ranked), default=0.0)
    for one in ranked:
        if len(chosen) == most:
            break
        known = not chosen or one.passage.document in {other.passage.document for other in chosen}
        near = one.stated or one.score >= (_NEAR if known else _NEARER) * best
        if near and not any(_again(one, other) for other in chosen):
            chosen.append(one)
    return chosen


def _again(one: Candidate, other: Candidate) -> bool:
    """Whether two sentences say the same, or one of them is a part of the other."""
    return alike(one.held, other.held) > _ALIKE or one.text in other.text or other.text in one.text


def _lead(one: Candidate) -> str:
    """The two that a relation is between, where its sentence does not name both."""
    related = one.passage.title.rpartition(" > ")[2]
    return f"{related}: " if one.stated and not {*words(related), "and"} <= {*words(one.text), "and"} else ""


def _both_sides(facet: Facet, ranked: Sequence[Candidate]) -> list[Candidate]:
    """What speaks of both sides first, then the best of each."""
    wanted = list(map(_things, facet.sides))

    def speaks(one: Candidate, words: frozenset[str]) -> bool:
        held = one.held | stems(one.passage.title)
        return bool(words) and len(words & held) * 2 > len(words)

    both = [one for one in ranked if all(speaks(one, words) for words in wanted) and any(words & one.held for words in wanted)]
    each = [[one for one in ranked if speaks(one, words) and one not in both] for words in wanted]
    parts = [_varied(both, 2), *(_varied(side, 2 if facet.intent is Intent.COMPARATIVE else 1) for side in each)]
    best = max((one.score for one in ranked), default=0.0)
    chosen: list[Candidate] = []
    for one in (one for part in parts for one in part):
        missing = any(speaks(one, words) and not any(speaks(other, words) for other in chosen) for words in wanted)
        near = one.stated or missing or one.score >= _NEARER * best
        if near and not any(_again(one, other) for other in chosen):
            chosen.append(one)
    return chosen


def alike(one: frozenset[str], other: frozenset[str]) -> float:
    """Shared words over all words of two sentences (Jaccard)."""
    return len(one & other) / (len(one | other) or 1)


def _within(chosen: Sequence[Candidate], most: int) -> list[Candidate]:
    kept: list[Candidate] = []
    size = 0
    for one in chosen:
        size += len(one.text.split())
        if kept and size > most:
            continue
        kept.append(one)
    return kept


def _statement(one: Candidate) -> Statement:
    return Statement(f"{_lead(one)}{shown(one.text)}", (Quote(one.passage.id, one.text),))


def _insights(facet: Facet, links: Iterable[Link]) -> tuple[Link, ...]:
    """Relations between the things that the facet is about, else those at one of them."""
    about = frozenset(content(facet.text))

    def near(name: str) -> bool:
        words = frozenset(content(name))
        return bool(words) and words <= about

    found = list(links)
    both = [link for link in found if near(link.source) and near(link.target)]
    one = [link for link in found if near(link.source) != near(link.target)]
    return tuple((both if both and len(facet.sides) > 1 else (*both, *one))[:MOST_LINKS])


def _agreeing(chosen: Iterable[Candidate], weights: Weights) -> int:
    """How many documents say by themselves what is asked for."""
    said: dict[str, frozenset[str]] = {}
    for one in chosen:
        said[one.passage.document] = said.get(one.passage.document, frozenset()) | one.held
    return sum(weights.share(held) >= ENOUGH for held in said.values())


def _confidence(share: float, documents: int) -> str:
    if share >= 0.8 and documents > 1:  # noqa: PLR2004 - agreement takes two
        return "high"
    return "medium" if share >= ENOUGH else "low"
