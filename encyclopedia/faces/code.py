"""What stands in a repository about a question: files and lines, and with depth ``deep`` who calls whom."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.faces.code_analysis import analysis
from encyclopedia.faces.degradation import degradation
from encyclopedia.faces.report import outcomes
from encyclopedia.model.errors import ConfigurationError, NothingFound
from encyclopedia.model.nearest import nearest
from encyclopedia.model.ranking import Fusion, Ranked, Ranking, Share
from encyclopedia.stages.merge import in_plan_order
from encyclopedia.stages.reciprocal import Formula

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from encyclopedia.engine.pipeline import Pipeline
    from encyclopedia.faces.code_place import Place
    from encyclopedia.model.outcome import Hit, Outcome, Outcomes, Relation
    from encyclopedia.model.settings import FusionSettings
    from encyclopedia.model.trace import Trace
    from encyclopedia.wiring.catalog import Catalog

DEPTHS = ("shallow", "deep")
READER, GRAPH = "mcp_git_ingest", "codegraph"
SECONDS = 20.0
"""What reading a repository may take, unless the deadline of all queries is longer."""
PASSAGES = 3
"""Places of one file that are shown."""
WHOLE = 120
"""Lines up to which a definition is shown as a whole."""
_KINDS = {"callers": "caller", "callees": "callee", "importers": "importer", "subclasses": "subclass"}


class Want(NamedTuple):
    """What is asked of a repository, by whom: ``lost`` says why nobody can tell who calls whom, empty if somebody can."""

    place: Place
    depth: str
    sources: tuple[str, ...]
    lost: tuple[Mapping[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class CodeFile:
    """A file that answers, at its best passage: ``lines`` are 1-based and inclusive, ``content`` is untrusted text."""

    path: str
    lines: tuple[int, int] | None
    title: str
    section: str
    content: str
    url: str
    score: float
    sources: tuple[str, ...]
    relations: tuple[Relation, ...] = ()

    def to_dict(self, *, deep: bool = False) -> dict[str, object]:
        """The JSON form; ``deep`` adds callers, callees, importers and subclasses."""
        row: dict[str, object] = {
            "path": self.path,
            "lines": list(self.lines) if self.lines else None,
            "title": self.title,
            "section": self.section or None,
            "content": self.content,
            "url": self.url or None,
            "score": self.score,
            "sources": list(self.sources),
        }
        return row | ({name: _rows(self.relations, kind) for name, kind in _KINDS.items()} if deep else {})


@dataclass(frozen=True, slots=True)
class Code:
    """What a repository says. ``code`` is 0, or 2 where nothing was found; ``analysis`` says in sentences what was."""

    repository: str
    question: str
    depth: str
    analysis: str
    files: tuple[CodeFile, ...]
    degraded: bool = False
    code: int = 0
    body: dict[str, Any] = field(default_factory=dict, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: ``status``, ``repository``, ``analysis``, ``files``, best first, ``commit``, ``outcomes`` and more."""
        return dict(self.body)


def want(place: Place, depth: str, catalog: Catalog) -> Want:
    """Whom to ask. Raises ``ConfigurationError`` for an unknown depth."""
    if depth not in DEPTHS:
        raise ConfigurationError(f"unknown depth {depth!r}", nearest(str(depth), DEPTHS))
    if depth == "shallow":
        return Want(place, depth, (READER,))
    graph = catalog.get(GRAPH)
    if graph is None:
        return Want(place, depth, (READER,), (_row("not installed", ""),))
    candidate = graph.candidate
    if candidate.missing and not candidate.on_demand:
        return Want(place, depth, (READER,), (_row(candidate.missing, candidate.hint),))
    base = catalog[READER].options.get("base_url") if READER in catalog else None
    if not place.folder and "://" not in place.name and base != graph.options.get("base_url"):
        remedy = f"set base_url in [sources.{GRAPH}] as in [sources.{READER}]"
        return Want(place, depth, (READER,), (_row("it would read another forge", remedy),))
    return Want(place, depth, (READER, GRAPH))


def by_place(pipeline: Pipeline, settings: FusionSettings) -> Pipeline:
    """The pipeline without a cache, in which places are fused and not pages: a file may hold several that answer."""
    return pipeline._replace(answers=None, fuse=lambda found: fused(found, settings), polish=(), finish=())


def fused(found: Outcomes, settings: FusionSettings) -> Ranking:
    """Weighted Reciprocal Rank Fusion of places: a definition of the graph is at the passage where it begins."""
    weights = {ask.source: ask.weight for ask in found.plan.asks}
    formula = Formula(settings, weights)
    results = []
    for group in groups(found.outcomes):
        shares = [Share(name, rank, weights[name], formula.scores(name, (rank,))[0]) for name, rank, _ in group]
        results.append(Ranked(group[0][2], tuple(sorted(shares, key=lambda share: (-share.score, share.source)))))
    ordered = sorted(results, key=lambda result: (-result.score, result.shares[0].rank, result.source))
    fusion = Fusion(formula.name, formula.k, weights)
    return Ranking(found.plan, in_plan_order(found), tuple(ordered), fusion)


def groups(found: Iterable[Outcome]) -> list[list[tuple[str, int, Hit]]]:
    """The hits of each place, as source, rank and hit; those of the source that gives whole passages first."""
    made: list[list[tuple[str, int, Hit]]] = []
    for outcome in sorted(found, key=lambda outcome: (outcome.source != READER, outcome.source)):
        for rank, hit in enumerate(outcome.reply.hits, 1):
            same = next((group for group in made if _begins_in(hit, group[0][2])), None)
            if same is None:
                made.append([(outcome.source, rank, hit)])
            elif all(name != outcome.source for name, _, _ in same):
                same.append((outcome.source, rank, hit))
    return made


def unread(asked: Want, question: str) -> dict[str, object]:
    """What the error says of a repository that nobody could read."""
    return {"repository": asked.place.name, "question": question, "depth": asked.depth, "files": []}


def code_from(trace: Trace[Ranking], asked: Want, limit: int) -> Code:
    """Read a finished search in one repository."""
    ranking = trace.value
    question, shown = ranking.plan.query.text, asked.place.name
    deep = asked.depth == "deep"
    files = tuple(_files(ranking, limit))
    reduced = _degradation(trace, asked.lost)
    head: dict[str, Any] = {"schema_version": 1, "status": "success"}
    if not files:
        head = {"schema_version": 1, "status": "error", "code": NothingFound.code, **_nothing(question, shown, reduced)}
    told = analysis(files)
    notes = [*filter(None, (asked.place.note,)), *ranking.plan.question.notes]
    notes += [f"{outcome.source}: {outcome.reply.note}" for outcome in ranking.outcomes if outcome.reply.note]
    body = head | {
        "repository": shown,
        "question": question,
        "depth": asked.depth,
        "analysis": told,
        "files": [file.to_dict(deep=deep) for file in files],
        "commit": _commit(ranking.outcomes),
        "outcomes": outcomes(ranking),
        **reduced,
        "notes": notes,
    }
    return Code(shown, question, asked.depth, told, files, bool(reduced["degraded"]), 0 if files else NothingFound.code, body)


def _files(ranking: Ranking, limit: int) -> Iterator[CodeFile]:
    """The best places, at most ``PASSAGES`` of a file; the lines are those of a whole definition unless it is long."""
    by_first = {id(group[0][2]): group for group in groups(ranking.outcomes)}
    taken: Counter[str] = Counter()
    for ranked in ranking.results:
        hits = {name: hit for name, _, hit in by_first[id(ranked.hit)]}
        graph = hits.get(GRAPH)
        best = graph if graph and _length(graph) < WHOLE else min(hits.values(), key=_length)
        at = best.locator
        if at is None or not at.path or taken[at.path] == PASSAGES:
            continue
        taken[at.path] += 1
        text = hits.get(READER, best).content
        relations = graph.relations if graph else ()
        sources = tuple(share.source for share in ranked.shares)
        yield CodeFile(at.path, at.lines, best.title, at.section, text, best.url, ranked.score, sources, relations)
        if taken.total() == limit:
            return


def _lines(hit: Hit) -> tuple[int, int]:
    return hit.locator.lines if hit.locator and hit.locator.lines else (0, 0)


def _length(hit: Hit) -> int:
    first, last = _lines(hit)
    return last - first


def _begins_in(hit: Hit, other: Hit) -> bool:
    here, there = hit.locator, other.locator
    first, last = _lines(other)
    return here is not None and there is not None and here.path == there.path and first <= _lines(hit)[0] <= last


def _rows(relations: Iterable[Relation], kind: str) -> list[dict[str, object]]:
    return [
        {"name": one.name, "path": one.path, "line": one.line} | ({"how": one.how} if one.how else {})
        for one in relations
        if one.kind == kind
    ]


def _row(reason: str, hint: str) -> dict[str, object]:
    return {"source": GRAPH, "reason": reason, "optional": False} | ({"hint": hint} if hint else {})


def _commit(found: Sequence[Outcome]) -> str | None:
    return next((hit.version for outcome in found for hit in outcome.reply.hits if hit.version), None)


def relations_of(row: Mapping[str, Any]) -> tuple[Relation, ...]:
    """The relations of a file from its JSON form."""
    from encyclopedia.model.outcome import Relation

    return tuple(
        Relation(kind, one["name"], one["path"], one["line"], one.get("how", ""))
        for name, kind in _KINDS.items()
        for one in row.get(name, ())
    )


def _degradation(trace: Trace[Ranking], lost: Sequence[Mapping[str, object]]) -> dict[str, Any]:
    told: dict[str, Any] = degradation(trace)
    if lost:
        told["degraded"] = True
        told["degradation"]["missing"] += lost
    return told


def _nothing(question: str, repository: str, reduced: Mapping[str, Any]) -> dict[str, str]:
    if reduced["degradation"]["errors"]:
        return {"message": f"nothing found in what could be read of {repository}", "hint": "ask again, or with more --timeout"}
    return {"message": f"nothing found in {repository} about {question!r}", "hint": "use words that stand in the code"}
