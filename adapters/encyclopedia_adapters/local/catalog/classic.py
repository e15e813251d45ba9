"""The additive scores of the first loader: what a term meets in the catalog, and in the bodies where that is not enough."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from encyclopedia.model.topic import TopicLoad
    from encyclopedia_adapters.local.catalog.entry import Entry

STOP_WORDS = frozenset(
    [
        "the",
        "a",
        "an",
        "and",
        "or",
        "but",
        "if",
        "of",
        "to",
        "in",
        "on",
        "for",
        "with",
        "as",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "do",
        "does",
        "did",
        "from",
        "by",
        "at",
        "what",
        "how",
        "why",
        "when",
        "where",
        "all",
        "any",
        "this",
        "that",
        "these",
        "those",
        "i",
        "you",
        "we",
        "they",
        "it",
        "its",
        "their",
        "them",
        "us",
        "our",
    ]
)
BODY = 2
"""What a term counts that stands in the body of a page."""

Signal = tuple[str, int]


class Scored(NamedTuple):
    """The scores of one question by slug, and what reading the bodies did: how many entities it added, to how many."""

    scores: Mapping[str, float]
    catalog: int = 0
    added: int = 0


def tokens(text: str) -> list[str]:
    """Lower-case words of two letters or more that say something; hyphens and underscores stay in them."""
    return [word for word in re.findall(r"[a-z0-9_-]+", text.lower()) if word not in STOP_WORDS and len(word) > 1]


def terms_of(asked: TopicLoad) -> list[str]:
    """The terms of the topic, each as often as it is asked; with others beside it all of them once, the topic's first."""
    own = tokens(asked.topic)
    return list(dict.fromkeys((*own, *(term for text in asked.terms for term in tokens(text))))) if asked.terms else own


def score(asked: TopicLoad, entries: Sequence[Entry], body: Callable[[Entry], str | None]) -> Scored:
    """What every entity scores that meets a term.

    The bodies are read when fewer than ``n`` entities match in the catalog, when the best of them scores below
    ``tier2_floor``, or when that is asked for. ``body`` gives the text of a page, ``None`` if it cannot be read.
    """
    terms = terms_of(asked)
    found: dict[str, float] = {}
    for entry in entries:
        if points := sum(point for _, point in trace(entry, terms)):
            found[entry.slug] = points
    first = len(found)
    if asked.body_search or first < asked.n or max(found.values(), default=0) < asked.tier2_floor:
        for entry in entries:
            text = (body(entry) or "").lower()
            if bonus := BODY * sum(term in text for term in terms):
                found[entry.slug] = found.get(entry.slug, 0) + bonus
    return Scored(found, first, len(found) - first)


def trace(entry: Entry, terms: Iterable[str]) -> list[Signal]:
    """What each term meets in the block of an entity, with its points."""
    slug, claim = entry.slug.lower(), entry.claim.lower()
    aliases = [alias for alias in map(str.lower, entry.aliases) if alias != slug]  # its own name would count twice
    tags = [tag.lower() for tag in entry.tags]
    links = [link.lower() for link in (*entry.out_links, *entry.in_links)]
    sources = [source.lower() for source in entry.sources]
    found: list[Signal] = []
    for term in terms:
        found += _first("slug", term, (slug,), 10, 5)
        found += _first("alias", term, aliases, 8, 4)
        found += _first("tag", term, tags, 4, 3)
        found += [(f"claim~{term}", 3)] if term in claim else []
        found += [(f"link~{term}", 1)] if any(term in link for link in links) else []
        found += [(f"src~{term}", 1)] if any(term in source for source in sources) else []
    return found


def _first(label: str, term: str, names: Iterable[str], whole: int, part: int) -> list[Signal]:
    """The points for the first name that the term is or stands in."""
    name = next((name for name in names if term in name), None)
    if name is None:
        return []
    return [(f"{label}=={term}", whole)] if name == term else [(f"{label}~{term}", part)]
