"""``encyclopedia serve``: the HTTP service with its web page."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import TYPE_CHECKING

from encyclopedia.faces.cli.parser import output_options

if TYPE_CHECKING:
    from argparse import Namespace

    from encyclopedia.faces.cli.output import Output
    from encyclopedia.faces.cli.parser import Commands

HELP = "answer over HTTP: a web page, JSON, and what SearXNG's clients expect"
EPILOG = """\
Others than this machine are let in only with a token, which stands in ENCYCLOPEDIA_TOKEN,
and by the names that --allow-host gives.

examples:
  encyclopedia serve
  encyclopedia serve --host 0.0.0.0 --port 8888 --allow-host search.example.org"""
PORTS = 65535


def add_parser(commands: Commands) -> None:
    """The options of ``serve``."""
    parser = commands.add_parser("serve", help=HELP, description=HELP, epilog=EPILOG)
    parser.add_argument("--host", metavar="H", default="127.0.0.1", help="the address to listen on (127.0.0.1)")
    parser.add_argument("--port", metavar="P", type=_port, default=8080, help="the port (8080); 0 is any that is free")
    parser.add_argument(
        "--allow-host", metavar="NAME", action="append", default=[], help="a name that the service is called by (repeatable)"
    )
    parser.add_argument(
        "--ceiling",
        metavar="LABEL",
        default="",
        help="the highest label that is shown (secret to this machine, internal to others)",
    )
    output_options(parser)


def _port(text: str) -> int:
    if text.isascii() and text.isdigit() and int(text) <= PORTS:
        return int(text)
    raise ArgumentTypeError(f"takes a number from 0 to {PORTS}, not {text!r}")


def run(arguments: Namespace) -> int:
    """Serve until a signal ends it; the exit code."""
    import asyncio

    from encyclopedia.faces.cli.output import Output

    return asyncio.run(_serve(arguments, Output.of(arguments)))


async def _serve(arguments: Namespace, output: Output) -> int:
    from encyclopedia.faces.http.guards import LOOPBACK, TOKEN, access
    from encyclopedia.faces.http.server import Bind, serve
    from encyclopedia.faces.library import Encyclopedia

    def ready(url: str) -> None:
        output.show(
            {"schema_version": 1, "status": "serving", "url": url},
            lambda console: console.print(f"encyclopedia is at {url}; Ctrl-C ends it", highlight=False),
        )
        output.stdout.flush()

    ceiling = arguments.ceiling or ("secret" if arguments.host in LOOPBACK else "internal")
    async with Encyclopedia(ceiling=ceiling) as encyclopedia:
        token = encyclopedia.engine.loaded.environment.secret(TOKEN)
        guards = access(arguments.host, arguments.allow_host, token)
        return await serve(encyclopedia, Bind(arguments.host, arguments.port), guards, ready)
