"""``encyclopedia cache``: stored answers, counted and cleared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from encyclopedia.faces.cli.parser import completed, output_options
from encyclopedia.model.errors import ConfigurationError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

    from encyclopedia.faces.cli.parser import Commands
    from encyclopedia.ports import CacheStore

T = TypeVar("T")
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
        stats = dict(_asked(lambda store: store.stats()))
        output.show(body | stats, lambda console: print_fields(console, _readable(stats)))
        return 0
    kind = query_type(arguments.type)
    removed = _asked(lambda store: store.clear(kind))
    output.show(body | {"removed": removed}, lambda console: console.print(f"removed {removed} stored answers"))
    return 0


def _asked(what: Callable[[CacheStore], T]) -> T:
    """What the store answers; a store may raise what it likes."""
    store = _store()
    try:
        return what(store)
    except Exception as error:
        reason = next(iter(str(error).splitlines()), "") or type(error).__name__
        hint = "try again when no other process uses it, or delete the folder `cache`: it can be made anew"
        raise ConfigurationError(f"the cache cannot be used: {reason}", hint) from error


def _store() -> CacheStore:
    from encyclopedia.faces.library import Encyclopedia

    stores = Encyclopedia().engine.stores
    if stores.cache is None:
        reason = dict(stores.absent).get("cache", "it is switched off")
        raise ConfigurationError(
            f"there is no cache: {reason}", "`encyclopedia config show` tells whether cache.enabled is set"
        )
    return stores.cache


def _readable(stats: dict[str, Any]) -> dict[str, object]:
    """Tables inside a table as ``outer inner``; ages and sizes as people say them."""
    from encyclopedia.faces.standing import age

    found: dict[str, object] = {}
    for name, value in stats.items():
        found |= {f"{name} {key}": item for key, item in value.items()} if isinstance(value, dict) else {name: value}
    if stats.get("oldest") is not None:
        found["oldest"] = f"{age(stats['oldest'])} ago"
    if "bytes" in stats:
        found["bytes"] = f"{stats['bytes']:,}"
    return found
