"""What graphs of books know of a facet: the concepts that it names, how they are related, and where that is said."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from encyclopedia.model.answer import Findings, Intent, Link, Passage
from encyclopedia.model.errors import ConfigurationError, UsageError
from encyclopedia.model.outcome import Locator
from encyclopedia.wiring.kinds import corpus_kind, of_kind
from encyclopedia.wiring.retrieval import Structure

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from encyclopedia.model.answer import Facet
    from encyclopedia.wiring.build import Engine

KIND = "graph"
_CONCEPTS = 3
"""Concepts that a facet is about."""
_SURFACED = 3
"""Related concepts whose names are searched for too."""
_PASSAGES = 20
_BOOKS = 5
"""Books that are each asked by themselves."""
_PLAIN = ("related",)


def structure(
    engine: Engine, corpora: Sequence[str], project: str = "", *, rebuild: bool = False
) -> Callable[[Facet], Structure]:
    """A function from a facet to what the graphs among ``corpora`` know of it; it may block for some milliseconds.

    With ``rebuild`` the project is brought up to date before the first facet. Raises ``ConfigurationError`` for a project that
    no graph in scope has.
    """
    graphs = [corpus for corpus in of_kind(engine.loaded, KIND) if corpus.name in corpora]
    kind: Any = corpus_kind(engine.groups, KIND) if graphs else None
    verbs = {corpus.name: kind.graph(corpus) for corpus in graphs}
    labels = {corpus.name: str(corpus.label) for corpus in graphs if corpus.label}
    if project:
        verbs = _of_project(verbs, project, rebuild=rebuild)

    def known(facet: Facet) -> Structure:
        found = [_ask(name, graph, facet, project) for name, graph in verbs.items()]
        links = sorted((link for one in found for link in one.findings.links), key=_surest)
        passages = tuple(
            passage._replace(label=labels.get(passage.corpus, "")) for one in found for passage in one.findings.passages
        )
        notes = tuple(note for one in found for note in one.notes)
        return Structure(Findings(passages, tuple(links)), " ".join(one.words for one in found if one.words), notes)

    return known


def _of_project(verbs: dict[str, Any], project: str, *, rebuild: bool) -> dict[str, Any]:
    """The graphs that have the project; it is built where it was not."""
    having = {}
    for name, graph in verbs.items():
        if project in {row["project_id"] for row in graph.list_projects()["projects"]}:
            graph.build_project_kg(project, force=rebuild)
            having[name] = graph
    if not having:
        hint = "`encyclopedia graph project list` shows those there are, `encyclopedia graph project start` makes one"
        raise ConfigurationError(f"no graph in scope has the project {project!r}", hint)
    return having


def _ask(name: str, graph: Any, facet: Facet, project: str) -> Structure:
    """What one graph knows. One that is not indexed, is damaged, or matches nothing, knows nothing."""
    try:
        matched = graph.match_concepts(facet.wording, project_id=project, limit=_CONCEPTS)["matched_concepts"]
        concepts = [row["id"] for row in matched]
        hops = 1 if facet.intent is Intent.FACTUAL else 2
        around = graph.get_subgraph(concepts, max_hops=hops, include_descriptions=True, project_id=project) if concepts else {}
        rows = _passages(graph, facet.wording, project)
    except UsageError:
        return Structure()
    except ConfigurationError as error:
        return Structure(notes=(f"no relations were looked at: {error.message}",))
    names = {node["id"]: str(node["name"]) for node in around.get("nodes", ())}
    edges = around.get("edges", ())
    titles = {row["book_id"]: str(row["book_title"]) for row in rows}
    said = [_said(name, edge, names, titles) for edge in edges] if facet.intent is Intent.RELATIONAL else [None] * len(edges)
    links = tuple(_link(edge, names, passage) for edge, passage in zip(edges, said, strict=True))
    words = ""
    if facet.intent is Intent.RELATIONAL:
        surfaced = [one for link in links for one in (link.source, link.target) if one not in {names.get(c) for c in concepts}]
        words = " ".join(dict.fromkeys(surfaced[:_SURFACED]))
    return Structure(Findings((*(_passage(name, row) for row in rows), *filter(None, said)), links), words)


def _passages(graph: Any, question: str, project: str) -> list[dict[str, Any]]:
    """Passages of every book in turn, so that each has a say; of a whole library those that are best."""
    books = [row["id"] for row in graph.list_books()["books"]]
    if not 1 < len(books) <= _BOOKS:
        found: list[dict[str, Any]] = graph.ask_book(question, project_id=project, max_passages=_PASSAGES)["passages"]
        return found
    most = _PASSAGES // len(books)
    each = [graph.ask_book(question, book_id=book, project_id=project, max_passages=most)["passages"] for book in books]
    return [row for rows in zip_longest(*each) for row in rows if row]


def _said(corpus: str, edge: dict[str, Any], names: dict[str, str], titles: dict[str, str]) -> Passage | None:
    """The sentence that states a relation, as a passage of its book; ``None`` where no sentence with a place does."""
    said = next((row for row in edge.get("provenance", ()) if row["sentence"] and row["path"]), None)
    if said is None:
        return None
    ends = [names.get(edge[end], edge[end]) for end in ("from", "to")]
    related = (" and " if edge["type"] in _PLAIN else f" {edge['type'].replace('_', ' ')} ").join(ends)
    return Passage(
        id=f"{corpus}:{said['path']}#{said['lines'][0]}",
        document=f"{corpus}:{said['book_id']}",
        title=f"{titles.get(said['book_id'], said['book_id'])} > {related}",
        text=said["sentence"],
        corpus=corpus,
        locator=Locator(corpus, said["path"], related, tuple(said["lines"])),
        name=said["book_id"],
    )


def _link(edge: dict[str, Any], names: dict[str, str], passage: Passage | None) -> Link:
    return Link(
        names.get(edge["from"], edge["from"]),
        str(edge["type"]),
        names.get(edge["to"], edge["to"]),
        str(edge.get("description") or ""),
        next(iter(edge.get("book_ids", ())), ""),
        float(edge.get("confidence") or 0.0),
        passage.id if passage else "",
    )


def _passage(corpus: str, row: dict[str, Any]) -> Passage:
    lines = tuple(row["lines"]) if row["lines"] else None
    return Passage(
        id=f"{corpus}:{row['section_id']}",
        document=f"{corpus}:{row['book_id']}",
        title=f"{row['book_title']} > {row['title']}",
        text=row["content"],
        corpus=corpus,
        locator=Locator(corpus, row["path"] or row["book_id"], row["title"], lines),
        name=row["book_id"],
    )


def _surest(link: Link) -> tuple[bool, float]:
    """Typed relations before those that only say that there is one, then by confidence."""
    return link.type in _PLAIN, -link.confidence
