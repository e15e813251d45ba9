"""The passages of books that answer a question, as they stand there, and what else might be asked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.local.graph import texts
from encyclopedia_adapters.local.graph.layer import Layer, View, described
from encyclopedia_adapters.local.graph.match import scored
from encyclopedia_adapters.local.graph.store import several
from encyclopedia_adapters.local.graph.subgraph import touching
from encyclopedia_adapters.shared.sanitize import clean_text

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from encyclopedia_adapters.shared.text_index import Match

MOST_PASSAGES = 20
_LONGEST = 4000
_DEPTH = 60
_QUESTIONS = 5
_ENOUGH = 0.5
_LINK = re.compile(r"\[[^\[\]]*\]\([^()\s]*\)|https?://\S+")
_LIFT = 0.25
"""What a section gains, as a share of the best score, by being about the concept that the question is about."""

_ASKED = {
    "uses": "What does {start} use {end} for?",
    "complements": "What do {start} and {end} add to one another?",
    "enables": "How does {start} make {end} possible?",
    "requires": "Why does {start} need {end}, and what if it is missing?",
    "specializes": "In what is {start} different from other kinds of {end}?",
    "component_of": "Which part of {end} is {start}?",
    "extends": "What does {start} add to {end}?",
    "alternative_to": "When is {start} better than {end}, and when not?",
    "precedes": "Why does {start} come before {end}?",
    "conflicts_with": "Why do {start} and {end} not go together?",
    "related": "How are {start} and {end} related?",
}


def passages(view: View, question: str, concepts: Sequence[str], limit: int) -> list[dict[str, Any]]:
    """The best sections, with score from 0 to 1. With ``concepts`` only sections about them, all of these if need be."""
    con, every = view.con, view.layer.all_of(concepts)
    scope: dict[str, Any] = {"documents": view.layer.books, "tags": tuple(map(texts.tag_of, every)), "embedder": view.embedder}
    found = texts.sections_of(view.folder).search(question, limit=max(limit, _DEPTH), **scope)
    ranked = _lifted(con, found, scored(view, question))
    if concepts:
        sql = "SELECT id, section.book FROM about JOIN section ON id = about.section WHERE concept IN (…) ORDER BY section.rank"
        for section, book in several(con, sql, every):
            if book in view.layer.books:
                ranked.setdefault(section, 0.0)
    best = dict(sorted(ranked.items(), key=lambda item: -item[1])[:limit])
    return [row | {"score": round(best[row["section_id"]], 6)} for row in _rows(con, best, view.layer)]


def _lifted(con: sqlite3.Connection, found: Sequence[Match], meant: dict[str, float]) -> dict[str, float]:
    top = max((match.score for match in found), default=0.0)
    if top <= 0:
        return {}
    shares = {match.id: match.score / top * _prose(match.body) for match in found}
    most = max(meant.values(), default=0.0)
    lift: dict[str, float] = {}
    for section, concept in several(con, "SELECT section, concept FROM about WHERE section IN (…)", shares):
        lift[section] = max(lift.get(section, 0.0), meant.get(concept, 0.0) / most if most else 0.0)
    return {section: (share + _LIFT * lift.get(section, 0.0)) / (1 + _LIFT) for section, share in shares.items()}


def _prose(text: str) -> float:
    """What a text weighs, from .5 to 1: half of it for being prose, which a list of links is not."""
    whole = len(text.split())
    rest = len(_LINK.sub(" ", text).split())
    return (1 + rest / whole) / 2 if whole else 1.0


def _rows(con: sqlite3.Connection, sections: Iterable[str], layer: Layer) -> list[dict[str, Any]]:
    wanted = list(sections)
    about: dict[str, list[str]] = {}
    for section, concept in several(con, "SELECT section, concept FROM about WHERE section IN (…) ORDER BY rank", wanted):
        about.setdefault(section, []).append(layer.head(concept))
    sql = (
        "SELECT section.id, book, book.title, chapter, section.title, content, pages, path, first, last "
        "FROM section JOIN book ON book.id = book WHERE section.id IN (…)"
    )
    found = {row[0]: row for row in several(con, sql, wanted)}
    rows = []
    for name in wanted:
        if name not in found:
            continue
        _, book, called, chapter, title, content, pages, path, first, last = found[name]
        text = clean_text(content, _LONGEST)
        row = {"section_id": name, "book_id": book, "book_title": called, "chapter": chapter, "title": title}
        row |= {"pages": pages or None, "path": path, "lines": [first, last] if first else None, "content": text}
        rows.append(row | {"truncated": text.endswith("…") and len(text) >= _LONGEST - 1, "concept_ids": about.get(name, [])})
    return rows


def suggested(view: View, question: str, concepts: Iterable[str]) -> list[str]:
    """Questions about the surest relations of the concepts; of equal ones those first that have to do with the question."""
    con, layer, meant = view.con, view.layer, scored(view, question)
    edges: dict[tuple[str, str, str], float] = {}
    for start, end, kind, confidence in touching(con, layer.all_of(concepts), layer, _ENOUGH):
        edge = (layer.head(start), layer.head(end), kind)
        if edge[0] != edge[1]:
            edges[edge] = max(edges.get(edge, 0.0), confidence)

    def rank(edge: tuple[str, str, str]) -> tuple[Any, ...]:
        near = sum(max(meant.get(name, 0.0) for name in layer.all_of([end])) for end in edge[:2])
        return (edge[2] == "related", -edges[edge], -near, edge)

    order = sorted(edges, key=rank)[:_QUESTIONS]
    names = described(con, (name for start, end, _ in order for name in (start, end)))
    return [_ASKED[kind].format(start=names[start]["name"], end=names[end]["name"]) for start, end, kind in order]
