"""The sentences of passages by what they are worth for a facet."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from encyclopedia.answering import amount
from encyclopedia.answering.decompose import subject
from encyclopedia.answering.sentences import is_prose, sentences
from encyclopedia.answering.weigh import Candidate, Weights
from encyclopedia.answering.words import content, stems
from encyclopedia.model.answer import Intent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from encyclopedia.answering.sentences import Sentence
    from encyclopedia.model.answer import Facet, Passage

_OPENING = 80
"""Characters within which a definition says what it is."""
_SHORT = 6
"""Words below which a sentence is not the better for being shorter."""
_DEFINES = (
    r"\b(?:is|are) (?:an?|the|used|intended|meant|responsible|one|about)\b|\brefers? to\b|\bdefines?\b|\bmeans\b|\blets?\b"
    r"|\ballows?\b|\bprovides?\b|\bensures?\b|\bintent\b|\bpurpose\b"
)
_REFERS = r"(?:it|its|this|that|these|those|they|such|we|so|thus|hence|therefore|because|for (?:this|that|these) reasons?)\b"
_OF_ITSELF = (
    r"(?:in )?this (?:section|chapter|article|page|document|guide|book|example)\b"
    r"|in (?:our|the (?:provided|given|above)) (?:\S+ )?(?:example|code)\b"
)
_ASKS_WHY = r"why\b|(?:for )?what (?:is |was )?(?:the )?reasons?\b"
_BECAUSE = r"\b(?:because|since|so that|due to|reasons?|in order to|therefore|otherwise)\b"
_ASKS_WHAT = r"(?:what|who)\b|define\b|explain\b"


def ranked(facet: Facet, passages: Iterable[Passage], weights: Weights, stated: frozenset[str]) -> list[Candidate]:
    """Sentences, best first; those of ``stated``, the passages that say how things are related, before all others."""
    taste = _taste(facet)
    found = []
    for rank, passage in enumerate(passages):
        titled, headed = stems(f"{passage.corpus} {passage.title}"), _headed(passage.title, weights)
        before = frozenset[str]()
        for place, sentence in enumerate(sentences(passage.text)):
            if not is_prose(sentence.text):
                continue
            held = stems(sentence.text)
            about = titled | before if re.match(_REFERS, sentence.text, re.IGNORECASE) else titled
            score = weights.share(held) + 0.5 * weights.share(held | about) + 0.3 * _density(weights, held)
            score += 0.3 / (2 + rank) + 0.1 / (1 + place) + 0.2 * headed + taste(sentence)
            found.append(Candidate(score, passage, sentence.text, held, passage.id in stated))
            before = held
    return sorted(found, key=lambda one: (not one.stated, -one.score))


def _taste(facet: Facet) -> Callable[[Sentence], float]:
    """What a sentence is worth more, or less, by what it does: define, give a reason or a number, announce, speak of itself."""
    defines = facet.intent is Intent.COMPARATIVE or re.match(_ASKS_WHAT, facet.text, re.IGNORECASE)
    why = re.match(_ASKS_WHY, facet.text, re.IGNORECASE)
    number = amount.wanted(facet.text)
    about = stems(subject(facet.text))

    def taste(sentence: Sentence) -> float:
        text = sentence.text
        good = (
            defines and _defines(text, about),
            number and amount.given(text, facet.text),
            why and re.search(_BECAUSE, text, re.IGNORECASE),
        )
        bad = (
            text.endswith((":", "?", "...")),
            re.match(_OF_ITSELF, text, re.IGNORECASE),
            text[0].islower() and not sentence.item,  # the rest of a sentence that code or a table has cut
        )
        return 0.3 * (sum(map(bool, good)) - sum(map(bool, bad)))

    return taste


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
