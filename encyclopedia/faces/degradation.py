"""In what an answer is less than the configuration promises, as one list with reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.engine.pipeline import absent

if TYPE_CHECKING:
    from encyclopedia.model.ranking import Ranking
    from encyclopedia.model.trace import Trace


def degradation(trace: Trace[Ranking]) -> dict[str, object]:
    """``{"degraded": bool, "degradation": {"missing": […], "errors": […]}}``.

    Missing is what was not asked or not there, errors what was asked and failed or answered less than it can. An optional row
    degrades nothing.
    """
    plan = trace.value.plan
    missing = [{"source": d.source, "reason": d.reason, "optional": d.optional} | _hint(d.hint) for d in plan.declined]
    missing += [{"source": name, "reason": f"stage absent: {reason}", "optional": False} for name, reason in absent(trace)]
    if not plan.primaries:
        reason = f"no primary source of {plan.question.type.value} is configured"
        missing.append({"source": plan.question.type.value, "reason": reason, "optional": False})
    if plan.fallback_used:
        reason = "fallback sources replace the primary ones"
        missing.append({"source": plan.question.type.value, "reason": reason, "optional": False})
    errors: list[dict[str, object]] = []
    for outcome in trace.value.outcomes:
        if not outcome.answered:
            message = outcome.reason or outcome.status.value
            errors.append({"source": outcome.source, "message": message, "optional": outcome.optional})
        elif outcome.reply.reduced:
            errors.append({"source": outcome.source, "message": outcome.reply.reduced, "optional": outcome.optional})
    degraded = not all(row["optional"] for row in (*missing, *errors))
    return {"degraded": degraded, "degradation": {"missing": missing, "errors": errors}}


def _hint(hint: str) -> dict[str, object]:
    return {"hint": hint} if hint else {}
