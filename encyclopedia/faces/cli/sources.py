"""``encyclopedia sources``: every source with its health, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.parser import output_options

if TYPE_CHECKING:
    from argparse import Namespace

    from rich.console import Console

    from encyclopedia.faces.cli.parser import Commands
    from encyclopedia.model.plan import Health
    from encyclopedia.wiring.build import Engine

HELP = "every source: on or off, its health, and what to do about it"


def add_parser(commands: Commands) -> None:
    """The options of ``sources``."""
    output_options(commands.add_parser("sources", help=HELP, description=HELP))


def run(arguments: Namespace) -> int:
    """Print all sources; asks none of them."""
    from encyclopedia.faces.cli.output import Output
    from encyclopedia.faces.library import Encyclopedia

    rows = source_rows(Encyclopedia().engine)
    Output.of(arguments).show(rows, lambda console: _print(console, rows))
    return 0


def source_rows(engine: Engine) -> list[dict[str, Any]]:
    """The JSON form of every source, by name."""
    names = sorted(engine.catalog)
    health = engine.stores.circuit.health(names)
    return [_row(engine, name, health.get(name)) for name in names]


def _row(engine: Engine, name: str, health: Health | None) -> dict[str, Any]:
    from encyclopedia.faces.standing import in_words
    from encyclopedia.wiring.requirements import unmet

    entry = engine.catalog[name]
    candidate, card = entry.candidate, entry.card
    problem = unmet(card, entry.options, engine.loaded.environment.secret, contact=engine.loaded.settings.contact)
    broken = bool(candidate.missing) and not candidate.optional
    return {
        "source": name,
        "enabled": candidate.missing != "switched off",
        "configured": problem is None and not broken,
        "needs": list(entry.needs),
        "serves": {kind.value: weight for kind, weight in candidate.serves.items()},
        "breaker": health.state if health else "healthy",
        "last_error": (health.last_error if health else "") or None,
        "hint": candidate.hint or None,
        "daily_calls": entry.daily_calls,
        "calls_today": engine.stores.budget.used(name) if entry.daily_calls is not None else None,
        "reason": candidate.missing or None,
        "description": card.description,
        "state": engine.sources.state(name),
        "health": (in_words(health) if health else "") or None,
    }


def _print(console: Console, rows: list[dict[str, Any]]) -> None:
    from rich.text import Text

    from encyclopedia.faces.cli.visible import one_line

    wide = max((len(row["source"]) for row in rows), default=0)
    for row in rows:
        line = Text(f"{row['source']:<{wide}}  ", "bold").append(one_line(standing(row)), _style(row))
        console.print(line.append(f"  {', '.join(row['serves'])}", "dim"), soft_wrap=True)
        if row["hint"] or row["state"]:
            console.print(Text(f"{'':<{wide}}  {one_line(row['hint'] or row['state'])}", "dim"), soft_wrap=True)


def _style(row: dict[str, Any]) -> str:
    if row["reason"]:
        return "not bold dim"
    return "not bold yellow" if row["health"] else "not bold green"


def standing(row: dict[str, Any]) -> str:
    """How a source stands in a few words."""
    if row["reason"]:
        return f"off: {row['reason']}" if row["reason"] != "switched off" else "off"
    if row["breaker"] != "healthy":
        return str(row["health"])
    used = row.get("calls_today")
    on = f"on, {used} of {row['daily_calls']} calls today" if used else "on"
    return f"{on}; {row['health']}" if row["health"] else on
