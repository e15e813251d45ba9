"""Choices from curated tables: search one table, ground a query, validate a manifest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import ConfigurationError, NothingFound, UsageError
from encyclopedia.model.nearest import nearest
from encyclopedia.wiring.kinds import chosen, corpus_kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from encyclopedia.wiring.build import Engine

KIND = "grounding"
VERBS = ("search", "ground", "validate")
LONGEST = 4000
"""Characters of a query that are read, as in a search."""
OPTIONS = {
    "search": ("domain", "stack", "filters", "max_results", "retriever"),
    "ground": ("context", "persist", "project", "page"),
    "validate": (),
}


def ground(
    engine: Engine, query: str = "", *, corpus: str = "", manifest: str = "", verb: str = "ground", **options: Any
) -> dict[str, Any]:
    """Ask one corpus of kind grounding, by default the only one, or the one of a manifest by its path.

    ``verb`` is ``ground`` (options ``context``, a table of flags, and ``persist``, a folder, with ``project`` and ``page``),
    ``search`` (``domain`` or ``stack``, ``filters`` as column → text or list of texts, ``max_results``, ``retriever``) or
    ``validate``. The shapes are those of the v1 contract, with ``schema_version`` and ``status``; nothing found is ``code`` 2
    with the same shape, and ``notes`` tell what is overdue or was cut. ``ground`` runs the rules module of a corpus that has
    one: name only manifests that you trust, and never one that a stranger gave. Raises ``ConfigurationError``, ``UsageError``.
    """
    if verb not in VERBS:
        raise UsageError(f"unknown verb {verb!r}", nearest(verb, VERBS))
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in OPTIONS[verb]:
            raise UsageError(f"{verb} has no option {name!r}", nearest(name, OPTIONS[verb]))
    if corpus and manifest:
        raise UsageError("a corpus and a manifest were given", "give one of the two")
    kind = corpus_kind(engine.groups, KIND)
    path = manifest or chosen(engine.loaded, KIND, corpus).path
    verbs: dict[str, Callable[..., dict[str, Any]]] = {"search": _search, "ground": _ground, "validate": _validate}
    body = verbs[verb](kind, path, query[:LONGEST], given)
    cut = [f"only the first {LONGEST} characters of the query were read"] if len(query) > LONGEST else []
    return body | ({"notes": [*body.get("notes", ()), *cut]} if cut else {})


def _search(kind: Any, path: str, query: str, options: dict[str, Any]) -> dict[str, Any]:
    filtered = options.get("filters") or options.get("retriever") in ("structured", "hybrid")
    found = kind.search(path, _checked(query, needed=not filtered), **options)
    return _body(found, found["count"] > 0)


def _ground(kind: Any, path: str, query: str, options: dict[str, Any]) -> dict[str, Any]:
    context = options.get("context", {})
    if not isinstance(context, dict):
        raise UsageError("the context is no table of flags", """for example {"data_heavy": true}""")
    found = kind.ground(path, _checked(query), context)
    if options.get("persist"):
        names = {name: options.get(name) for name in ("project", "page")}
        found["persisted"] = kind.persist(found, options["persist"], **names)
    return _body(found, any(selection["best"] for selection in found["selections"].values()))


def _validate(kind: Any, path: str, _query: str, _options: dict[str, Any]) -> dict[str, Any]:
    found = kind.validate(path)
    if found["valid"]:
        return {"schema_version": 1, "status": "success", **found}
    number = len(found["errors"])
    told = f"{found['manifest']} breaks the contract in {number} place{'' if number == 1 else 's'}"
    error = ConfigurationError(told, "mend what `errors` lists, and validate again")
    return {**error.to_dict(), **found}


def _checked(query: str, *, needed: bool = True) -> str:
    if needed and not query.strip():
        raise UsageError("the query is empty", "say in a few words what you are about to decide")
    return query


def _body(found: dict[str, Any], any_row: bool) -> dict[str, Any]:
    """The result with its head; one without a row says so, and is a result all the same."""
    if any_row:
        return {"schema_version": 1, "status": "success", **found}
    reason = (*found["evidence_gap"], "no row matched")[0]
    return {**NothingFound(reason, "decide on other grounds, or ask in other words").to_dict(), **found}
