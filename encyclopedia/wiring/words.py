"""Which words are known here: to the vocabulary, as names of installed libraries, to the local indexes."""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from encyclopedia.wiring.requirements import Absent, plugin

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.model.vocabulary import Vocabulary
    from encyclopedia.wiring.sources import Sources


class Words:
    """Looks words up; ``registered`` maps names to functions that list libraries, called when they are first needed."""

    def __init__(self, vocabulary: Vocabulary, registered: Mapping[str, str], sources: Sources) -> None:
        self.vocabulary = vocabulary
        self._registered, self._sources = registered, sources

    def library(self, word: str) -> bool:
        """Whether the lower-case word names a library: installed, in the vocabulary, or a local corpus."""
        return word in self._names or word in self.vocabulary.libraries

    def known(self, word: str) -> bool:
        """Whether the lower-case word is a library or occurs in a local index: such a word is never corrected."""
        return self.library(word) or self._sources.knows(word)

    @cached_property
    def _names(self) -> frozenset[str]:
        found = set(self._sources.corpora())
        for names in map(plugin, self._registered.values()):
            if not isinstance(names, Absent):
                with suppress(Exception):  # a stranger's list that cannot be had costs nothing but its words
                    found |= {name for name in names() if isinstance(name, str)}
        # half of the standard library is called by plain words: random, string, calendar
        return frozenset(found | (sys.stdlib_module_names - self.vocabulary.english))
