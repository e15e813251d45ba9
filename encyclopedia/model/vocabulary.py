"""The words that correction and expansion may use: data, never code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Developers' words, all in lower case.

    ``terms`` are what a misspelling may be corrected to, ``misspellings`` known ones with their correction, ``english`` common
    words that are never touched, ``synonyms`` what else a term is called (best first), ``stop_words`` those a keyword form drops
    from nothing but counts as no content.
    """

    terms: frozenset[str] = frozenset()
    misspellings: Mapping[str, str] = field(default_factory=dict)
    english: frozenset[str] = frozenset()
    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    stop_words: frozenset[str] = frozenset()
