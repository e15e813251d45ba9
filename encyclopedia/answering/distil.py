"""From what was found for a facet to the few sentences that answer it, each word for word from a passage."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from encyclopedia.answering.decompose import subject
from encyclopedia.answering.disagree import divergent
from encyclopedia.answering.sentences import is_prose, sentences
from encyclopedia.answering.weigh import Candidate, Weights
from encyclopedia.answering.words import content, shown, stem, stems
from encyclopedia.model.answer import Distillate, Findings, Intent, Quote, Statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from encyclopedia.model.answer import Facet, Link, Passage

WORDS = 150
ENOUGH = 0.55
"""Of the weight of a facet's words, what one passage with its title must hold to answer it."""
MOST_LINKS = 3
"""Relations that are told of a facet."""
TOGETHER = 0.7
"""What all cited passages together must hold."""
_MOST = {Intent.FACTUAL: 4, Intent.RELATIONAL: 4, Intent.COMPARATIVE: 4, Intent.OVERVIEW: 6}
_OPENING = 80
"""Characters within which a definition says what it is."""
_SHORT = 6
"""Words below which a sentence is not the better for being shorter."""
_ALIKE = 0.6
"""Shared words above which two sentences say the same."""
_DEFINES = (
    r"\b(?:is|are) (?:an?|the|used|intended|meant|responsible|one|about)\b|\brefers? to\b|\bdefines?\b|\bmeans\b|\blets?\b"
    r"|\ballows?\b|\bprovides?\b|\bensures?\b|\bintent\b|\bpurpose\b"
)
_KINDS = frozenset(map(stem, ("pattern", "class", "function", "module", "method", "library", "tool", "approach", "style")))
_ASKS_WHAT = r"(?:what|who)\b|define\b|explain\b"


def distil(facet: Facet, findings: Findings) -> Distillate:
    """The compact record of a facet. Passages are best first; what does not answer the original facet is left out."""
    weights = Weights(facet.text, findings.passages)
    fitting = [one for one in findings.passages if _fits(facet, weights, weights.held[one.id])]
    together = frozenset[str]().union(*(weights.held[one.id] for one in fitting))
    if not fitting or weights.share(together) < TOGETHER:
        everything = frozenset[str]().union(*weights.held.values())
        missing = weights.missing(together) if fitting else weights.missing(everything)
        return Distillate(facet, gaps=missing, refused=_refusal(findings, missing))
    ranked = _ranked(facet, fitting, weights)
    chosen = _both_sides(facet, ranked) if len(facet.sides) > 1 else _varied(ranked, _MOST[facet.intent])
    chosen = _within(chosen, WORDS)
    apart = divergent(chosen, ranked)
    said = [_statement(one) for one in dict.fromkeys((*chosen, *(one for pair in apart for one in pair)))]
    held = frozenset().union(*(one.held for one in chosen))
    return Distillate(
        facet,
        tuple(said),
        tuple(dict.fromkeys(one.passage for one in (*chosen, *(one for pair in apart for one in pair)))),
        _insights(facet, findings.links),
        tuple((_statement(one), _statement(other)) for one, other in apart),
        _confidence(weights.share(held), len({one.passage.document for one in chosen})),
        weights.missing(together),
    )


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


def _ranked(facet: Facet, passages: Iterable[Passage], weights: Weights) -> list[Candidate]:
    defines = facet.intent is Intent.COMPARATIVE or bool(re.match(_ASKS_WHAT, facet.text, re.IGNORECASE))
    about = stems(subject(facet.text))
    found = []
    for rank, passage in enumerate(passages):
        titled, headed = stems(passage.title), _headed(passage.title, weights)
        for place, sentence in enumerate(sentences(passage.text)):
            if not is_prose(sentence.text):
                continue
            held = stems(sentence.text)
            score = weights.share(held) + 0.5 * weights.share(held | titled) + 0.3 * _density(weights, held)
            score += 0.3 / (2 + rank) + 0.1 / (1 + place) + 0.2 * headed
            score += 0.3 if defines and _defines(sentence.text, about) else 0.0
            score -= 0.3 if sentence.text.endswith((":", "?", "...")) else 0.0
            found.append(Candidate(score, passage, sentence.text, held))
    return sorted(found, key=lambda one: -one.score)


def _defines(sentence: str, about: frozenset[str]) -> bool:
    """Whether a sentence begins with one of the things and says what it is or does."""
    said = re.search(_DEFINES, sentence)
    return said is not None and said.start() < _OPENING and bool(about & stems(sentence[: said.start()]))


def _headed(title: str, weights: Weights) -> float:
    """How much of what a passage is called after is about the facet: ``Proxy`` is more of it than ``Dynamic Proxy``."""
    subject_of = content(title.rpartition(" > ")[2].partition(":")[0])
    return sum(word in weights.of for word in subject_of) / (len(subject_of) or 1)


def _density(weights: Weights, held: frozenset[str]) -> float:
    """How much of a sentence is about the facet: a short one that says it is better than a long one that mentions it."""
    return len(held & weights.of.keys()) / max(_SHORT, len(held))


def _varied(ranked: Sequence[Candidate], most: int) -> list[Candidate]:
    """The best that are not the same again, and not far below the best."""
    chosen: list[Candidate] = []
    for one in ranked:
        if len(chosen) == most or (chosen and one.score < 0.5 * ranked[0].score):
            break
        if not any(alike(one.held, other.held) > _ALIKE for other in chosen):
            chosen.append(one)
    return chosen


def _both_sides(facet: Facet, ranked: Sequence[Candidate]) -> list[Candidate]:
    """What speaks of both sides first, then the best of each."""
    wanted = list(map(_things, facet.sides))

    def speaks(one: Candidate, words: frozenset[str]) -> bool:
        held = one.held | stems(one.passage.title)
        return bool(words) and len(words & held) * 2 > len(words)

    both = [one for one in ranked if all(speaks(one, words) for words in wanted) and any(words & one.held for words in wanted)]
    each = [[one for one in ranked if speaks(one, words) and one not in both] for words in wanted]
    parts = [_varied(both, 2), *(_varied(side, 2 if facet.intent is Intent.COMPARATIVE else 1) for side in each)]
    chosen: list[Candidate] = []
    for one in (one for part in parts for one in part):
        if not any(alike(one.held, other.held) > _ALIKE for other in chosen):
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
    return Statement(shown(one.text), (Quote(one.passage.id, one.text),))


def _insights(facet: Facet, links: Iterable[Link]) -> tuple[Link, ...]:
    """Relations between the things that the facet is about, else those at one of them."""
    about = frozenset(content(facet.text))

    def near(name: str) -> bool:
        words = frozenset(content(name))
        return bool(words) and words <= about

    found = list(links)
    both = [link for link in found if near(link.source) and near(link.target)]
    one = [link for link in found if near(link.source) != near(link.target)]
    return tuple((*both, *one)[:MOST_LINKS])


def _confidence(share: float, documents: int) -> str:
    if share >= 0.8 and documents > 1:  # noqa: PLR2004 - agreement takes two
        return "high"
    return "medium" if share >= ENOUGH else "low"
