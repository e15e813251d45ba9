"""How one question can be put in two ways: the words that the guards of the semantic cache may take for the same."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

Phrase = tuple[str, ...]


class Wording(NamedTuple):
    """Words in lower case; forms of a word stand under its base.

    ``phrases`` maps the first word of a turn of phrase to those that begin with it, longest first, each with what stands for it
    (in capitals the kind of a question). ``same`` gives the groups that a base belongs to: two bases with a group in common say
    the same. ``spelt`` maps a short name to what it always stands for, ``short`` to what it may stand for, ``opposites`` a base
    to those that say the contrary. ``known`` are words that are spelt rightly, ``names`` those of libraries and products,
    ``whole`` what is not cut into letters and digits.

    ``weak`` words say nothing of what is asked, ``verbs`` those of them that tell what to do, ``fluff`` those that tell nothing
    at all; ``kinds`` name the kind of a thing that is named beside them, ``papers`` what tells about a thing, ``generic`` what
    one does with a thing by itself, ``remedies`` what is wanted of every trouble, ``placing`` what is asked of
    every place. ``trouble``, ``doers``, ``times`` and ``turns`` are words of trouble, of doing to somebody, of time, and of
    change.
    """

    phrases: Mapping[str, tuple[tuple[Phrase, Phrase], ...]] = MappingProxyType({})
    bases: Mapping[str, str] = MappingProxyType({})
    same: Mapping[str, frozenset[int]] = MappingProxyType({})
    spelt: Mapping[str, Phrase] = MappingProxyType({})
    short: Mapping[str, tuple[Phrase, ...]] = MappingProxyType({})
    opposites: Mapping[str, frozenset[str]] = MappingProxyType({})
    known: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    whole: frozenset[str] = frozenset()
    stop: frozenset[str] = frozenset()
    weak: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()
    fluff: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    papers: frozenset[str] = frozenset()
    trouble: frozenset[str] = frozenset()
    doers: frozenset[str] = frozenset()
    times: frozenset[str] = frozenset()
    turns: frozenset[str] = frozenset()
    generic: frozenset[str] = frozenset()
    remedies: frozenset[str] = frozenset()
    placing: frozenset[str] = frozenset()
