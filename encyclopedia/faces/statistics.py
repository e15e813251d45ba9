"""What sources did, in numbers: how many answers, how long, how often nothing, and what that makes of their weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.engine.profile import COLD, EMPTY, FAILED, OK, TIMEOUT, score, signals
from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from encyclopedia.engine.profile import Measured
    from encyclopedia.wiring.build import Engine

DIGITS = 4


def statistics(engine: Engine, source: str = "", type: str = "") -> dict[str, Any]:
    """A row for each source and type that was measured, by name; reads only.

    ``samples`` in all, the newest ``window`` of them counted: ``ms`` (p50, p95), ``results`` (mean), ``rates`` of timeouts,
    empty answers and failures, ``votes``, ``signals`` and ``score`` from 0 to 1. ``weight`` is the configured one, ``adaptive``
    what experience makes of it by ``factor``, whether or not that is in force. Raises ``ConfigurationError`` for a source that
    neither is there nor was measured.
    """
    profiler = engine.stores.profiler
    measured = profiler.profile() if profiler else {}
    known = {*engine.catalog, *(name for name, _ in measured)}
    if source and source not in known:
        raise ConfigurationError(f"unknown source {source!r}", nearest(source, known))
    chosen = sorted(pair for pair in measured if source in ("", pair[0]) and type in ("", pair[1]))
    body: dict[str, Any] = {"schema_version": 1, "status": "success"}
    body["adaptive_enabled"] = engine.loaded.settings.profile.adaptive
    body["sources"] = [_row(engine, pair, measured[pair]) for pair in chosen]
    if profiler and profiler.problem:
        body["notes"] = [profiler.problem]
    return body


def _row(engine: Engine, pair: tuple[str, str], made: Measured) -> dict[str, Any]:
    name, kind = pair
    window, entry = made.window, engine.catalog.get(name)
    serves = entry.candidate.serves if entry else {}
    weight = next((value for type, value in serves.items() if type.value == kind), None)
    times, n = sorted(sample.ms for sample in window), max(len(window), 1)
    return {
        "source": name,
        "type": kind,
        "samples": made.total,
        "window": len(window),
        "ms": {"p50": _quantile(times, 0.5), "p95": _quantile(times, 0.95)},
        "results": round(sum(sample.results for sample in window) / n, 2),
        "rates": {
            told: round(sum(sample.outcome == outcome for sample in window) / n, DIGITS)
            for told, outcome in (("ok", OK), ("timeout", TIMEOUT), ("empty", EMPTY), ("failed", FAILED))
        },
        "votes": {"up": sum(vote > 0 for _, vote in made.votes), "down": sum(vote < 0 for _, vote in made.votes)},
        "signals": {signal: round(value, DIGITS) for signal, value in signals(made).items()},
        "score": round(score(made), DIGITS),
        "weight": weight,
        "factor": round(made.factor, DIGITS),
        "adaptive": None if weight is None else round(weight * made.factor, DIGITS),
        "cold": made.total < COLD,
    }


def _quantile(ordered: Sequence[int], share: float) -> int | None:
    """The least time within which that share of the answers came; ``None`` without any."""
    return ordered[min(len(ordered) - 1, max(0, -int(-share * len(ordered) // 1) - 1))] if ordered else None
