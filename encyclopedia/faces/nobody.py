"""What to say when a plan has nobody to ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.degradation import missing
from encyclopedia.faces.report import held
from encyclopedia.faces.standing import reason_of
from encyclopedia.model.errors import ConfigurationError, NoSourceAnswered

if TYPE_CHECKING:
    from encyclopedia.model.errors import EncyclopediaError
    from encyclopedia.model.plan import Plan

WITHOUT_CORPORA = "`encyclopedia corpus add NAME PATH` makes a corpus whose documents can have tags"


def nobody(plan: Plan) -> EncyclopediaError:
    """The error that says why nobody can be asked: breakers, tags, or that nothing is configured."""
    details = _details(plan)
    waiting = [f"{d.source}: {reason_of(plan, d)}" for d in plan.declined if d.refused]
    if waiting:
        return NoSourceAnswered(
            f"no source could be asked ({', '.join(waiting)})", "try again later, or ask other sources", details
        )
    scope, tagless = plan.query.scope, [d.reason for d in plan.declined if d.reason.endswith("cannot be restricted to tags")]
    if scope.tags and tagless:
        named = bool(scope.sources or scope.corpora)
        said = "; ".join(tagless) if named else "none of the sources can be restricted to tags"
        return ConfigurationError(said, "leave --tag out, or name a corpus" if named else WITHOUT_CORPORA, details)
    hint = next((d.hint for d in plan.declined if d.hint), "`encyclopedia sources` lists what there is")
    return ConfigurationError(f"no source for {plan.question.type.value} is configured", hint, details)


def _details(plan: Plan) -> dict[str, Any]:
    return {
        "query": plan.query.text,
        "query_type": plan.question.type.value,
        "outcomes": held(plan),
        "degraded": True,
        "degradation": {"missing": missing(plan), "errors": []},
    }
