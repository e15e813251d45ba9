"""The word lists of the semantic cache, read from the configuration folder when a question is first compared with another."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from encyclopedia.engine.guards.stem import stem
from encyclopedia.model.wording import Phrase, Wording
from encyclopedia.wiring.vocabulary import lines, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from encyclopedia.model.vocabulary import Vocabulary

LISTS = (
    *("weak", "kinds", "trouble", "doers", "stop", "times", "turns", "verbs", "remedies", "fluff", "generic", "papers"),
    "placing",
)


def load(folder: str, vocabulary: Vocabulary) -> Wording:
    """``wording.toml`` and ``antonyms.toml`` of ``folder``, with what ``vocabulary`` knows of names and short names.

    Raises ``ConfigurationError`` for a file that cannot be read or does not say what it should.
    """
    found = table(folder, "wording.toml", ("phrases", "same", "forms", "short", *LISTS))
    opposites = table(folder, "antonyms.toml", ("opposites",))["opposites"]
    listed = {form: base for base, forms in lines(found["forms"]) for form in (base, *forms.split())}
    bases = {stem(form): base for form, base in listed.items()} | listed

    def base(word: str) -> str:
        return bases.get(word) or bases.get(stem(word)) or stem(word)

    def all_of(name: str) -> frozenset[str]:
        words = found[name].split()
        return frozenset((*words, *map(base, words)))

    spelt, short = _short(found["short"], vocabulary)
    return Wording(
        phrases=_phrases(found["phrases"], vocabulary),
        bases=bases,
        same=_groups(found["same"], base),
        spelt=spelt,
        short=short,
        opposites=_opposites(opposites, base),
        known=vocabulary.terms | vocabulary.english,
        names=vocabulary.libraries,
        whole=vocabulary.libraries | spelt.keys() | short.keys(),
        stop=frozenset(found["stop"].split()),
        **{name: all_of(name) for name in LISTS if name != "stop"},
    )


def _sides(text: str) -> list[list[str]]:
    return [[side.strip() for side in line.split("|")] for line in text.splitlines() if line.strip()]


def _phrases(text: str, vocabulary: Vocabulary) -> dict[str, tuple[tuple[Phrase, Phrase], ...]]:
    found: dict[str, list[tuple[Phrase, Phrase]]] = defaultdict(list)
    for left, right in lines(text):
        phrase = tuple(left.removeprefix("^").split()) + (("^",) if left.startswith("^") else ())
        found[phrase[0]].append((phrase, tuple(right.split())))
    for wrong, right in vocabulary.misspellings.items():
        found[wrong].append(((wrong,), (right,)))
    return {
        first: tuple(sorted(phrases, key=lambda pair: (-len(pair[0]) + (pair[0][-1] == "^"), pair[0][-1] == "^")))
        for first, phrases in found.items()
    }


def _groups(text: str, base: Callable[[str], str]) -> dict[str, frozenset[int]]:
    """The numbers of the lines on which each base stands; a phrase of several words is no business of this list."""
    found: dict[str, set[int]] = defaultdict(set)
    for number, sides in enumerate(_sides(text)):
        for word in sides:
            if " " not in word:
                found[base(word)].add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


def _short(text: str, vocabulary: Vocabulary) -> tuple[dict[str, Phrase], dict[str, tuple[Phrase, ...]]]:
    """Names that are short for one thing only, and those that may stand for one thing or another."""
    found = {name: _split(right.split("|")) for name, right in lines(text)}
    spelt = {name: meanings[0] for name, meanings in found.items() if len(meanings) == 1}
    short = {name: meanings for name, meanings in found.items() if len(meanings) > 1}
    for name, others in vocabulary.synonyms.items():
        low = name.lower()
        if " " not in name and low not in found:
            short[low] = _split(others)
    return spelt, short


def _split(texts: Iterable[str]) -> tuple[Phrase, ...]:
    return tuple(tuple(text.replace("-", " ").split()) for text in texts)


def _opposites(text: str, base: Callable[[str], str]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for line in _sides(text):
        sides = [{word.replace(" ", "") for word in side.split(",")} for side in line]
        sides = [side | {base(word) for word in side} for side in sides]
        for side in sides:
            for word in side:
                found[word] |= set().union(*sides) - side
    return {word: frozenset(others) for word, others in found.items()}
