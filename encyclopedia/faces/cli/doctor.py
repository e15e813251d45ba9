"""``encyclopedia doctor``: what works here and what does not; reads only and asks nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.parser import output_options

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from rich.console import Console

    from encyclopedia.faces.cli.parser import Commands

HELP = "check settings, keys, stores and indexes; asks nobody"
MARKS = {"ok": ("ok", "green"), "off": ("off", "dim"), "warn": ("!", "yellow"), "broken": ("broken", "red")}


def add_parser(commands: Commands) -> None:
    """The options of ``doctor``."""
    output_options(commands.add_parser("doctor", help=HELP, description=HELP))


def run(arguments: Namespace) -> int:
    """Print all checks; exit code 1 if something is broken."""
    from encyclopedia.faces.cli.checkup import checkup
    from encyclopedia.faces.cli.output import Output

    checks = checkup()
    broken = [check["check"] for check in checks if check["status"] == "broken"]
    body: dict[str, Any] = {"schema_version": 1, "status": "error" if broken else "success"}
    if broken:
        body |= {"code": 1, "message": f"broken: {', '.join(broken)}", "hint": "each check says what to do"}
    Output.of(arguments).show(body | {"checks": checks}, lambda console: _print(console, checks))
    return 1 if broken else 0


def _print(console: Console, checks: Sequence[dict[str, Any]]) -> None:
    from rich.text import Text

    from encyclopedia.faces.cli.visible import one_line

    wide = max(len(check["check"]) for check in checks)
    for check in checks:
        mark, style = MARKS[check["status"]]
        line = (
            Text(f"{mark:<7}", style).append(f"{check['check']:<{wide}}  ", "bold").append(one_line(check["detail"]), "default")
        )
        console.print(line, soft_wrap=True)
        if check["hint"] and check["status"] != "ok":
            console.print(Text(f"{'':<{wide + 9}}{one_line(check['hint'])}", "dim"), soft_wrap=True)
