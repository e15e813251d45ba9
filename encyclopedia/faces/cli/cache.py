"""``encyclopedia cache``: stored answers, counted and cleared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.parser import completed, output_options
from encyclopedia.model.errors import ConfigurationError

if TYPE_CHECKING:
    from argparse import Namespace

    from encyclopedia.faces.cli.parser import Commands
    from encyclopedia.ports import CacheStore

HELP = "stored answers: stats, clear"


def add_parser(commands: Commands) -> None:
    """The options of ``cache``."""
    from encyclopedia.faces.cli import completers

    actions = commands.add_parser("cache", help=HELP, description=HELP).add_subparsers(
        dest="action", metavar="ACTION", title="actions", required=True
    )
    stats = actions.add_parser("stats", help="how many answers are stored", description="How many answers are stored.")
    clear = actions.add_parser("clear", help="remove stored answers", description="Remove stored answers.")
    completed(clear.add_argument("--type", metavar="T", help="only those of this query type"), completers.types)
    for parser in (stats, clear):
        output_options(parser)


def run(arguments: Namespace) -> int:
    """Count or clear; the exit code."""
    from encyclopedia.faces.cli.output import Output
    from encyclopedia.faces.cli.tables import print_fields
    from encyclopedia.faces.requests import query_type

    output = Output.of(arguments)
    body: dict[str, Any] = {"schema_version": 1, "status": "success"}
    if arguments.action == "stats":
        stats = dict(_store().stats())
        output.show(body | stats, lambda console: print_fields(console, _flat(stats)))
        return 0
    kind = query_type(arguments.type)
    removed = _store().clear(kind)
    output.show(body | {"removed": removed}, lambda console: console.print(f"removed {removed} stored answers"))
    return 0


def _store() -> CacheStore:
    from encyclopedia.faces.library import Encyclopedia

    stores = Encyclopedia().engine.stores
    if stores.cache is None:
        reason = dict(stores.absent).get("cache", "it is switched off")
        raise ConfigurationError(
            f"there is no cache: {reason}", "`encyclopedia config show` tells whether cache.enabled is set"
        )
    return stores.cache


def _flat(stats: dict[str, Any]) -> dict[str, object]:
    """Tables inside a table as ``outer inner``."""
    found: dict[str, object] = {}
    for name, value in stats.items():
        found |= {f"{name} {key}": item for key, item in value.items()} if isinstance(value, dict) else {name: value}
    return found
