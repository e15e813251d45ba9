"""Words of a topic that stand nowhere: what they may have been meant to be, from the names and tags of the catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia_adapters.shared.text_index.coverage import content_words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from encyclopedia_adapters.local.catalog.entry import Entry

SHORTEST = 4
"""Letters of a word that may be misspelt, and one less of one that may be cut short."""

LONG = 8
"""Letters from which a word may be wrong in two places."""

_MOST = 3
_WORDS = 8


def nearby(topic: str, knows: Callable[[str], bool], entries: Iterable[Entry]) -> dict[str, tuple[str, ...]]:
    """For each word of the topic that nothing holds: the names' words that begin with it, else the one that is spelt nearest.

    A word that has several nearest ones gets none of them.
    """
    strange = [word for word in content_words(topic) if word.isalpha() and len(word) >= SHORTEST - 1 and not knows(word)]
    if not strange:
        return {}
    vocabulary = _vocabulary(entries)
    found = {word: _longer(word.lower(), vocabulary) or _spelt(word.lower(), vocabulary) for word in strange[:_WORDS]}
    return {word: meant for word, meant in found.items() if meant}


def _vocabulary(entries: Iterable[Entry]) -> frozenset[str]:
    texts = (text for entry in entries for text in (entry.slug, *entry.aliases, *entry.tags))
    return frozenset(word for text in texts for word in text.lower().replace("-", " ").replace("_", " ").split())


def _longer(word: str, vocabulary: Collection[str]) -> tuple[str, ...]:
    """The words that it is the beginning of, if they are few."""
    longer = sorted(known for known in vocabulary if known.startswith(word) and known != word)
    return tuple(longer) if len(longer) <= _MOST else ()


def _spelt(word: str, vocabulary: Collection[str]) -> tuple[str, ...]:
    if len(word) < SHORTEST:
        return ()
    from rapidfuzz.distance import OSA

    allowed = 2 if len(word) >= LONG else 1
    distances = {
        known: distance
        for known in vocabulary
        if known[0] == word[0] and (distance := OSA.distance(word, known, score_cutoff=allowed)) <= allowed
    }
    nearest = [known for known, distance in distances.items() if distance == min(distances.values())]
    return tuple(nearest) if len(nearest) == 1 else ()
