"""``encyclopedia feedback``: says whether an answer was good."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.parser import completed, output_options

if TYPE_CHECKING:
    from argparse import Namespace

    from encyclopedia.faces.cli.parser import Commands

HELP = "say whether a past search, or one of its results, was good: ID up, ID:2 down"
EPILOG = """\
examples:
  encyclopedia feedback last up
  encyclopedia feedback 3f9c2a7be014:2 down
  encyclopedia feedback https://docs.python.org/3/library/json.html up"""


def add_parser(commands: Commands) -> None:
    """The options of ``feedback``."""
    from encyclopedia.faces.cli import completers

    parser = commands.add_parser("feedback", help=HELP, description=HELP, epilog=EPILOG)
    id = parser.add_argument(
        "id", metavar="ID", help="a past search (`last`: the newest), a result of it (ID:2), or an address"
    )
    completed(id, completers.past_searches)
    parser.add_argument("vote", metavar="VOTE", choices=("up", "down"), help="up or down")
    output_options(parser)


def run(arguments: Namespace) -> int:
    """Remember the vote; the exit code."""
    from encyclopedia.faces.cli.output import Output
    from encyclopedia.faces.feedback import feedback
    from encyclopedia.faces.library import Encyclopedia

    engine = Encyclopedia().engine
    try:
        body = feedback(engine, arguments.id, arguments.vote)
    finally:
        engine.stores.close()
    Output.of(arguments).show(body, lambda console: console.print(_said(body, engine.loaded.settings.profile.adaptive)))
    return 0


def _said(body: dict[str, Any], adaptive: bool) -> str:
    lines = []
    if body["matched_query"]:
        told = "may share an answer" if body["vote"] > 0 else "never share an answer again"
        lines.append(f"{body['query']!r} and {body['matched_query']!r} {told}")
    if body["sources"]:
        later = "" if adaptive else "; it moves weights once profile.adaptive is on"
        lines.append(f"one vote {'for' if body['vote'] > 0 else 'against'} {', '.join(body['sources'])}{later}")
    return "\n".join(lines) or "that search found nothing: there is nobody to vote on"
