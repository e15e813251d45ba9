"""What a sentence says of two concepts that it names: the kinds of relation as people write them, never where it is denied."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.local.graph import phrases
from encyclopedia_adapters.local.graph.mentions import Mention

if TYPE_CHECKING:
    from collections.abc import Iterator

    from encyclopedia_adapters.local.graph.mentions import Names
    from encyclopedia_adapters.local.graph.prose import Sentence

SURE, IMPLIED, DOUBTFUL, LINKED = 0.7, 0.6, 0.5, 0.4
"""Confidence: both are named; one of them is the subject of the section; a hedge, or an ordinary word; only a link."""

_MOST = 6
_OPENING = 4
_FAR = 160
"""Characters between two names that still belong to one claim."""


class Claim(NamedTuple):
    """That ``start`` has a relation of ``type`` to ``end``, as sure as ``confidence`` says."""

    start: str
    end: str
    type: str
    confidence: float


def claims(sentence: Sentence, names: Names, subject: str) -> Iterator[Claim]:
    """What the sentence says; ``subject`` is what its section is about and stands for a pronoun at the beginning."""
    if sentence.plain.rstrip().endswith("?"):
        return
    groups = _groups(sentence.plain, names.find(sentence.plain))
    opening = re.match(phrases.PRONOUN, sentence.plain, re.IGNORECASE)
    start = opening.end() if opening else 0
    lead = subject and groups and (opening or sentence.item) and groups[0][0].start >= start
    whole = [[_implied(subject, start)], *groups] if lead else groups
    holder: list[Mention] = []
    for left, right in pairwise(whole):
        between = " ".join(sentence.plain[left[-1].end : right[0].start].split())
        again = bool(holder) and bool(re.match(r",? ?(?:and|but|or)\b", between))
        late = between.startswith(":") and left[0].start > _OPENING  # a list begins there, no definition
        found = None if late or len(between) > _FAR else _said(f" {between} ")
        if found is None:
            continue
        holder = holder if again else left
        kind, way, said, like = found
        if said.lower() == "using" and left[0].start == left[0].end:  # advice, not what the subject of the section does
            continue
        before = sentence.plain[: left[-1].end] + f" {between} ".replace(said, " ", 1)
        if re.search(phrases.DENIED, before, re.IGNORECASE):
            continue
        meant = [other for other in right[:_MOST] if other.sure or _alone(sentence.plain, other, like)]
        for one in holder[:_MOST]:
            for other in meant:
                if one.concept != other.concept:
                    yield _claim(one, other, kind, way, hedged=bool(re.search(phrases.HEDGE, before, re.IGNORECASE)))


def _alone(text: str, mention: Mention, like: str) -> bool:
    """Whether an ordinary word stands for the thing itself: neither described nor a part of a longer name."""
    return not like.strip() and not re.match(phrases.FOLLOWED, text[mention.end :])


def _implied(subject: str, at: int) -> Mention:
    return Mention(subject, at, at, sure=False)


def _claim(one: Mention, other: Mention, kind: str, way: int, *, hedged: bool) -> Claim:
    implied = one.start == one.end
    doubtful = hedged or not other.sure or not (one.sure or implied)
    confidence = DOUBTFUL if doubtful else IMPLIED if implied else SURE
    start, end = (one, other) if way > 0 else (other, one)
    return Claim(start.concept, end.concept, kind, confidence)


def _said(between: str) -> tuple[str, int, str, str] | None:
    """Kind and way of the rule that all words between two concepts fit, its own words, and those that describe the second."""
    bare = re.sub(r"\([^()]*\)|,\s*(?:which|who|that)\b[^,]*,", " ", between)
    bare = f" {' '.join(bare.split())} "
    if colon := re.match(r" ?(?:[:—\u2013]|-(?= )) ?", bare):  # "Name: a kind of …"
        bare = f" is {bare[colon.end() :]}"
    for kind, way, rule in phrases.rules():
        if found := rule.fullmatch(bare):
            return kind, way, found["said"], found["like"]
    return None


def _groups(text: str, mentions: list[Mention]) -> list[list[Mention]]:
    """Mentions that are listed together: ``A, B and C``."""
    groups: list[list[Mention]] = []
    for mention in mentions:
        if groups and re.fullmatch(phrases.JOINED, text[groups[-1][-1].end : mention.start], re.IGNORECASE):
            groups[-1].append(mention)
        else:
            groups.append([mention])
    return groups
