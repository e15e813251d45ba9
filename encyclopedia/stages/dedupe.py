"""Near-duplicates become one result that keeps all its contributors; versions of a page stay apart."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from encyclopedia.model.ranking import Dropped, Ranked
from encyclopedia.stages.canonical import canonical_url, page_key, plain_text
from encyclopedia.stages.merge import addresses_of, best_first, heaviest_first, one_copy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from encyclopedia.model.outcome import Hit
    from encyclopedia.model.ranking import Ranking, Share

LEAST_TEXT = 120
_PREFIX = 48
_TEXT = "same text"
_MOST_COMPARED = 16
_NUMBERS = re.compile(r"\d+(?:\.\d+)*|\b(?:stable|latest|dev|devel|main|master|nightly|next|current)\b").findall
_VERSION_PART = re.compile(r"(?<=/)(?:v?\d[\w.]*|stable|latest|dev|devel|main|master|nightly|next|current)(?=/|$)")


class _Group:
    """Results that are one page."""

    def __init__(self, first: Ranked) -> None:
        self.members = [first]
        self.reasons: list[str] = []
        self.version = first.hit.version
        self.keys: set[tuple[str, str]] = set()
        self.pages = {first.source: first.hit.page} if first.hit.page else {}

    def takes(self, result: Ranked) -> bool:
        """Whether neither version nor a source's own names of its pages set the result apart."""
        hit = result.hit
        apart = self.version and hit.version and self.version != hit.version
        return not apart and (not hit.page or self.pages.get(result.source, hit.page) == hit.page)

    def join(self, other: _Group) -> _Group:
        """The group with the members of one that has turned out to be the same page."""
        self.members += other.members
        self.reasons += ["same page", *other.reasons]
        return self

    def add(self, result: Ranked, reason: str) -> None:
        self.members.append(result)
        self.reasons.append(reason)
        self.version = self.version or result.hit.version
        if result.hit.page:
            self.pages.setdefault(result.source, result.hit.page)


def dedupe(ranking: Ranking) -> Ranking:
    """The ranking with results merged that share a canonical address, else a place in a corpus, else their text.

    A source keeps its best share in a merged result, scores are added up anew and results sorted again. Where the query asks
    for a version, that one takes the best place among the versions of a page.
    """
    suspects = _suspects(ranking.results)
    if suspects:
        ranking = _merge(ranking, suspects)
    version = ranking.plan.query.scope.version
    return ranking._replace(results=_asked_first(ranking.results, version)) if version else ranking


def _suspects(results: Sequence[Ranked]) -> dict[int, list[tuple[str, str]]]:
    """The keys of those results, by their place, that share one with another result."""
    keys = [_keys(result.hit) for result in results]
    first: dict[tuple[str, str], int] = {}
    places: set[int] = set()
    for place, own in enumerate(keys):
        for key in own:
            other = first.setdefault(key, place)
            if other != place:
                places.add(other)
                places.add(place)
    return {place: [_whole(key, results[place].hit) for key in keys[place]] for place in sorted(places)}


def _whole(key: tuple[str, str], hit: Hit) -> tuple[str, str]:
    """The key by the whole text: its beginning is enough to see that most texts are like no other."""
    return (_TEXT, plain_text(hit.content)) if key[0] == _TEXT else key


def _merge(ranking: Ranking, suspects: Mapping[int, list[tuple[str, str]]]) -> Ranking:
    groups = _groups([(ranking.results[place], keys) for place, keys in suspects.items()])
    if len(groups) == len(suspects):
        return ranking
    others = [result for place, result in enumerate(ranking.results) if place not in suspects]
    if any(map(_is_new, groups)):
        groups, others = _settled(groups, others)
    merged = sorted(((_merged(group), group) for group in groups), key=lambda pair: best_first(pair[0]))
    places = {id(result): place for place, result in enumerate(ranking.results)}
    placed = [(min(places[id(member)] for member in group.members), result) for result, group in merged]
    placed += [(places[id(result)], result) for result in others]
    # of equal scores the order before stands: it knows more than the shares tell
    results = [result for _, result in sorted(placed, key=lambda pair: (-pair[1].score, pair[0]))]
    dropped = [entry for result, group in merged for entry in _dropped(result, group)]
    fusion = ranking.fusion._replace(dropped=(*ranking.fusion.dropped, *dropped))
    return ranking._replace(results=tuple(results), fusion=fusion)


def _is_new(group: _Group) -> bool:
    """Whether the copy of a group is a page that none of its members was: it takes name, address and version from several."""
    if len(group.members) == 1:
        return False
    copy = _merged(group)
    return page_key(copy.hit, copy.source) not in [page_key(member.hit, member.source) for member in group.members]


def _settled(groups: list[_Group], others: list[Ranked]) -> tuple[list[_Group], list[Ranked]]:
    """Groups joined with each other and with ``others`` until all copies are different pages; the others that are left."""
    alone = {page_key(result.hit, result.source): result for result in others}
    settled: dict[str, _Group] = {}
    pending = groups[::-1]
    while pending:
        group = pending.pop()
        copy = _merged(group)
        key = page_key(copy.hit, copy.source)
        if key in settled:
            pending.append(settled.pop(key).join(group))
        elif key in alone:
            pending.append(_Group(alone.pop(key)).join(group))
        else:
            settled[key] = group
    taken = {id(member) for group in settled.values() for member in group.members}
    return list(settled.values()), [result for result in others if id(result) not in taken]


def _groups(results: Iterable[tuple[Ranked, list[tuple[str, str]]]]) -> list[_Group]:
    groups: list[_Group] = []
    index: dict[tuple[str, str], list[_Group]] = {}
    for result, keys in results:
        group, reason = _find(result, keys, index)
        if group is None:
            group = _Group(result)
            groups.append(group)
        else:
            group.add(result, reason)
        for key in set(keys) - group.keys:
            index.setdefault(key, []).append(group)
        group.keys.update(keys)
    return groups


def _keys(hit: Hit) -> list[tuple[str, str]]:
    keys = []
    if hit.url:
        keys.append(("same address", canonical_url(hit.url)))
    if hit.locator is not None:
        keys.append(("same place", f"{hit.locator.corpus}:{hit.locator.path}"))
    if len(hit.content) >= LEAST_TEXT:
        keys.append((_TEXT, " ".join(hit.content[:_PREFIX].casefold().split())[: _PREFIX // 2]))
    return keys


def _find(
    result: Ranked, keys: Iterable[tuple[str, str]], index: dict[tuple[str, str], list[_Group]]
) -> tuple[_Group | None, str]:
    for key in keys:
        by_text = key[0] == _TEXT
        for group in index.get(key, ())[: _MOST_COMPARED if by_text else None]:
            if group.takes(result) and not (by_text and _is_apart(group.members[0].hit, result.hit)):
                return group, key[0]
    return None, ""


def _is_apart(one: Hit, other: Hit) -> bool:
    """Whether titles, or numbers and versions in titles and addresses, tell pages of one text apart; if not, one mirrors it."""
    titles = plain_text(one.title), plain_text(other.title)
    return (titles[0] not in titles[1] and titles[1] not in titles[0]) or _numbers(one) != _numbers(other)


def _numbers(hit: Hit) -> list[str]:
    place = canonical_url(hit.url) if hit.url else hit.locator.path if hit.locator is not None else ""
    return sorted(_NUMBERS(f"{hit.title} {place}".casefold()))


def _merged(group: _Group) -> Ranked:
    if len(group.members) == 1:
        return group.members[0]
    members = sorted(group.members, key=lambda member: heaviest_first(member.shares[0]))
    hits = [member.hit for member in members]
    best: dict[str, Share] = {}
    for share in sorted((share for member in members for share in member.shares), key=heaviest_first):
        best.setdefault(share.source, share)
    return Ranked(one_copy(hits, addresses_of(hits)), tuple(best.values()))


def _dropped(result: Ranked, group: _Group) -> list[Dropped]:
    pairs = zip(group.members[1:], group.reasons, strict=True)
    return [Dropped(member.source, member.hit.title, result.hit.title, reason) for member, reason in pairs]


def _asked_first(results: Sequence[Ranked], version: str) -> tuple[Ranked, ...]:
    """The asked version in the best place that any version of the same page holds."""
    ordered = list(results)
    families: dict[str, list[int]] = {}
    for place, result in enumerate(results):
        if result.hit.url:
            families.setdefault(_VERSION_PART.sub("*", canonical_url(result.hit.url)), []).append(place)
    for places in families.values():
        members = sorted((results[place] for place in places), key=lambda result: not _is_version(result.hit, version))
        for place, member in zip(places, members, strict=True):
            ordered[place] = member
    return tuple(ordered)


def _is_version(hit: Hit, version: str) -> bool:
    if hit.version:
        return hit.version == version
    parts = canonical_url(hit.url).split("/")
    return version in parts or f"v{version}" in parts
