"""Which concepts a description or a question is about."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.local.graph import texts
from encyclopedia_adapters.local.graph.layer import described
from encyclopedia_adapters.local.graph.mentions import Names
from encyclopedia_adapters.local.graph.rows import concepts_of
from encyclopedia_adapters.local.graph.store import several

if TYPE_CHECKING:
    from encyclopedia_adapters.local.graph.layer import Layer, View
    from encyclopedia_adapters.shared.text_index import TextIndex

_DEPTH = 60
_OWN, _TEXT, _NAMED, _DOUBTFUL = 0.4, 0.6, 0.2, 0.05
"""What counts of a concept's score: its own words, the best section about it, and that it is named: surely, or perhaps.

Of 48 paraphrases of what patterns do, 44 have the right one among the first three, of .3 to .7 for its own words the most.
"""

_LEAST = 0.001
_TITLE, _HEADING = 0.1, 0.25
"""What the words of a name, and of a heading, count besides. Most names are made of ordinary words of others' definitions."""


def match(view: View, description: str, limit: int) -> dict[str, Any]:
    """The concepts nearest to the description, best first, with scores from 0 to 1; in a project one for all its books."""
    layer = view.layer
    best: dict[str, float] = {}
    for concept, score in scored(view, description).items():
        head = layer.head(concept)
        best[head] = max(best.get(head, 0.0), score)
    ranked = sorted((head for head in best if best[head] >= _LEAST), key=lambda head: (-best[head], head))[:limit]
    known = described(view.con, (name for head in ranked for name in (head, *layer.members.get(head, ()))))
    mark = hashlib.sha256(" ".join(description.lower().split()).encode("utf-8", "replace")).hexdigest()
    return {
        "consultation_id": f"{mark[:12]}{'.' if layer.project else ''}{layer.project}",
        "project_fingerprint": mark,
        "project_id": layer.project or None,
        "matched_concepts": [_row(head, best[head], layer, known) for head in ranked if head in known],
    }


def scored(view: View, text: str) -> dict[str, float]:
    """The score of each concept that the text has something to do with."""
    found = {name: _OWN * share for name, share in _found(view, texts.concepts_of(view.folder), text, _TITLE).items()}
    sections = _found(view, texts.sections_of(view.folder), text, _HEADING)
    by_text: dict[str, float] = {}
    for section, concept in several(view.con, "SELECT section, concept FROM about WHERE section IN (…)", sections):
        by_text[concept] = max(by_text.get(concept, 0.0), sections[section])
    for concept, share in by_text.items():
        found[concept] = found.get(concept, 0.0) + _TEXT * share
    for concept, extra in _named(view, text).items():
        found[concept] = found.get(concept, 0.0) + extra
    return {concept: min(score, 1.0) for concept, score in found.items()}


def _found(view: View, index: TextIndex, text: str, title: float) -> dict[str, float]:
    """What is found, against the best; by words alone what holds little of the text counts little, however rare they are."""
    coverage = index.coverage(text)
    matches = index.search(text, limit=_DEPTH, documents=view.layer.books, title=title, embedder=view.embedder)
    scores = {
        match.id: match.score
        * (
            coverage.share(match.title, match.also, match.body)
            if match.near is None
            else (1 + coverage.share(match.title, match.also, match.body)) / 2
        )
        for match in matches
    }
    most = max(scores.values(), default=0.0)
    return {name: score / most for name, score in scores.items() if score > 0}


def _named(view: View, text: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for book in view.layer.books:
        for mention in Names(concepts_of(view.con, book)).find(text):
            found[mention.concept] = max(found.get(mention.concept, 0.0), _NAMED if mention.sure else _DOUBTFUL)
    return found


def _row(head: str, score: float, layer: Layer, known: dict[str, dict[str, Any]]) -> dict[str, Any]:
    one = known[head]
    row: dict[str, Any] = {"id": head, "name": one["name"], "category": one["category"], "score": round(score, 6)}
    row["book_id"] = one["book_id"]
    if layer.project:
        members = layer.members.get(head, (head,))
        row["book_ids"] = sorted({known[member]["book_id"] for member in members})
        row["members"] = list(members)
    return row
