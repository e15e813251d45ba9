"""Measures search on questions with known answers: the same way of a query as ever, without stored answers and history."""

from __future__ import annotations

import asyncio
from functools import partial
from statistics import median, quantiles
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.faces import roster
from encyclopedia.faces.evaluations import configuration
from encyclopedia.faces.requests import names as names_of
from encyclopedia.faces.requests import query_from
from encyclopedia.faces.standing import failure, reason_of
from encyclopedia.model.errors import ConfigurationError, NoSourceAnswered, UsageError
from encyclopedia.model.nearest import nearest
from encyclopedia.stages.measure import mean, measure
from encyclopedia.wiring.corpora import registered
from encyclopedia.wiring.kinds import corpus_kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from encyclopedia.faces.gold import Asked, Gold
    from encyclopedia.faces.roster import Resolved
    from encyclopedia.model.corpus import Corpus
    from encyclopedia.model.ranking import Ranking
    from encyclopedia.ports import Progress
    from encyclopedia.wiring.build import Engine

CUTOFFS = (1, 5, 10)
DEEPEST = 100
"""Results that a search can be asked for."""


class Want(NamedTuple):
    """How to measure: whom to ask, how many results, the places to count at, and what of the way of a query is switched off.

    ``allow_unknown`` takes expected ids that no document has as never found.
    """

    corpora: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    cutoffs: tuple[int, ...] = CUTOFFS
    limit: int = 0
    type: str | None = None
    correct: bool = True
    expand: bool = True
    allow_unknown: bool = False

    @property
    def depth(self) -> int:
        """The results that each question asks for."""
        return self.limit or max(*self.cutoffs, 10)


def want(options: Mapping[str, Any]) -> Want:
    """The wishes as values. Raises ``UsageError`` for what does not fit together."""
    for name in options:
        if name not in Want._fields:
            raise UsageError(f"unknown option {name!r}", nearest(name, Want._fields))
    given = {name: value for name, value in options.items() if value is not None}
    for name in ("corpora", "sources"):
        given[name] = names_of(given.get(name))
    made = Want(**given)._replace(cutoffs=tuple(sorted(set(given.get("cutoffs", CUTOFFS)))))
    if not made.corpora and not made.sources:
        raise UsageError("nothing was named to be measured", "name it with --corpus NAME or --sources a,b")
    if not made.cutoffs or made.cutoffs[0] < 1:
        raise UsageError("the numbers of places must be above 0", "for example 1,5,10")
    if not made.cutoffs[-1] <= made.depth <= DEEPEST:
        raise UsageError(
            f"of {made.depth} results the first {made.cutoffs[-1]} cannot be counted",
            f"the limit is at least the largest number of places, and at most {DEEPEST}",
        )
    return made


async def evaluate(engine: Engine, gold: Gold, wanted: Want, progress: Progress) -> dict[str, Any]:
    """Ask every question of the gold set, one after the other; the JSON form of ``encyclopedia eval``.

    Corpora are brought up to date first. Raises ``ConfigurationError`` for unknown names and expected ids that no document
    has, ``NoSourceAnswered`` (with the body in its ``details``) where a question could not be asked.
    """
    _check_names(engine, wanted)
    asked = {*wanted.corpora, *wanted.sources}
    corpora = {one.name: one for one in registered(engine.loaded) if one.name in asked}
    told = await asyncio.to_thread(_prepare, engine, corpora, progress)
    ids = dict.fromkeys(id for one in gold.asked for id in one.relevant)
    resolved = await asyncio.to_thread(roster.resolve, ids, told, whole=asked <= set(told))
    if resolved.unknown and not wanted.allow_unknown:
        raise roster.complain(resolved.unknown)
    made_with = configuration(engine, wanted, corpora)
    start, rows = perf_counter(), list[dict[str, Any]]()
    for number, one in enumerate(gold.asked):
        progress(one.query, number, len(gold.asked))
        rows.append(await _ask(engine, one, wanted, resolved, tuple(told)))
    body = _body(gold, rows, resolved, perf_counter() - start) | {"configuration": made_with}
    if failed := body["failed"]:
        first = f"{failed[0]['query']!r}: {failed[0]['reason']}"
        raise NoSourceAnswered(
            f"{len(failed)} of {len(rows)} questions could not be asked, the first {first}",
            "`encyclopedia doctor` says what to do about each source",
            {key: value for key, value in body.items() if key not in ("schema_version", "status")},
        )
    return body


def _check_names(engine: Engine, wanted: Want) -> None:
    corpora = [name for name, entry in engine.catalog.items() if entry.card.corpus]
    for what, names, known in (("corpus", wanted.corpora, corpora), ("source", wanted.sources, list(engine.catalog))):
        for name in names:
            if name not in known:
                raise ConfigurationError(f"unknown {what} {name!r}", nearest(name, known))


def _prepare(engine: Engine, corpora: Mapping[str, Corpus], progress: Progress) -> dict[str, roster.Names]:
    """Bring the corpora up to date; for each that can tell, what its documents are called."""
    told: dict[str, roster.Names] = {}
    for name, corpus in corpora.items():
        kind = corpus_kind(engine.groups, corpus.kind)
        kind.index(corpus, progress, embedder=engine.embedder())
        if hasattr(kind, "names"):  # a kind of somebody else's making may be older than this question
            told[name] = partial(kind.names, corpus)
    return told


async def _ask(engine: Engine, one: Asked, wanted: Want, resolved: Resolved, corpora: Sequence[str]) -> dict[str, Any]:
    """One question asked and measured: its row."""
    relevant = {resolved.keys[id]: grade for id, grade in one.relevant.items()}
    row: dict[str, Any] = {"id": one.id, "query": one.query, "expected": one.expected}
    start = perf_counter()
    try:
        ranking = await _ranking(engine, one.query, wanted)
    except UsageError as error:
        return row | {"failed": error.message}
    lost = [failure(outcome) for outcome in ranking.outcomes if not outcome.answered]
    lost += [f"{one.source}: {reason_of(ranking.plan, one)}" for one in ranking.plan.declined if one.refused]
    if lost or not ranking.outcomes:
        return row | {"failed": "; ".join(lost) or "nobody could be asked"}
    reduced = [f"{outcome.source}: {outcome.reply.reduced}" for outcome in ranking.outcomes if outcome.reply.reduced]
    found = _labels(ranking, relevant, corpora, parts=resolved.parts)
    back = {key: id for id, key in resolved.keys.items()}
    return row | {
        "found": [back.get(label, label) for label in found],
        "places": {id: found.index(key) + 1 if (key := resolved.keys[id]) in found else None for id in one.expected},
        "ms": round((perf_counter() - start) * 1000, 1),
        "metrics": measure(found, relevant, wanted.cutoffs),
        **({"reduced": "; ".join(reduced)} if reduced else {}),
    }


async def _ranking(engine: Engine, query: str, wanted: Want) -> Ranking:
    options = {"limit": wanted.depth, "correct": wanted.correct, "expand": wanted.expand, "type": wanted.type}
    asked, _ = query_from(query, options | {"corpora": wanted.corpora or None, "sources": wanted.sources or None})
    return (await engine.pipeline._replace(answers=None, profile=None).carry_out(engine.pipeline.prepare(asked))).value


def _labels(ranking: Ranking, relevant: Mapping[str, float], corpora: Sequence[str], *, parts: bool) -> list[str]:
    """The ranking as ids: what was judged by that name, all else by its own; each counts once, at its best place.

    Unless parts of documents were judged, all passages of a document are that document.
    """
    labels = []
    for ranked in ranking.results:
        named = roster.keys(ranked.hit, corpora)
        place = ranked.hit.locator
        whole = f"{place.corpus}:{place.path}" if place and not parts else named[0]
        labels.append(next((name for name in named if name in relevant), whole))
    return list(dict.fromkeys(labels))


def _body(gold: Gold, rows: list[dict[str, Any]], resolved: Resolved, seconds: float) -> dict[str, Any]:
    good = [row for row in rows if "failed" not in row]
    times = [row["ms"] for row in good] or [0.0]
    slow = quantiles(times, n=20, method="inclusive")[-1] if len(times) > 1 else times[0]
    notes = [f"{gold.left_out} queries without a relevant document are left out"] if gold.left_out else []
    if resolved.unchecked:
        notes.append(f"{len(resolved.unchecked)} expected ids could not be checked: nobody can list what these sources hold")
    if reduced := [row["reduced"] for row in good if "reduced" in row]:
        notes.append(f"{len(reduced)} answers were less than the source can give, the first because of {reduced[0]}")
    return {
        "schema_version": 1,
        "status": "success",
        "gold": {"name": gold.name, "digest": gold.digest, "queries": len(gold.asked)},
        "unit": "part" if resolved.parts else "document",
        "metrics": mean([row["metrics"] for row in good]),
        "measured": len(good),
        "time": {"seconds": round(seconds, 3), "median_ms": median(times), "p95_ms": round(slow, 1)},
        "unknown": [{"id": id, "nearest": list(near)} for id, near in resolved.unknown.items()],
        "failed": [{"query": row["query"], "reason": row["failed"]} for row in rows if "failed" in row],
        "notes": notes,
        "queries": rows,
    }
