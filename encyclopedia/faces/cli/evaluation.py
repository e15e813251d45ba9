"""A measurement as people read it: a table of measures, questions with their places, what has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.tables import counted, print_table
from encyclopedia.faces.cli.visible import one_line
from encyclopedia.stages.measure import AT, WHOLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rich.console import Console

MOST = 10
"""Questions that are listed where nobody asked for all of them."""


def print_evaluation(console: Console, body: Mapping[str, Any], *, per_query: bool) -> None:
    """Print the body of ``eval``."""
    made, gold, time = body["configuration"], body["gold"], body["time"]
    asked = ", ".join([*(f"{name} ({one['kind']})" for name, one in made["corpora"].items()), *made["sources"]])
    measured = counted(body["measured"], "question")
    console.print(one_line(f"{gold['name']}: {measured} to {asked}, {time['median_ms']} ms each"), style="bold", markup=False)
    console.print()
    _print_measures(console, body["metrics"])
    if per_query:
        console.print()
        _print_queries(console, body["queries"])
    if "comparison" in body:
        console.print()
        _print_comparison(console, body["comparison"], whole=per_query)
    _print_remarks(console, body)


def print_answers(console: Console, body: Mapping[str, Any], *, per_query: bool) -> None:
    """Print the body of ``eval ask``."""
    gold, time = body["gold"], body["time"]
    console.print(
        one_line(f"{gold['name']}: {counted(body['measured'], 'question')}, {time['seconds']} s"), style="bold", markup=False
    )
    console.print()
    for name, value in body["metrics"].items():
        console.print(f"{name:<20}{value:.4f}" if value <= 1 else f"{name:<20}{value:.0f}")
    if per_query:
        console.print()
        rows = [("refused" if row["refused"] else "answered", _told(row["metrics"]), row["query"]) for row in body["queries"]]
        print_table(console, ("", "recall, refusal", "question"), rows)
    if "comparison" in body:
        console.print()
        _print_comparison(console, body["comparison"], whole=per_query)
    for note in (*body["notes"], *([f"kept as {body['saved']}"] if "saved" in body else [])):
        console.print(one_line(f"! {note}"), style="yellow", soft_wrap=True)


def _told(metrics: Mapping[str, float]) -> str:
    recall = metrics.get("passage_recall@5")
    return f"{'-' if recall is None else f'{recall:.2f}'}, {metrics['refusal']:.0f}"


def _print_measures(console: Console, metrics: Mapping[str, float]) -> None:
    cutoffs = [name.partition("@")[2] for name in metrics if name.startswith(f"{AT[0]}@")]
    rows = [[name, *(f"{metrics[f'{name}@{k}']:.4f}" for k in cutoffs)] for name in AT] if metrics else []
    print_table(console, ["", *(f"@{k}" for k in cutoffs)], rows)
    for name in WHOLE:
        if name in metrics:
            console.print(f"{name:<11}{metrics[name]:.4f}")


def _print_queries(console: Console, rows: Iterable[Mapping[str, Any]]) -> None:
    table = []
    for row in rows:
        if "failed" in row:
            table.append(("-", "-", "-", f"{row['query']} — {row['failed']}"))
            continue
        places, metrics = row["places"], row["metrics"]
        best = max((name for name in metrics if name.startswith("ndcg@")), key=lambda name: int(name[5:]))
        found = ", ".join(str(place or "-") for place in places.values())
        table.append((found, f"{metrics['mrr']:.3f}", f"{metrics[best]:.3f}", f"{row['query']} → {', '.join(places)}"))
    print_table(console, ("places", "rr", "ndcg", "question → expected"), table)


def _print_comparison(console: Console, told: Mapping[str, Any], *, whole: bool) -> None:
    console.print(one_line(f"compared with {told['with']}, {counted(told['shared'], 'question')} in common"), style="bold")
    rows = [(name, *_changes(row)) for name, row in told["metrics"].items()]
    print_table(console, ("", "before", "now", "change", "better", "worse", "same", "p"), rows)
    for key, (before, now) in told["differs"].items():
        console.print(one_line(f"made with another {key}: {before} → {now}"), style="yellow", soft_wrap=True)
    for name, sentence in (
        ("only_before", "were measured before only"),
        ("only_now", "are measured now only"),
        ("judged_otherwise", "have other expected ids than before"),
    ):
        if told[name]:
            console.print(one_line(f"{counted(len(told[name]), 'question')} {sentence}"), style="yellow", soft_wrap=True)
    changed = told["changed"] if whole else told["changed"][:MOST]
    if changed:
        console.print()
        table = [(_moved(row["places"]), row["query"]) for row in changed]
        print_table(console, ("places", "question that changed, worst first"), table)


def _changes(row: Mapping[str, Any]) -> tuple[str, ...]:
    counts = (str(row[name]) for name in ("better", "worse", "same"))
    return f"{row['before']:.4f}", f"{row['after']:.4f}", f"{row['difference']:+.4f}", *counts, f"{row['p']:.3f}"


def _moved(places: list[Mapping[str, int | None] | None]) -> str:
    """The places of the expected ids before and now: ``1, 4 → 2, -``."""
    return " → ".join(", ".join(str(place or "-") for place in (one or {}).values()) for one in places)


def _print_remarks(console: Console, body: Mapping[str, Any]) -> None:
    unknown = body["unknown"]
    notes = list(body["notes"])
    if unknown:
        names = ", ".join(row["id"] for row in unknown[:MOST])
        notes.append(f"no document has {counted(len(unknown), 'expected id')}, which lowers the figures: {names}")
    notes += [f"kept as {body['saved']}"] if "saved" in body else []
    if notes:
        console.print()
    for note in notes:
        console.print(one_line(f"! {note}"), style="yellow", soft_wrap=True)
