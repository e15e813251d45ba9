"""In what an answer is less than the configuration promises, as one list with reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.engine.pipeline import OPTIONAL, absent
from encyclopedia.faces.standing import reason_of

if TYPE_CHECKING:
    from encyclopedia.model.plan import Plan
    from encyclopedia.model.ranking import Ranking
    from encyclopedia.model.trace import Trace


def degradation(trace: Trace[Ranking]) -> dict[str, object]:
    """``{"degraded": bool, "degradation": {"missing": […], "errors": […]}}``.

    Missing is what was not asked or not there, errors what was asked and failed or answered less than it can. An optional row
    degrades nothing.
    """
    plan = trace.value.plan
    lost = missing(plan)
    lost += [
        {"source": name, "reason": f"stage absent: {reason}", "optional": name in OPTIONAL} for name, reason in absent(trace)
    ]
    if trace.value.cache.stale:
        reason = "a stored answer past its lifetime, which is being asked anew"
        lost.append({"source": "cache", "reason": reason, "optional": True})
    if not plan.primaries:
        reason = f"no primary source of {plan.question.type.value} is configured"
        lost.append({"source": plan.question.type.value, "reason": reason, "optional": False})
    if plan.fallback_used:
        reason = "fallback sources replace the primary ones"
        lost.append({"source": plan.question.type.value, "reason": reason, "optional": False})
    errors: list[dict[str, object]] = []
    for outcome in trace.value.outcomes:
        if not outcome.answered:
            message = outcome.reason or outcome.status.value
            errors.append({"source": outcome.source, "message": message, "optional": outcome.optional})
        elif outcome.reply.reduced:
            errors.append({"source": outcome.source, "message": outcome.reply.reduced, "optional": outcome.optional})
    degraded = not all(row["optional"] for row in (*lost, *errors))
    return {"degraded": degraded, "degradation": {"missing": lost, "errors": errors}}


def missing(plan: Plan) -> list[dict[str, object]]:
    """A row with reason and remedy for everybody whom a plan leaves out."""
    rows: list[dict[str, object]] = []
    for left in plan.declined:
        hint = {"hint": left.hint} if left.hint else {}
        rows.append({"source": left.source, "reason": reason_of(plan, left), "optional": left.optional} | hint)
    return rows
