"""Books as a graph: which there are, which concepts are meant, what lies around them, what the books say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import NothingFound, UsageError
from encyclopedia.model.nearest import nearest
from encyclopedia.wiring.kinds import chosen, corpus_kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.wiring.build import Engine

KIND = "graph"
VERBS: Mapping[str, tuple[str, ...]] = {
    "list_books": (),
    "match_concepts": ("project_description", "project_id", "limit"),
    "get_subgraph": (
        "concept_ids",
        "max_hops",
        "max_edges",
        "confidence_threshold",
        "include_descriptions",
        "project_id",
        "consultation_id",
    ),
    "ask_book": ("question", "concept_ids", "book_id", "project_id", "max_passages", "consultation_id"),
    "start_project": ("name", "project_description", "project_id", "triaged_book_ids"),
    "build_project_kg": ("project_id", "force"),
    "list_projects": (),
    "merges": ("project_id",),
    "export": ("folder",),
    "take_in": ("path", "name"),
    "drop": ("name",),
}
"""The verbs, with the options of each; the first of an option list is wanted."""

_WITH_MODEL = {"match_concepts": "one", "ask_book": "one", "build_project_kg": "many", "take_in": "many"}
_FOUND = {"match_concepts": "matched_concepts", "ask_book": "passages"}


def graph(engine: Engine, verb: str, *, corpus: str = "", **options: Any) -> dict[str, Any]:
    """Ask one corpus of kind graph, by default the only one; ``verb`` and ``options`` are those of ``VERBS``.

    The body is that of the verb with ``schema_version`` and ``status``; nothing found is ``code`` 2 with the same shape. Raises
    ``ConfigurationError`` for a corpus, book, project or concept that is not there, ``UsageError`` for what cannot be asked.
    """
    if verb not in VERBS:
        raise UsageError(f"unknown verb {verb!r}", nearest(verb, VERBS))
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in VERBS[verb]:
            raise UsageError(f"{verb} has no option {name!r}", nearest(name, VERBS[verb]))
    if VERBS[verb] and VERBS[verb][0] not in given:
        raise UsageError(f"{verb} needs {VERBS[verb][0]}", f"{verb} takes {', '.join(VERBS[verb])}")
    meant = chosen(engine.loaded, KIND, corpus)
    asked = corpus_kind(engine.groups, KIND).graph(meant)
    if verb in _WITH_MODEL:
        given["embedder"] = engine.embedder if _WITH_MODEL[verb] == "one" else engine.embedder.bulk()
    body = _body(verb, getattr(asked, verb)(**given))
    if body.get("removed") and (problem := engine.stores.forget(meant.name)):
        body["notes"] = [*body.get("notes", ()), problem]
    return body


def _body(verb: str, found: dict[str, Any]) -> dict[str, Any]:
    """The result with its head; one that holds nothing says so."""
    if verb in _FOUND and not found[_FOUND[verb]]:
        told = "no concept fits" if verb == "match_concepts" else "no passage holds any of the words"
        return {**NothingFound(told, "ask in other words, or look at `list_books`").to_dict(), **found}
    return {"schema_version": 1, "status": "success", **found}
