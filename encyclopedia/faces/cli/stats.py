"""``encyclopedia stats``: what sources did, and what that makes of their weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.parser import completed, output_options

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping

    from rich.console import Console

    from encyclopedia.faces.cli.output import Output
    from encyclopedia.faces.cli.parser import Commands

HELP = "what each source did: answers, times, failures, and what that makes of its weight"


def add_parser(commands: Commands) -> None:
    """The options of ``stats``."""
    from encyclopedia.faces.cli import completers

    parser = commands.add_parser("stats", help=HELP, description=HELP)
    completed(parser.add_argument("--source", metavar="NAME", default="", help="only this source"), completers.sources)
    completed(parser.add_argument("--type", metavar="T", default="", help="only this query type"), completers.types)
    parser.add_argument("--reset", action="store_true", help="forget all measurements and votes: weights are as configured")
    output_options(parser)


def run(arguments: Namespace) -> int:
    """Show or forget; the exit code."""
    from encyclopedia.faces.cli.output import Output
    from encyclopedia.faces.library import Encyclopedia
    from encyclopedia.faces.requests import query_type
    from encyclopedia.faces.statistics import statistics

    output, engine = Output.of(arguments), Encyclopedia().engine
    if arguments.reset:
        return _reset(output, engine)
    kind = query_type(arguments.type) if arguments.type else None
    body = statistics(engine, arguments.source, kind.value if kind else "")
    output.show(body, lambda console: _print(console, body))
    return 0


def _reset(output: Output, engine: Any) -> int:
    from encyclopedia.model.errors import ConfigurationError

    try:
        known = engine.stores.profiler.reset() if engine.stores.profiler else 0
    except OSError as error:
        raise ConfigurationError(f"the record cannot be emptied: {error.strerror or error}", "try again") from error
    body = {"schema_version": 1, "status": "success", "removed": known}
    output.show(body, lambda console: console.print(f"forgot {known} sources by type: every weight is as configured"))
    return 0


def _print(console: Console, body: Mapping[str, Any]) -> None:
    from encyclopedia.faces.cli.tables import print_table

    rows = body["sources"]
    if not rows:
        console.print("nothing is measured yet: search for something first")
    else:
        headers = ("source", "n", "p50", "p95", "results", "timeout", "empty", "failed", "weight", "adaptive", "type")
        print_table(console, headers, [_cells(row) for row in rows])
    state = "moves the weights" if body["adaptive_enabled"] else "moves no weight (profile.adaptive is off)"
    console.print(f"\nexperience {state}")
    for note in body.get("notes", ()):
        console.print(note, markup=False)


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    rates = (f"{row['rates'][name]:.0%}" for name in ("timeout", "empty", "failed"))
    weight = "-" if row["weight"] is None else f"{row['weight']:g}"
    made = "-" if row["adaptive"] is None else f"{row['adaptive']:.3f} ({row['factor'] - 1:+.1%})"
    times = (f"{row['ms'][name]} ms" for name in ("p50", "p95"))
    return row["source"], str(row["samples"]), *times, f"{row['results']:g}", *rates, weight, made, row["type"]
