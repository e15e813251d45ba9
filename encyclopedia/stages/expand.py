"""What else the terms of a question are called, added to it and never put in the place of anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.query import Expansion
from encyclopedia.stages.tokens import plain, quoted, splice

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from encyclopedia.model.query import Question, Token
    from encyclopedia.model.vocabulary import Vocabulary

MOST = 3
LONGEST = 5


def expand(question: Question, *, vocabulary: Vocabulary) -> Question:
    """``question`` with at most three alternatives for each of its terms, unless its query forbids it.

    ``expanded`` holds every original token, the corrections and the alternatives. Words and phrases are looked up as they were
    typed and as they were corrected, longest first, and none twice; identifiers and quotations never.
    """
    if not question.query.expand or not vocabulary.synonyms:
        return question
    right = {made.original: made.replacement for made in question.corrections}
    text = splice(question.text, question.tokens, right, lambda word: f" {word}")
    seen = f" {text.lower()} "
    found: dict[str, tuple[str, ...]] = {}
    for made in ({}, right) if right else ({},):
        for term, alternatives in _lookups(_runs(question, made), vocabulary.synonyms):
            if fresh := tuple(other for other in alternatives if f" {other.lower()} " not in seen)[:MOST]:
                found.setdefault(term, fresh)
    if not found:
        return question
    added = dict.fromkeys(other for others in found.values() for other in others)
    expansions = tuple(Expansion(term, others) for term, others in found.items())
    return question._replace(expansions=expansions, expanded=" ".join((text, *added)))


def _runs(question: Question, right: Mapping[str, str]) -> list[list[tuple[str, bool]]]:
    """The runs of expandable words with nothing but a space or a hyphen between them, corrected as ``right`` says.

    With each word stands whether it is one by itself: half of ``auth-service`` is only ever looked up with its neighbours.
    """
    within = quoted(question.text)
    runs: list[list[tuple[str, bool]]] = [[]]
    end = 0
    for at, token in enumerate(question.tokens):
        if not _open(token, first=at == 0, quotation=bool(within[token.start])):
            continue
        if question.text[end : token.start].strip():
            runs.append([])
        end = token.end
        words = right.get(token.text, token.text).split("-")
        runs[-1] += [(word, len(words) == 1) for word in words]
    return runs


def _open(token: Token, *, first: bool, quotation: bool) -> bool:
    """Whether a token may be expanded: words, words with hyphens, with digits (k8s) or a slash (ci/cd), capitals (API).

    A capital at the start of the question is a matter of grammar; elsewhere it marks a name.
    """
    if quotation or not token.text.isascii():
        return False
    if not token.protected:
        return True
    word = token.text.replace("-", "").replace("/", "")
    return word.isalnum() and (word.islower() or word.isupper() or (first and plain(word[0].lower() + word[1:])))


def _lookups(
    runs: list[list[tuple[str, bool]]], synonyms: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The terms of ``runs`` that have synonyms, the longest at each place; a word is part of one term only."""
    for run in runs:
        at = 0
        while at < len(run):
            size = min(LONGEST, len(run) - at)
            while size:
                term = " ".join(word for word, _ in run[at : at + size])
                others = synonyms.get(term) or synonyms.get(term.lower())
                if others and (size > 1 or run[at][1]):
                    yield term, others
                    break
                size -= 1
            at += max(size, 1)
