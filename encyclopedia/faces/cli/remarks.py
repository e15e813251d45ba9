"""What a person should know besides the results: what is missing, what was changed, who answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.visible import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import Console

MINUTE, HOUR = 60, 3600


def print_remarks(console: Console, body: Mapping[str, Any]) -> None:
    """Print the remarks on a report that has its ``verbose`` part."""
    from rich.text import Text

    for sentence, style in remarks(body):
        console.print(Text(one_line(sentence), style), soft_wrap=True)


def remarks(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Sentences with their style, most urgent first."""
    lost = body["degradation"]
    for row in (*lost["missing"], *lost["errors"]):
        if not row["optional"]:
            hint = f" ({row['hint']})" if row.get("hint") else ""
            yield f"! {row['source']}: {row.get('reason') or row.get('message')}{hint}", "yellow"
    verbose = body["verbose"]
    for correction in verbose["query_analysis"]["corrections"]:
        original, _, replacement = correction.partition(" → ")
        yield f"searched also for: {replacement} (for {original}; --no-correct turns this off)", "cyan"
    if verbose["source_routing"]["widened"]:
        yield "widened to the general sources: no word of the query is a known library", "cyan"
    yield from ((str(note), "cyan") for note in body.get("notes", ()))
    if body["cached"]:
        yield _cached(body["query"], verbose["cache"]), "cyan"
    if body["evidence_gap"] and body["results"]:
        yield f"no result mentions: {', '.join(body['evidence_gap'])}", "yellow"
    yield who_answered(body["outcomes"]), "dim"


def who_answered(outcomes: list[Mapping[str, Any]]) -> str:
    """All outcomes in one line: ``packages 5 in 12 ms · wikipedia unavailable``."""
    return " · ".join(_outcome(row) for row in outcomes)


def age(seconds: float) -> str:
    """A time span in words: ``41 s``, ``7 min``, ``2 h``."""
    if seconds < MINUTE:
        return f"{seconds:.0f} s"
    return f"{seconds / MINUTE:.0f} min" if seconds < HOUR else f"{seconds / HOUR:.0f} h"


def _outcome(row: Mapping[str, Any]) -> str:
    if row["status"] == "ok":
        return f"{row['source']} {row['results']} in {row['ms']} ms"
    reason = f" ({row['reason']})" if row["reason"] else ""
    return f"{row['source']} {row['status'].replace('_', ' ')}{reason}"


def _cached(query: str, cache: Mapping[str, Any]) -> str:
    old = f", {age(cache['age'])} old" if cache["age"] is not None else ""
    other = cache["matched_query"] if cache["matched_query"] not in (None, query) else ""
    near = f" to {other!r} (similarity {cache['similarity']:.2f})" if other and cache["similarity"] is not None else ""
    return f"stored answer{near}{old}; --no-cache asks again"
