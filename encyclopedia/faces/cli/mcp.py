"""``encyclopedia mcp``: a server for agents over standard input and output or HTTP, and configurations for their programs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.parser import output_options, positive

if TYPE_CHECKING:
    from argparse import Namespace

    from encyclopedia.faces.cli.parser import Commands
    from encyclopedia.wiring.governance import Policy

HELP = "an MCP server for agents, over stdio or HTTP; a ready configuration for their programs"
EPILOG = """\
Served are search, fetch, ask_corpus and status; --tool adds load, ground, list_books,
match_concepts, get_subgraph, ask_book, lookup or code. Personal results are withheld from
clients that governance.toml does not declare local, secret ones from all.

examples:
  encyclopedia mcp --client desk
  encyclopedia mcp --http 8765 --tool lookup
  encyclopedia mcp config --client cursor"""


def add_parser(commands: Commands) -> None:
    """The options of ``mcp``."""
    parser = commands.add_parser("mcp", help=HELP, description=HELP, epilog=EPILOG)
    parser.add_argument(
        "action", nargs="?", choices=("serve", "config", "policy"), default="serve", help="serve (default), config, policy"
    )
    parser.add_argument("--client", metavar="NAME", default="", help="who is served, as governance.toml calls it")
    parser.add_argument("--tool", metavar="NAME", action="append", default=[], help="serve this tool too (repeatable)")
    parser.add_argument("--connector", action="store_true", help="search and fetch in the shape of ChatGPT connectors")
    http = parser.add_argument_group("HTTP")
    http.add_argument("--http", metavar="PORT", type=positive, help="serve streamable HTTP at /mcp instead of stdio")
    http.add_argument("--host", metavar="HOST", default="127.0.0.1", help="where to listen (127.0.0.1)")
    http.add_argument(
        "--allow-host", metavar="NAME", action="append", default=[], help="a name by which others call it (repeatable)"
    )
    output_options(parser)


def run(arguments: Namespace) -> int:
    """Serve, or print; the exit code."""
    if arguments.action == "serve" and arguments.http is None:
        from encyclopedia.faces.mcp.wire import claim

        wire: Any = claim()  # before anything that may print is imported
    else:
        wire = None
    actions = {"config": _config, "policy": _policy}
    return actions[arguments.action](arguments) if arguments.action in actions else _serve(arguments, wire)


def _serve(arguments: Namespace, wire: Any) -> int:
    from encyclopedia.faces.cli.workplace import home
    from encyclopedia.model.errors import ConfigurationError
    from encyclopedia.ports import Package
    from encyclopedia.wiring.governance import policy
    from encyclopedia.wiring.requirements import lacking

    absent = lacking((Package("mcp", "mcp"),))
    if absent:
        raise ConfigurationError(absent.reason, absent.hint)
    rules = policy(home(), arguments.client)
    from encyclopedia.faces.mcp.serving import Offer, over_http, over_stdio

    tools = tuple(dict.fromkeys((*rules.tools, *arguments.tool)))
    offer = Offer(home(), arguments.client, tools, arguments.connector)
    if arguments.http is None:
        return over_stdio(offer, wire)
    from encyclopedia.faces.cli.workplace import loaded
    from encyclopedia.faces.http.guards import TOKEN, access

    allowed = access(arguments.host, arguments.allow_host, loaded().environment.secret(TOKEN))
    return over_http(offer, arguments.host, arguments.http, allowed)


def _config(arguments: Namespace) -> int:
    from encyclopedia.faces.cli.output import Output
    from encyclopedia.faces.cli.workplace import home
    from encyclopedia.faces.mcp.ready import PROGRAMS, ready, written
    from encyclopedia.model.errors import UsageError

    if not arguments.client:
        raise UsageError("the program is not named", f"--client is one of {', '.join(PROGRAMS)}")
    more = [word for tool in arguments.tool for word in ("--tool", tool)]
    found = ready(arguments.client, home(), more)
    output = Output.of(arguments)
    if arguments.json:
        output.show({"schema_version": 1, "status": "success", **found}, lambda _: None)
        return 0
    output.stdout.write(f"{written(found)}\n")  # plain in a pipe too, for the file of the program
    output.remark(f"for {found['file']}")
    return 0


def _policy(arguments: Namespace) -> int:
    from encyclopedia.faces.cli.output import Output
    from encyclopedia.faces.cli.tables import print_fields
    from encyclopedia.faces.cli.workplace import home
    from encyclopedia.wiring.governance import file, policy

    shown = _shown(policy(home(), arguments.client)) | {"file": file(home()), "exists": os.path.exists(file(home()))}
    body = {"schema_version": 1, "status": "success", **shown}
    Output.of(arguments).show(body, lambda console: print_fields(console, shown))
    return 0


def _shown(rules: Policy) -> dict[str, Any]:
    return rules._asdict() | {"label": str(rules.label), "remote": str(rules.remote), "tools": list(rules.tools)}
