"""Which of the passages that hold the words are what was asked for: names weigh more than mentions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.local.distributions import PYTHON, fold
from encyclopedia_adapters.local.packages import OWN
from encyclopedia_adapters.shared.text_index import analyser
from encyclopedia_adapters.shared.text_index.coverage import ENOUGH, content_words, term_set

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from encyclopedia_adapters.shared.text_index import Match

    Share = Callable[[Match], float]
    """How much of the question a passage holds, from 0 to 1."""

# Factors on the lexical score, set on the questions marked `tune` in tests/fixtures/packages/ranking.txt; those marked `kept`
# tell what they are worth (mean reciprocal rank .66 there, .86 on `tune`).
NAMED = 2.5
STANDARD = 1.3
OUTDATED = frozenset({"python/distutils", "python/imp", "python/asynchat", "python/asyncore", "python/smtpd"})
"""Parts of the standard library that have been taken out of it since."""
KINDS = {"class": 1.1, "function": 1.0, "attribute": 0.85, "module": 0.75, "readme": 0.8, "metadata": 0.8}
KIND_ASKED = 1.3
PRIVATE_MODULE = 0.6
PRIVATE = 0.6
NAME_MATCHED = 0.6
NAME_COVERS = 0.2
NAME_TYPED = 1.5
SAME_CASE = 1.15
DEPTH = 0.09
EXACT = 1.4
INTRODUCTION = 4.0
TITLE = 1.0
ENOUGH_WITHIN = 0.4
ENOUGH_BESIDE = 0.65
FLOOR = 0.3
_KIND_WORDS = {"class": "class", "function": "function", "def": "function", "method": "function", "module": "module"}


class Wanted(NamedTuple):
    """The question: its words as typed, all index terms, those beside library names, the documents named, the kind asked for.

    ``joined`` are neighbouring words made one, by which people part the names of things: ``default dict``; and ``dotenv`` for
    ``.env``.
    """

    words: tuple[str, ...]
    terms: frozenset[str]
    content: frozenset[str]
    documents: frozenset[str]
    joined: frozenset[str] = frozenset()
    kind: str = ""


def wanted(text: str, owners: Mapping[str, Collection[str]], library: str = "") -> Wanted:
    """What ``text`` asks for; ``owners`` gives the documents that each lower-case library name stands for."""
    words = tuple(filter(None, (word.strip("?!,;:()'\"`") for word in text.split())))
    named: dict[str, Collection[str]] = {}
    for word in (*words, library):
        prefix = word.lower()
        while prefix:
            for name in (prefix, fold(prefix)):
                if name in owners:
                    named[name] = owners[name]
            prefix = prefix.rpartition(".")[0]
    kind = next((_KIND_WORDS[word] for word in words[:-1] if word in _KIND_WORDS), "")
    words = tuple(word for word in words if not kind or word not in _KIND_WORDS) or words
    asked = term_set(*content_words(" ".join(words)))
    content = asked - frozenset().union(*(term_set(name) for name in named))
    joined = frozenset("".join(words[at : at + size]).lower() for size in (2, 3) for at in range(len(words) - size + 1))
    joined |= {f"dot{word[1:]}".lower() for word in words if word.startswith(".") and word[1:].isalpha()}
    return Wanted(words, asked, content, frozenset().union(*named.values()), joined, kind)


def answers(matches: Iterable[Match], question: Wanted, share: Share, *, sure: bool = False) -> list[Match]:
    """Those of ``matches`` that hold enough of the question.

    Of a library that the question names less is enough, and if it is ``sure`` to be meant what comes near the best: it must
    not fall silent over a misspelt word. Of another library more is wanted. Our own code is nobody's question unless it is
    named.
    """
    found = list(matches)
    best = max((share(match) for match in found if match.document in question.documents), default=1.0)
    within = min(ENOUGH_WITHIN, best / 2) if sure else ENOUGH_WITHIN
    beside = ENOUGH_BESIDE if question.documents else ENOUGH

    def fits(match: Match) -> bool:
        if match.document in question.documents:
            return share(match) >= within
        return match.document != OWN and share(match) >= beside

    return [match for match in found if fits(match)]


def ranked(matches: Iterable[Match], question: Wanted, share: Share) -> list[Match]:
    """``matches`` best first; the same for any order that they come in."""
    scores: dict[str, tuple[float, Match]] = {}
    for match in matches:
        scores[match.id] = max(scores.get(match.id, (0.0, match)), (weigh(match, question, share(match)), match))
    return [match for _, match in sorted(scores.values(), key=lambda pair: (-pair[0], pair[1].id))]


def weigh(match: Match, question: Wanted, share: float) -> float:
    """The score of ``match``: BM25 by how much of the question it holds, its kind, and how much of its name is asked for."""
    kind = str(match.data.get("kind", ""))
    score = match.score * KINDS.get(kind, 1.0) * (FLOOR + share**2)
    if question.kind == kind:
        score *= KIND_ASKED
    if match.document in question.documents:
        score *= NAMED
    elif match.document.startswith(f"{PYTHON}/") and match.document not in OUTDATED:
        score *= STANDARD
    if kind == "metadata" and not question.content:
        return score * INTRODUCTION
    return score if kind in ("readme", "metadata") else score * _naming(match.title, kind, question)


def _naming(path: str, kind: str, question: Wanted) -> float:
    *above, last = path.split(".")
    around = sum(len(_parts(part)) for part in above[1:])
    factor = 1.0 - DEPTH * min(around, 8)
    if any(part.startswith("_") for part in above):
        factor *= PRIVATE_MODULE
    if last.startswith("_"):
        factor *= PRIVATE
    content = question.content or question.terms
    parts = _parts(last)
    typed = _is_typed(last, kind, question)
    matched = parts if typed else parts & (content if kind == "module" else question.terms | question.joined)
    factor *= 1.0 + NAME_MATCHED * (len(matched) / max(len(parts), 1)) ** 2
    factor *= 1.0 + NAME_COVERS * len(parts & content) / max(len(content), 1)
    if typed:
        factor *= NAME_TYPED * (SAME_CASE if last in question.words else 1.0)
    return factor * (EXACT if _spelt_out(path, question) and (kind != "module" or not question.content) else 1.0)


def _is_typed(last: str, kind: str, question: Wanted) -> bool:
    """Whether the name itself stands in the question, as one word or as two; of a module that alone says little."""
    if kind == "module" and question.content:
        return False
    name = last.lower()
    return name in question.joined or name.replace("_", "") in question.joined or any(w.lower() == name for w in question.words)


def _spelt_out(path: str, question: Wanted) -> bool:
    """Whether the question has the whole dotted path, with dots or with blanks."""
    return f" {path.lower().replace('.', ' ')} " in f" {' '.join(question.words).lower().replace('.', ' ')} "


def _parts(name: str) -> frozenset[str]:
    """The terms within an identifier; itself only where it has no parts."""
    whole, *parts = analyser.terms(analyser.split(name)).split() or [name]
    return frozenset(parts or [whole])
