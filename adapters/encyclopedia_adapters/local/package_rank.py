"""Which of the passages that hold the words are what was asked for: names weigh more than mentions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.local.distributions import fold
from encyclopedia_adapters.shared import analyser

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from encyclopedia_adapters.shared.text_index import Match

# Factors on the lexical score, set on 35 questions over this project's own dependencies and the standard library: mean
# reciprocal rank .55 without them, .85 with them, and .87 on 20 questions kept aside.
NAMED = 1.4
KINDS = {"class": 1.1, "function": 1.0, "attribute": 0.85, "module": 0.9, "readme": 0.8, "metadata": 0.8}
PRIVATE_MODULE = 0.75
PRIVATE = 0.6
NAME_MATCHED = 0.8
NAME_COVERS = 0.3
DEPTH = 0.05
EXACT = 1.4
INTRODUCTION = 4.0


class Wanted(NamedTuple):
    """The question: its words as typed in lower case, all index terms, those beside library names, the documents named."""

    words: tuple[str, ...]
    terms: frozenset[str]
    content: frozenset[str]
    documents: frozenset[str]


def wanted(text: str, owners: Mapping[str, Collection[str]], library: str = "") -> Wanted:
    """What ``text`` asks for; ``owners`` gives the documents that each lower-case library name stands for."""
    words = tuple(filter(None, (word.strip("?!,;:()'\"`").lower() for word in text.split())))
    named: dict[str, Collection[str]] = {}
    for word in (*words, library.lower()):
        prefix = word
        while prefix:
            for name in (prefix, fold(prefix)):
                if name in owners:
                    named[name] = owners[name]
            prefix = prefix.rpartition(".")[0]
    asked = terms(text)
    content = asked - frozenset().union(*(terms(name) for name in named))
    return Wanted(words, asked, content, frozenset().union(*named.values()))


def ranked(matches: Iterable[Match], question: Wanted) -> list[Match]:
    """``matches`` best first; the same for any order that they come in."""
    scores = {match.id: (weigh(match, question), match) for match in matches}
    return [match for _, match in sorted(scores.values(), key=lambda pair: (-pair[0], pair[1].id))]


def weigh(match: Match, question: Wanted) -> float:
    """The score of ``match``: BM25 by what kind of passage it is and how much of its name is in the question."""
    kind = str(match.data.get("kind", ""))
    score = match.score * KINDS.get(kind, 1.0)
    if match.document in question.documents:
        score *= NAMED
    if kind == "metadata" and not question.content:
        return score * INTRODUCTION
    return score if kind in ("readme", "metadata") else score * _naming(match.title, kind, question)


def _naming(path: str, kind: str, question: Wanted) -> float:
    *above, last = path.split(".")
    factor = 1.0 - DEPTH * min(max(len(above) - 1, 0), 8)
    if any(part.startswith("_") for part in above):
        factor *= PRIVATE_MODULE
    if last.startswith("_"):
        factor *= PRIVATE
    content = question.content or question.terms
    parts = _parts(last)
    matched = parts & (content if kind == "module" else question.terms)
    factor *= 1.0 + NAME_MATCHED * (len(matched) / max(len(parts), 1)) ** 2
    factor *= 1.0 + NAME_COVERS * len(parts & content) / max(len(content), 1)
    return factor * (EXACT if _spelt_out(path, question) and (kind != "module" or not question.content) else 1.0)


def _spelt_out(path: str, question: Wanted) -> bool:
    """Whether the question has the whole dotted path, with dots or with blanks."""
    return f" {path.lower().replace('.', ' ')} " in f" {' '.join(question.words).replace('.', ' ')} "


def _parts(name: str) -> frozenset[str]:
    """The terms within an identifier; itself only where it has no parts."""
    whole, *parts = analyser.terms(analyser.split(name)).split() or [name]
    return frozenset(parts or [whole])


def terms(text: str) -> frozenset[str]:
    """The index terms of ``text``."""
    return frozenset(analyser.terms(analyser.split(text)).split())
