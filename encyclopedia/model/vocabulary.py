"""The words that correction and expansion may use: data, never code."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Vocabulary(NamedTuple):
    """Developers' words, all in lower case.

    ``terms`` are what a misspelling may be corrected to, ``libraries`` those of them that name a library, tool or product,
    ``misspellings`` known ones with their correction, ``english`` common words that are never touched, ``synonyms`` what else a
    term is called (best first; a key in capitals is meant for the word in capitals only), ``stop_words`` those a keyword form
    drops from nothing but counts as no content.
    """

    terms: frozenset[str] = frozenset()
    libraries: frozenset[str] = frozenset()
    misspellings: Mapping[str, str] = MappingProxyType({})
    english: frozenset[str] = frozenset()
    synonyms: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    stop_words: frozenset[str] = frozenset()
