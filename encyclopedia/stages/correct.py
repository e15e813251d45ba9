"""Misspelt words of a question, each with the domain term that is searched beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.query import Correction
from encyclopedia.stages.tokens import plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from encyclopedia.model.query import Question
    from encyclopedia.model.vocabulary import Vocabulary

SHORTEST = 5
LONG = 8
# Endings of regular inflections with what they stand for: "policies" is known when "policy" is.
ENDINGS = (
    *(("ies", "y"), ("ied", "y"), ("es", "e"), ("ed", "e"), ("er", "e"), ("ers", "e"), ("ing", "e"), ("or", "e"), ("ors", "e")),
    *(("able", "e"), ("s", ""), ("ed", ""), ("er", ""), ("ers", ""), ("ing", ""), ("ings", ""), ("able", ""), ("ly", "")),
    # Names that libraries give themselves after what they are about.
    *(("py", ""), ("js", ""), ("ai", ""), ("db", ""), ("ql", ""), ("lib", "")),
)
SIBILANTS = ("s", "x", "z", "ch", "sh", "o")
PREFIXES = ("re", "un", "de", "pre", "non", "sub", "auto", "multi", "super", "micro", "inter", "over", "dis", "mis", "py")


def correct(
    question: Question, *, vocabulary: Vocabulary, known: Callable[[str], bool], libraries: Callable[[str], bool]
) -> Question:
    """``question`` with a correction for each misspelt word, unless its query forbids it; the words themselves stay.

    ``known`` tells whether a local index has the word, ``libraries`` whether it names a library. Only lower-case ASCII words of
    five letters and more are looked at, and of these no word that is known, inflected from known ones or made of two. Known
    misspellings go first, also where an index holds them, for people misspell in what they write down too; then the one term at
    the smallest optimal string alignment distance (at most 1, from eight letters 2) with the same first letter. Raises
    ``ImportError`` where a word needs rapidfuzz and it is not installed.
    """
    if not question.query.correct:
        return question
    found: dict[str, str] = {}
    for token in question.tokens:
        word = token.text
        if token.protected or len(word) < SHORTEST or word in found or not plain(word):
            continue
        listed = vocabulary.misspellings.get(word)
        if _is_word(word, vocabulary) or libraries(word) or (not listed and known(word)):
            continue
        if right := listed or _nearest(word, vocabulary):
            found[word] = right
    if not found:
        return question
    corrected = question._replace(corrections=tuple(Correction(wrong, right) for wrong, right in found.items()))
    return _named(corrected, vocabulary, libraries)


def _named(question: Question, vocabulary: Vocabulary, libraries: Callable[[str], bool]) -> Question:
    """``question`` with the library that a correction names, where it named none for sure."""
    names = [made.replacement for made in question.corrections if libraries(made.replacement)]
    sure = [name for name in names if name not in vocabulary.english]
    if sure and (question.unsure or not question.library):
        return question._replace(library=sure[0], unsure=False)
    return question._replace(library=names[0]) if names and not question.library else question


def _is_word(word: str, vocabulary: Vocabulary) -> bool:
    """Whether ``word`` is known, a regular form of a known word, or two known words in one."""
    terms, english = vocabulary.terms, vocabulary.english
    if word in terms or word in english:
        return True
    if word in vocabulary.misspellings:
        return False
    # British "optimisation" is no misspelling of "optimization".
    stems = ["iz".join(word.rsplit("is", 1)), *(word[len(prefix) :] for prefix in PREFIXES if word.startswith(prefix))]
    stems += [stem for whole in (word, *stems) for stem in _stems(whole)]
    if any(len(stem) > 2 and (stem in terms or stem in english) for stem in stems):  # noqa: PLR2004 - "re" + "do" is too little
        return True
    halves = ((word[:at], word[at:]) for at in range(3, len(word) - 3))
    return any((a in terms or a in english) and (b in terms or b in english) for a, b in halves)


def _stems(word: str) -> list[str]:
    """What ``word`` may be a regular form of."""
    stems = []
    for ending, instead in ENDINGS:
        if word.endswith(ending):
            stem = word[: -len(ending)]
            stems.append(stem + instead)
            if not instead and ending not in ("s", "ly") and stem[-1:] == stem[-2:-1]:
                stems.append(stem[:-1])
    if word.endswith("es") and word[:-2].endswith(SIBILANTS):
        stems.append(word[:-2])
    return stems


def _nearest(word: str, vocabulary: Vocabulary) -> str:
    """The one term that is nearest to ``word``, empty if there is none near enough or more than one."""
    # Few queries have an unknown word, and the import costs 15 ms.
    from rapidfuzz.distance import OSA

    limit = 1 if len(word) < LONG else 2
    best, found = limit + 1, ""
    for term in vocabulary.terms:
        if term[0] != word[0] or abs(len(term) - len(word)) > limit or not plain(term):
            continue
        distance = OSA.distance(word, term, score_cutoff=limit)
        if distance < best:
            best, found = distance, term
        elif distance == best <= limit:
            found = ""
    return found
