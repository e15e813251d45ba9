"""What a search decided, for a person: the dry run, the verbose part and the explanation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.tables import LEAST_ROOM, flow
from encyclopedia.faces.cli.visible import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rich.console import Console

COLUMN = 15
LONGEST = 400
"""Characters of one value of a step that are shown."""


def print_dry_run(console: Console, body: Mapping[str, Any]) -> None:
    """Print the plan of a search that was not carried out."""
    plan = body["plan"]
    _analysis(console, body["query_analysis"] | {"adapted": {}})
    _row(console, "asks", [f"{plan['deadline']:g} s in all" + (", widened" if plan["widened"] else "")])
    for row in plan["sources"]:
        health = body["source_health"].get(row["source"], "healthy")
        _row(
            console,
            f"  {row['source']}",
            [f"{row['text']!r} · weight {row['weight']:.3f} · {row['timeout']:g} s · {row['role']} · {health}"],
        )
    _row(console, "asks not", ["these" if plan["declined"] else "nobody is left out"])
    for row in plan["declined"]:
        _row(console, f"  {row['source']}", [row["reason"]])
    _row(console, "cache", [body["cache_status"]])
    _row(console, "notes", body["notes"])
    _stages(console, body["stages"])


def print_verbose(console: Console, verbose: Mapping[str, Any]) -> None:
    """Print how a search came to its answer."""
    routing, fusion, cache = verbose["source_routing"], verbose["fusion"], verbose["cache"]
    _analysis(console, verbose["query_analysis"])
    _row(console, "asked", routing["target_sources"])
    _row(console, "held back", routing["health_filtered"])
    _row(console, "fusion", [f"{fusion['formula']}, k = {fusion['k']:g}"])
    _row(console, "weights", [f"{name} {weight:.3f}" for name, weight in fusion["weights"].items()])
    moved = verbose["profiler"]["adjustments"]
    _row(console, "moved by", [f"{name} {factor - 1:+.1%}" for name, factor in moved.items()])
    for row in fusion["dropped_duplicates"]:
        _row(console, "merged", [f"{row['source']}: {row['title']} into {row['kept']} ({row['reason']})"])
    refused = f", refused by {cache['refused_by']}" if cache["refused_by"] else ""
    reason = f", {cache['reason']}" if cache.get("reason") else ""
    _row(console, "cache", [f"{cache['status']}{refused}{reason}"])
    _stages(console, verbose["stages"])


def print_explanation(console: Console, steps: Iterable[Mapping[str, Any]]) -> None:
    """Print what each step changed, and last those that changed nothing."""
    idle = []
    for step in steps:
        before, after = step["before"], step["after"]
        changed = [f"{name}: {_short(value)}" for name, value in after.items() if value and before.get(name) != value]
        if step["absent"]:
            _row(console, step["name"], [f"absent: {step['absent']}"])
        elif not changed:
            idle.append(step["name"])
        for number, line in enumerate([] if step["absent"] else changed):
            _row(console, "" if number else step["name"], [line])
    _row(console, "unchanged by", idle)


def _short(value: object) -> str:
    told = _inline(value)
    return told if len(told) <= LONGEST else f"{told[:LONGEST]}… (--json shows all)"


def _inline(value: object) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key}: {item}" for key, item in value.items())
    return " · ".join(map(str, value)) if isinstance(value, list) else str(value)


def _analysis(console: Console, analysis: Mapping[str, Any]) -> None:
    _row(console, "query", [analysis["raw_query"]])
    _row(console, "type", [f"{analysis['classified_type']} ({analysis['rule']})"])
    for name in ("library", "repository"):
        _row(console, name, [analysis[name]] if analysis[name] else [])
    _row(console, "corrections", analysis["corrections"])
    _row(console, "expansions", [" = ".join(group) for group in analysis["expansions"]])
    for source, text in analysis["adapted"].items():
        _row(console, f"  {source}", [text] if text != analysis["raw_query"] else [])


def _stages(console: Console, stages: Iterable[Mapping[str, Any]]) -> None:
    _row(
        console,
        "stages",
        [f"{s['name']} {s['ms']:.1f} ms" + (f" (absent: {s['absent']})" if s["absent"] else "") for s in stages],
    )


def _row(console: Console, name: str, parts: Iterable[str]) -> None:
    """``name`` and its parts, wrapped between parts first and beside the names; nothing if there is no part."""
    from rich.text import Text

    label = f"{one_line(name) if name.strip() == name else '  ' + one_line(name):<{COLUMN - 1}} "
    room = max(console.width - len(label), LEAST_ROOM)
    for line in flow(parts, room):
        for part in Text(line).wrap(console, room):
            part.rstrip()
            console.print(Text(label, "bold").append(part.plain, "not bold"), soft_wrap=True)
            label = " " * len(label)
