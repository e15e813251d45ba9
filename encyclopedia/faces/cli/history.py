"""``encyclopedia history``: past searches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.parser import completed, output_options, positive
from encyclopedia.model.errors import ConfigurationError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    from encyclopedia.faces.cli.output import Output
    from encyclopedia.faces.cli.parser import Commands
    from encyclopedia.keeping import History

HELP = "past searches: list, show, clear"
LAST = 20


def add_parser(commands: Commands) -> None:
    """The options of ``history``."""
    from encyclopedia.faces.cli import completers

    parser = commands.add_parser("history", help=HELP, description=HELP)
    parser.add_argument("action", metavar="ACTION", nargs="?", default="list", choices=("list", "show", "clear"), help=HELP)
    id = parser.add_argument("id", metavar="ID", nargs="?", help="the search that `show` prints, `last` for the newest")
    completed(id, completers.past_searches)
    parser.add_argument("--last", metavar="N", type=positive, default=LAST, help=f"how many are listed ({LAST})")
    output_options(parser)


def run(arguments: Namespace) -> int:
    """List, show or clear; the exit code."""
    from encyclopedia.faces.cli.output import Output

    output, stores = Output.of(arguments), _stores()
    kept: History = stores.history
    body: dict[str, Any] = {"schema_version": 1, "status": "success"}
    if arguments.action == "clear":
        removed = kept.clear()
        if stores.memories:
            stores.memories.clear()
        output.show(body | {"removed": removed}, lambda console: console.print(f"removed {removed} past searches"))
    elif arguments.action == "show":
        _show(output, kept.read(), arguments.id)
    else:
        rows = kept.read(arguments.last)
        output.show(body | {"history": [dict(row) for row in rows]}, lambda console: _print(console, rows))
    return 0


def _show(output: Output, rows: Sequence[Mapping[str, Any]], id: str | None) -> None:
    from encyclopedia.faces.cli.tables import print_fields
    from encyclopedia.faces.feedback import LAST as NEWEST

    if not id:
        raise ConfigurationError("history show needs an ID", "`encyclopedia history` lists them")
    row = next((row for row in reversed(rows) if id in (str(row.get("id")), NEWEST)), None)
    if row is None:
        raise ConfigurationError(f"no past search has the ID {id!r}", "`encyclopedia history` lists them")
    body = {"schema_version": 1, "status": "success", **row}
    output.show(body, lambda console: print_fields(console, _readable(row)))


def _stores() -> Any:
    from encyclopedia.faces.library import Encyclopedia

    stores = Encyclopedia().engine.stores
    if stores.history is None:
        reason = dict(stores.absent).get("history", "it is switched off")
        raise ConfigurationError(f"there is no history: {reason}", "set history.enabled = true in the configuration file")
    return stores


def _print(console: Console, rows: Sequence[Mapping[str, Any]]) -> None:
    from encyclopedia.faces.cli.tables import print_table

    if not rows:
        console.print("no searches yet")
        return
    table = [(_text(row, "id"), _text(row, "at"), str(len(_rows(row, "results"))), _text(row, "query")) for row in rows]
    print_table(console, ("id", "when", "results", "query"), table)


def _readable(row: Mapping[str, Any]) -> dict[str, object]:
    asked = ", ".join(f"{_text(one, 'source')} {_text(one, 'status')}" for one in _rows(row, "outcomes"))
    found = {f"{rank}.": f"{_text(one, 'title')} ({_text(one, 'source')})" for rank, one in enumerate(_rows(row, "results"), 1)}
    return {**{name: value for name, value in row.items() if not isinstance(value, list)}, "outcomes": asked, **found}


def _text(row: Mapping[str, Any], name: str) -> str:
    """A field as text; the file may hold lines of another version, or of somebody else's making."""
    return str(row.get(name, ""))


def _rows(row: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """A field that is a list of tables."""
    value = row.get(name)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
