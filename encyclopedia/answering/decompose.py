"""A question cut into at most four facets at its natural seams, each with its intent."""

from __future__ import annotations

import re
from functools import cache

from encyclopedia.model.answer import Facet, Intent

MOST = 4
_SHORTEST = 3
"""Words of a clause that can stand alone as a question."""
_LONGEST = 6
"""Words of a subject that a pronoun may stand for."""

_COMPARES = (
    r"\bcompar(?:e[ds]?|ing|ison)\b|\bversus\b|\bvs\b\.?|\bdifferences?\b|\bdiffer(?:s|ent|ence|ing)?\b"
    r"|\btrade-?offs? between\b|\b(?:better|worse|faster|slower|simpler|safer) than\b|\bin contrast\b"
    r"|\bpreferred? (?:over|to)\b|\brather than\b|\binstead of\b|\bin common\b|\bdistinguish\b|\bsimilar to\b"
    r"|\bor\b[^?]*\b(?:which|better|preferable)\b"
    r"|\b(?:should|whether)\b[^?]*\bor\b|\bwhich\b[^?]*\b(?:better|preferable)\b|\bsimilarit(?:y|ies)\b"
)
_RELATES = (
    r"\brelat(?:e[sd]?|ing|ion|ions|ionship|ionships)\b(?! to me)|\bdepends? (?:up)?on\b|\bdependenc(?:y|ies)\b"
    r"|\b(?:required?|needed|used|uses?|extends?|specializes?|enables?|implements?) by\b|\bconnect(?:s|ed)\b"
    r"|\bconnections? (?:between|to|with)\b"
    r"|\binteract|\bcombin(?:e[sd]?|ation)\b|\b(?:works?|goes?|used) (?:well )?(?:together )?with\b|\bcomplements?\b"
    r"|\b(?:which|what) \w+(?: \w+)? (?:uses?|requires?|extends?|depend)\b|\bbuil(?:d|t)s? (?:up)?on\b|\bpart of\b"
    r"|\balternatives? (?:to|for)\b|\bhow (?:is|are) .* linked\b"
)
_SURVEYS = (
    r"\boverviews?\b|\bsurvey\b|\bbroad(?:ly)?\b|\bin general\b|\bsummar(?:y|i[sz]e)\b|\bwhat is known\b|\bintroduc(?:e|tion)\b"
    r"|\b(?:tell me|what (?:do|does) .+ (?:say|know)) about\b|\blist (?:all|the|every)\b|\bwhich .* are there\b"
    r"|\bwhat (?:kinds?|types?|sorts?) of\b"
)
_ASKS = (
    r"^(?:so|and|but|please|then)?[ ,]*(?:what|who|whom|whose|when|where|why|how|which|is|are|was|were|does|do|did|can|could"
    r"|should|must|may|will|would|has|have|define|describe|explain|name|give|show|tell)\b"
)
_SEAM = (
    r"(?<=[?!.;])\s+|,?\s+(?:and|but|then)\s+(?=(?:what|who|when|where|why|how|which|is|are|does|do|can|should|in what)\b)"
    r"|;\s*"
)
_BETWEEN = r"\b(?:between|compare|comparing|contrast|distinguish)\s+(?P<a>.+?)\s+(?:and|with|to|from|vs\.?|versus)\s+(?P<b>.+)"
_AGAINST = (
    r"(?P<a>.+?)\s+(?:vs\.?|versus|compared? (?:to|with)|compares (?:to|with)|differs? from|different from|rather than"
    r"|instead of|relates? to|related to|similar to|(?:better|worse|faster|slower|simpler|safer) than|depends? (?:up)?on"
    r"|alternatives? (?:to|for)|used with|works? with|built on|builds on|connected to|linked to|interacts? with"
    r"|combined with)\s+(?P<b>.+)"
)
_BOTH = r"(?P<a>.+?)\s+and\s+(?P<b>.+?)\s+(?:differ|relate|compare|interact|work together|combine|have in common|depend)\b"
_EITHER = r"(?P<a>.+?)\s+or\s+(?P<b>.+?)(?:\s+(?:better|preferable|which)\b.*)?$"
_NAMES = r"^(?:so )?(?:what|who)(?:'s| is| are)\b|^(?:define|describe|explain)\b"
_REFERENT = r"\b(?:it|they|them|this|that|these|those)(?= (?!is called)|[?!.]|$)"
_FRAME = (
    r"^(?:so|and|but|please|then|now|also)?[ ,]*(?:(?:can|could|would) you )?"
    r"(?:what(?:'s| is| are| was| were| does| do| did)?|who(?:'s| is| are)?|when|where|why|how|which|is|are|was|were|does|do"
    r"|did|can|could|should|would|will|define|describe|explain|name|give|show|tell me|compare|contrast|summari[sz]e)\b"
    r"(?:\s+(?:is|are|was|were|does|do|did|can|could|should|would|will|to|me|it|mean by|the|an?|there|about|of|between|i|we"
    r"|you|one)\b)*\s*"
)
_TAIL = (
    r"\s+(?:under|when|while|with respect to|in terms of|regarding|for|in|on|if|during|as|at|differ|relate|compare|interact"
    r"|work|works|do|does|mean|means|handle|behave)\b.*$"
)
_ARTICLE = r"^(?:the|an?|its|their|both|either|using|use|of)\s+"


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


def decompose(question: str, *, fast: bool = False) -> tuple[Facet, ...]:
    """The facets of a question, at most ``MOST``; the question itself if it has no seams, and always with ``fast``."""
    clauses = (question.strip(),) if fast else _clauses(question)
    first = facet(clauses[0])
    return (first, *(_later(clause, clauses[0]) for clause in clauses[1:]))


def _later(clause: str, first: str) -> Facet:
    """A later clause, made to stand alone: its pronoun is what the first one asks for, or else the search gets its words."""
    about = subject(first)
    if not _pattern(_REFERENT).search(clause) or not about:
        return facet(clause)
    if _pattern(_NAMES).search(first) and len(about.split()) <= _LONGEST:
        return facet(_pattern(_REFERENT).sub(lambda _: about, clause, count=1))
    return facet(clause)._replace(search=f"{clause} {about}")


def facet(text: str) -> Facet:
    """A clause with its intent, and with the sides of a comparison or a relation where they can be told apart."""
    intent = intent_of(text)
    wanted = intent in (Intent.COMPARATIVE, Intent.RELATIONAL)
    return Facet(text, intent, sides(text) if wanted else ())


def intent_of(text: str) -> Intent:
    """What the words ask for; an overview where nothing tells, since that way loses nothing."""
    for pattern, intent in ((_COMPARES, Intent.COMPARATIVE), (_RELATES, Intent.RELATIONAL), (_SURVEYS, Intent.OVERVIEW)):
        if _pattern(pattern).search(text):
            return intent
    return Intent.FACTUAL if _pattern(_ASKS).search(text) else Intent.OVERVIEW


def sides(text: str) -> tuple[str, ...]:
    """The two things that a comparison or a relation is about, without what is asked of them; empty if they are not clear."""
    bare = text.strip().rstrip("?!. ")
    for pattern in (_BETWEEN, _AGAINST, _BOTH, _EITHER):
        found = _pattern(pattern).search(bare)
        if found:
            pair = (_thing(found["a"]), _thing(found["b"]))
            return pair if all(pair) and pair[0].casefold() != pair[1].casefold() else ()
    return ()


def subject(text: str) -> str:
    """The question without the words that make it one: ``what is the Observer pattern?`` is about ``Observer pattern``."""
    return _pattern(_ARTICLE).sub("", _pattern(_FRAME).sub("", text.strip().rstrip("?!. "))).strip()


def _thing(text: str) -> str:
    head = _pattern(_FRAME).sub("", text.strip(" ,"))
    head = _pattern(_TAIL).sub("", head)
    return _pattern(_ARTICLE).sub("", head).strip(" ,")


def _clauses(question: str) -> tuple[str, ...]:
    """Parts that are questions by themselves; a part that is not stays with the one before it."""
    parts: list[str] = []
    for piece in _pattern(_SEAM).split(question.strip()):
        part = (piece or "").strip()
        if not part:
            continue
        alone = _pattern(_ASKS).search(part) and len(part.split()) >= _SHORTEST
        if parts and not alone:
            parts[-1] = f"{parts[-1]} {part}"
        else:
            parts.append(part)
    if len(parts) > MOST:
        parts[MOST - 1 :] = [" ".join(parts[MOST - 1 :])]
    return tuple(parts) or (question,)
