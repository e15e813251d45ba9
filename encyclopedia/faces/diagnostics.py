"""What verbose, explain and dry-run show: the trace, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.model.query import Question

if TYPE_CHECKING:
    from encyclopedia.model.plan import Plan
    from encyclopedia.model.ranking import Ranking
    from encyclopedia.model.trace import Trace


def dry_run(trace: Trace[Plan], cache: str) -> dict[str, object]:
    """The report of a search that stops after routing; ``cache`` says what the cache would have done."""
    plan = trace.value
    return {
        "schema_version": 1,
        "status": "dry_run",
        "query": plan.query.text,
        "query_type": plan.question.type.value,
        "query_analysis": analysis(plan),
        "target_sources": [ask.source for ask in plan.asks],
        "source_health": {name: health.state for name, health in plan.health.items()},
        "cache_status": cache,
        "plan": {
            "deadline": plan.deadline,
            "sources": [
                {
                    "source": ask.source,
                    "text": ask.request.text,
                    "weight": ask.weight,
                    "timeout": ask.request.timeout,
                    "limit": ask.request.limit,
                    "role": ask.role.value,
                }
                for ask in plan.asks
            ],
            "declined": [
                {"source": d.source, "reason": d.reason, "optional": d.optional, "refused": d.refused} for d in plan.declined
            ],
            "fallback_used": plan.fallback_used,
            "widened": plan.widened,
        },
        "notes": list(plan.question.notes),
        "stages": stages(trace),
    }


def verbose(trace: Trace[Ranking]) -> dict[str, object]:
    """How a search came to its answer: analysis, routing, fusion, cache, stage times."""
    ranking, plan = trace.value, trace.value.plan
    use = ranking.cache
    return {
        "query_analysis": analysis(plan),
        "source_routing": {
            "target_sources": [ask.source for ask in plan.asks],
            "health_filtered": [d.source for d in plan.declined if d.refused],
            "fallback_used": plan.fallback_used,
            "widened": plan.widened,
        },
        "fusion": {
            "formula": ranking.fusion.formula,
            "k": ranking.fusion.k,
            "weights": dict(ranking.fusion.weights),
            "per_source_results": {o.source: len(o.reply.hits) + len(o.reply.alternatives) for o in ranking.outcomes},
            "dropped_duplicates": [
                {"source": d.source, "title": d.title, "kept": d.kept, "reason": d.reason} for d in ranking.fusion.dropped
            ],
        },
        "cache": {
            "status": use.status,
            "matched_query": use.matched_query or None,
            "similarity": use.similarity,
            "age": use.age,
            "refused_by": use.refused_by or None,
        }
        | ({"reason": use.reason} if use.reason else {}),
        "profiler": {"adaptive_enabled": plan.adjusted is not None, "adjustments": dict(plan.adjusted or {})},
        "waiting": _waiting(plan, ranking),
        "stages": stages(trace),
    }


def _waiting(plan: Plan, ranking: Ranking) -> dict[str, object]:
    """For how long whom was waited, and what was learned that decided it."""
    known = {name: waiting._asdict() for name, waiting in plan.waiting.items()}
    return {
        "deadline": plan.deadline,
        "soft_deadline": plan.soft_deadline or None,
        "sources": {ask.source: {"timeout": ask.request.timeout} | known.get(ask.source, {}) for ask in plan.asks},
        "hedged": [outcome.source for outcome in ranking.outcomes if outcome.hedged],
    }


def explain(trace: Trace[Ranking]) -> list[dict[str, object]]:
    """Each step of a search with what it was given and what it made of it."""
    return [
        {"name": step.name, "before": _brief(step.before), "after": _brief(step.after), "absent": step.absent or None}
        for step in trace.steps
    ]


def analysis(plan: Plan) -> dict[str, object]:
    """What was made of the words of a query."""
    question = plan.question
    return {
        "raw_query": plan.query.text,
        "text": question.text,
        "classified_type": question.type.value,
        "rule": question.rule,
        "library": question.library or None,
        "repository": question.repository or None,
        "corrections": [f"{c.original} → {c.replacement}" for c in question.corrections],
        "expansions": [[e.term, *e.alternatives] for e in question.expansions],
        "adapted": {ask.source: ask.request.text for ask in plan.asks},
    }


def stages(trace: Trace[Any]) -> list[dict[str, object]]:
    """Name, milliseconds and absence of each step."""
    return [{"name": s.name, "ms": round(s.seconds * 1000, 3), "absent": s.absent or None} for s in trace.steps]


def _brief(value: object) -> object:
    """A value in a line or two."""
    if isinstance(value, Question):
        return {
            "text": value.text,
            "type": value.type.value,
            "corrections": [f"{c.original} → {c.replacement}" for c in value.corrections],
            "expansions": [[e.term, *e.alternatives] for e in value.expansions],
            "wordings": {w.form.value: w.text for w in value.wordings},
        }
    for brief in (_brief_plan, _brief_found, _brief_ranking):
        row = brief(value)
        if row is not None:
            return row
    return {"text": getattr(value, "text", str(type(value).__name__))}


def _brief_plan(value: Any) -> dict[str, object] | None:
    if not hasattr(value, "asks"):
        return None
    return {
        "asks": {ask.source: ask.request.text for ask in value.asks},
        "declined": {d.source: d.reason for d in value.declined},
    }


def _brief_found(value: Any) -> dict[str, object] | None:
    if hasattr(value, "results") or not hasattr(value, "outcomes"):
        return None
    return {outcome.source: f"{outcome.status.value}, {len(outcome.reply.hits)} results" for outcome in value.outcomes}


def _brief_ranking(value: Any) -> dict[str, object] | None:
    if not hasattr(value, "results"):
        return None
    return {"results": [f"{ranked.score:.6f} {ranked.hit.title}" for ranked in value.results]}
