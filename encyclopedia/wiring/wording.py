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

LISTS = ("weak", "kinds", "trouble", "doers", "stop", "times", "turns", "verbs")


def load(folder: str, vocabulary: Vocabulary) -> Wording:
    """``wording.toml`` and ``antonyms.toml`` of ``folder``, with what ``vocabulary`` knows of names and short names.

    Raises ``ConfigurationError`` for a file that cannot be read or does not say what it should.
    """
    found = table(folder, "wording.toml", ("phrases", "same", "forms", "short", *LISTS))
    opposites = table(folder, "antonyms.toml", ("opposites",))["opposites"]
    bases = {form: base for base, forms in lines(found["forms"]) for form in (base, *forms.split())}

    def base(word: str) -> str:
        return bases.get(word) or stem(word)

    def all_of(name: str) -> frozenset[str]:
        words = found[name].split()
        return frozenset((*words, *map(base, words)))

    short = _short(found["short"], vocabulary)
    return Wording(
        phrases=_phrases(found["phrases"], vocabulary),
        bases=bases,
        same=_groups(found["same"], base),
        short=short,
        opposites=_opposites(opposites, base),
        known=vocabulary.terms | vocabulary.english,
        names=vocabulary.libraries,
        whole=vocabulary.libraries | short.keys(),
        stop=frozenset(found["stop"].split()),
        **{name: all_of(name) for name in LISTS if name != "stop"},
    )


def _sides(text: str) -> list[list[str]]:
    return [[side.strip() for side in line.split("|")] for line in text.splitlines() if line.strip()]


def _phrases(text: str, vocabulary: Vocabulary) -> dict[str, tuple[tuple[Phrase, Phrase], ...]]:
    found: dict[str, list[tuple[Phrase, Phrase]]] = defaultdict(list)
    for left, right in lines(text):
        phrase = tuple(left.split())
        found[phrase[0]].append((phrase, tuple(right.split())))
    for wrong, right in vocabulary.misspellings.items():
        found[wrong].append(((wrong,), (right,)))
    return {first: tuple(sorted(phrases, key=lambda pair: -len(pair[0]))) for first, phrases in found.items()}


def _groups(text: str, base: Callable[[str], str]) -> dict[str, frozenset[int]]:
    """The numbers of the lines on which each base stands; a phrase of several words is no business of this list."""
    found: dict[str, set[int]] = defaultdict(set)
    for number, sides in enumerate(_sides(text)):
        for word in sides:
            if " " not in word:
                found[base(word)].add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


def _short(text: str, vocabulary: Vocabulary) -> dict[str, tuple[Phrase, ...]]:
    found = {name: _split(right.split("|")) for name, right in lines(text)}
    for name, others in vocabulary.synonyms.items():
        low = name.lower()
        if " " not in name and low not in found:
            found[low] = _split(others)
    return found


def _split(texts: Iterable[str]) -> tuple[Phrase, ...]:
    return tuple(tuple(text.replace("-", " ").split()) for text in texts)


def _opposites(text: str, base: Callable[[str], str]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for sides in _sides(text):
        words = {word.replace(" ", "") for word in sides}
        words |= {base(word) for word in words}
        for word in words:
            found[word] |= words - {word, base(word)}
    return {word: frozenset(others) for word, others in found.items()}
