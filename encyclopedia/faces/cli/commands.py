"""Which commands there are: name, module and one line of help; adding one is one module and one line here."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.parser import Parser
from encyclopedia.model.errors import UsageError
from encyclopedia.wiring.agent import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

HERE = "encyclopedia.faces.cli"
COMMANDS = {
    "search": ("search", "ask every source that may answer: one ranked, attributed list"),
    "lookup": ("lookup", "documentation of one library, API or topic, at the version you ask for"),
    "code": ("code", "what stands in a repository: files, lines, definitions, who calls whom"),
    "ask": ("ask", "a cited answer from your corpora, in their own sentences or rephrased by a model"),
    "load": ("load", "load what a knowledge catalog holds about a topic; without one its summary and hubs"),
    "ground": ("ground", "choose from curated tables before you act: search, ground, validate"),
    "graph": ("graph", "books as concepts and relations: books, match, subgraph, ask, project, export, import"),
    "serve": ("serve", "answer over HTTP: a web page, JSON, and what SearXNG's clients expect"),
    "eval": ("evaluate", "measure search on your own questions with known answers: recall, MRR, nDCG"),
    "corpus": ("corpus", "local collections: add, list, index, move, remove, show, check"),
    "sources": ("sources", "every source: on or off, its health, and what to do about it"),
    "doctor": ("doctor", "check settings, keys, stores and indexes; asks nobody"),
    "model": ("model", "the model behind search by meaning: show, fetch"),
    "cache": ("cache", "stored answers: stats, clear, export, import, forbid, allow"),
    "history": ("history", "past searches: list, show, clear"),
    "feedback": ("feedback", "say whether a past search, or one of its results, was good: ID up, ID:2 down"),
    "stats": ("stats", "what each source did: answers, times, failures, and what that makes of its weight"),
    "config": ("config", "settings with their origin: show, init, path"),
    "mcp": ("mcp", "an MCP server for agents, over stdio or HTTP; a ready configuration for their programs"),
    "completion": ("completion", "print the completion script for bash, zsh or fish"),
}
EPILOG = """\
exit codes: 0 results, 1 configuration, 2 nothing found, 3 no source could answer
(or degraded with --strict), 4 internal error, 64 wrong usage, 130 interrupted

Results go to stdout, everything else to stderr; in a pipe the result is JSON.
`encyclopedia COMMAND --help` shows the options of a command."""


def command(name: str) -> Any:
    """The module of a command, with ``add_parser(commands)`` and ``run(arguments) -> int``; imported now."""
    module = f"{HERE}.{COMMANDS[name][0]}"
    __import__(module)
    return sys.modules[module]


def parser(built: Iterable[str], *, listed: bool = True) -> Parser:
    """The parser of the whole command line.

    Only the commands in ``built`` are imported; the others are lines of help, and not even that unless ``listed``.
    """
    top = Parser(
        prog="encyclopedia",
        description="One search over installed packages' docs, your notes, documentation services, the web and code.",
        epilog=EPILOG,
    )
    top.add_argument("--version", action="version", version=f"encyclopedia {VERSION}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    whole = tuple(built)
    for name, (_, help) in COMMANDS.items():
        if name in whole:
            command(name).add_parser(commands)
        elif listed:
            commands.add_parser(name, help=help)
    return top


def parse(argv: Sequence[str]) -> Any:
    """The arguments. Raises ``UsageError``, and ``SystemExit`` after ``--help`` and ``--version``."""
    name = next((word for word in argv if not word.startswith("-")), "")
    if name and name not in COMMANDS:
        from encyclopedia.model.nearest import nearest

        raise UsageError(f"unknown command {name!r}", nearest(name, COMMANDS))
    top = parser([name] if name else [], listed=not name or argv[0] != name)
    arguments, rest = top.parse_known_args(argv)
    if rest:
        raise top.unknown(rest, name)
    if not arguments.command:
        raise UsageError("no command was given", "`encyclopedia --help` lists the commands")
    return arguments
