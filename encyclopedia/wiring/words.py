"""Which words are known here: to the vocabulary, as names of installed libraries, to the local indexes."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from encyclopedia.wiring.requirements import Absent, load

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from encyclopedia.model.vocabulary import Vocabulary


class Words:
    """Looks words up; the lists behind it are read when they are first needed."""

    def __init__(
        self, vocabulary: Vocabulary, home: str, groups: Mapping[str, Mapping[str, str]], corpora: frozenset[str]
    ) -> None:
        self.vocabulary = vocabulary
        self._home, self._groups, self._corpora = home, groups, corpora

    def library(self, word: str) -> bool:
        """Whether the lower-case word names a library: installed, in the vocabulary, or a local corpus."""
        return word in self._names or word in self.vocabulary.libraries

    def known(self, word: str) -> bool:
        """Whether the lower-case word is a library or occurs in a local index: such a word is never corrected."""
        return self.library(word) or any(knows(self._home, word) for knows in self._indexes)

    @cached_property
    def _names(self) -> frozenset[str]:
        found = set(self._corpora)
        for target in self._groups.get("encyclopedia.libraries", {}).values():
            names = load(target)
            if not isinstance(names, Absent):
                found |= names()
        return frozenset(found)

    @cached_property
    def _indexes(self) -> list[Callable[[str, str], bool]]:
        targets = self._groups.get("encyclopedia.words", {}).values()
        return [found for found in map(load, targets) if not isinstance(found, Absent)]
