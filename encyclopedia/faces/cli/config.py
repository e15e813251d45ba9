"""``encyclopedia config``: the settings in force with their origin, and the file to change them in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.parser import output_options

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

    from rich.console import Console

    from encyclopedia.faces.cli.output import Output
    from encyclopedia.faces.cli.parser import Commands

HELP = "settings with their origin: show, init, path"


def add_parser(commands: Commands) -> None:
    """The options of ``config``."""
    actions = commands.add_parser("config", help=HELP, description=HELP).add_subparsers(
        dest="action", metavar="ACTION", title="actions", required=True
    )
    for name, help in (
        ("show", "every setting with its value and who set it"),
        ("init", "write a configuration file with every setting in a comment"),
        ("path", "print where the configuration file is"),
    ):
        output_options(actions.add_parser(name, help=help, description=help))


def run(arguments: Namespace) -> int:
    """Do what the action says; the exit code."""
    from encyclopedia.faces.cli.output import Output

    actions: dict[str, Callable[[Output, Any], None]] = {"show": _show, "init": _init, "path": _path}
    actions[arguments.action](Output.of(arguments), arguments)
    return 0


def _show(output: Output, _arguments: Any) -> None:
    from encyclopedia.faces.cli import workplace
    from encyclopedia.faces.cli.masking import masked
    from encyclopedia.wiring import places
    from encyclopedia.wiring.settings import shown

    loaded = workplace.loaded()
    settings = {
        name: {"value": masked(name, value), "origin": loaded.origins.get(name, "default")}
        for name, value in shown(loaded).items()
    }
    body = {"schema_version": 1, "home": loaded.home, "file": places.config_file(loaded.home), "settings": settings}
    output.show(body, lambda console: _print(console, settings))


def _print(console: Console, settings: dict[str, dict[str, Any]]) -> None:
    import json

    from rich.text import Text

    from encyclopedia.faces.cli.visible import one_line

    for name, row in settings.items():
        line = Text(one_line(f"{name} = {json.dumps(row['value'], ensure_ascii=False, default=str)}"))
        console.print(line.append(f"  ({one_line(row['origin'])})", "dim"), soft_wrap=True)


def _init(output: Output, _arguments: Any) -> None:
    from encyclopedia.faces.cli import workplace
    from encyclopedia.faces.cli.config_file import create

    path = create(workplace.home())
    body = {"schema_version": 1, "status": "success", "file": path}
    output.show(body, lambda console: console.print(f"wrote {path}", soft_wrap=True))


def _path(output: Output, arguments: Any) -> None:
    """Plain even in a pipe, for ``$EDITOR "$(encyclopedia config path)"``."""
    from encyclopedia.faces.cli import workplace
    from encyclopedia.wiring import places

    path = places.config_file(workplace.home())
    output.json = arguments.json
    output.show({"schema_version": 1, "file": path}, lambda console: console.out(path, highlight=False))
