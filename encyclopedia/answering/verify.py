"""Whether a passage says what a statement says: its quotation word for word, and nothing of its own besides."""

from __future__ import annotations

from difflib import SequenceMatcher
from enum import StrEnum
from typing import TYPE_CHECKING

from encyclopedia.answering.disagree import opposed
from encyclopedia.answering.sentences import is_order, sentences
from encyclopedia.answering.words import HEDGES, STRONG, content, counts, fold, hard, negations, stems, words
from encyclopedia.model.answer import Support, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from encyclopedia.model.answer import Passage, Quote, Statement

SHORTEST = 12
"""Characters that a quotation must have to prove anything."""
SAYS = 0.75
"""Of a statement's words, what the quoted text must hold for the statement to be supported."""
HINTS = 0.5
"""And what it must hold for a part of it to be."""
_IN_ORDER = 0.7
"""Of the words that both have, what must stand in the same order: who does something to whom is told by order."""


class Place(StrEnum):
    """Where a quotation stands."""

    FOUND = "found"
    MISATTRIBUTED = "misattributed"
    NOT_FOUND = "not found"


def place(quote: Quote, passages: Mapping[str, Passage]) -> Place:
    """Whether the quotation stands in the passage that it names, in another one, or in none; after folding only."""
    words = fold(quote.text)
    cited = passages.get(quote.passage)
    if len(words) < SHORTEST:
        # a whole passage may be shorter than that
        return Place.FOUND if cited and words and words == fold(cited.text) else Place.NOT_FOUND
    if cited and words in fold(cited.text):
        return Place.FOUND
    return Place.MISATTRIBUTED if any(words in fold(other.text) for other in passages.values()) else Place.NOT_FOUND


def verify(statement: Statement, passages: Mapping[str, Passage]) -> Verdict:
    """The verdict on one statement against the passages that it cites, and only those."""
    places = [place(quote, passages) for quote in statement.quotes]
    found = [quote for quote, where in zip(statement.quotes, places, strict=True) if where is Place.FOUND]
    if not found:
        return Verdict(statement, Support.NO, f"quotation {places[0].value}" if places else "no quotation")
    kept = statement._replace(quotes=tuple(found))
    said = [sentence for quote in found for sentence in _whole(quote, passages[quote.passage].text)]
    if fold(statement.text) in said:
        return Verdict(kept, Support.YES)
    if all(map(is_order, said)):
        return Verdict(kept, Support.NO, "the passage orders it, and does not say it")
    return _against(kept, said, passages)


def _against(statement: Statement, said: Sequence[str], passages: Mapping[str, Passage]) -> Verdict:
    """The verdict by what the statement has of its own, and by the one quoted sentence that is nearest to it."""
    quoted = " ".join(said)
    titles = " ".join(passages[quote.passage].title for quote in statement.quotes)
    own = _own(statement.text, quoted, titles)
    if own:
        return Verdict(statement, Support.NO, f"{', '.join(sorted(own)[:3])} not in the passage")
    nearest = _closest(statement.text, quoted)
    if negations(statement.text) % 2 != negations(nearest) % 2:
        return Verdict(statement, Support.NO, "a negation is missing or added")
    mine, theirs = stems(statement.text), stems(nearest)
    if opposed(mine - theirs, theirs - mine):
        return Verdict(statement, Support.NO, "the passage says the opposite")
    elsewhere = stems(" ".join(passages[quote.passage].text for quote in statement.quotes))
    return _by_words(statement, nearest, titles, elsewhere)


def _whole(quote: Quote, passage: str) -> list[str]:
    """The sentences that the quotation stands in: a part of one may have lost its ``not``."""
    words = fold(quote.text)
    folded = [fold(sentence.text) for sentence in sentences(passage)]
    within = [sentence for sentence in folded if words in sentence or sentence in words]
    return within if words in " ".join(within) else [words]


def _closest(text: str, quoted: str) -> str:
    """The sentence of the quoted ones that shares most words with the statement."""
    said = stems(text)
    return max((sentence.text for sentence in sentences(quoted)), key=lambda one: len(said & stems(one)), default=quoted)


def _own(text: str, quoted: str, titles: str) -> frozenset[str]:
    """Numbers, versions, identifiers and names of the statement that neither the quotation nor the passage's title has."""
    have = hard(f"x {quoted}") | stems(quoted) | stems(titles) | {word.casefold() for word in f"{quoted} {titles}".split()}
    named = frozenset(word for word in hard(text) if word not in have and word.strip(".,") not in have)
    return named | (counts(text) - counts(f"{quoted} {titles}") - {"1"})


def _by_words(statement: Statement, nearest: str, titles: str, elsewhere: frozenset[str]) -> Verdict:
    """``elsewhere`` are the words of the passages: what the nearest sentence lacks and they have is of another sentence."""
    said = content(statement.text)
    held, titled = stems(nearest), stems(titles)
    lacking = [word for word in said if word not in held and word not in titled]
    share = 1 - len(lacking) / (len(said) or 1)
    if share < HINTS:
        return Verdict(statement, Support.NO, "the passage says something else")
    shared = [word for word in said if word in held]
    theirs = [word for word in content(nearest) if word in shared]
    same = SequenceMatcher(None, shared, theirs, autojunk=False)
    in_order = sum(block.size for block in same.get_matching_blocks()) / (len(shared) or 1)
    notes = {
        "only a part is in the passage": share < SAYS,
        "it is put together from several sentences": any(word in elsewhere for word in lacking),
        "the passage has another order": in_order < _IN_ORDER,
        "the passage is less sure": _surer(statement.text, nearest),
    }
    note = next((note for note, found in notes.items() if found), "")
    return Verdict(statement, Support.PARTIAL if note else Support.YES, note)


def _surer(text: str, nearest: str) -> bool:
    """Whether a statement leaves out what hedges the sentence, or has a word that allows no exception of its own."""
    mine, theirs = ({word.casefold() for word in words(one)} for one in (text, nearest))
    return bool((mine & STRONG) - theirs) or (bool(theirs & HEDGES) and not mine & (HEDGES | {"can"}))
