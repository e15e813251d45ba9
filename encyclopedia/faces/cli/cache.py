"""``encyclopedia cache``: stored answers counted, cleared, taken elsewhere and back, and judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.parser import completed, output_options

if TYPE_CHECKING:
    from argparse import Namespace

    from encyclopedia.faces.cli.output import Output
    from encyclopedia.faces.cli.parser import Commands, Parser

HELP = "stored answers: stats, clear, export, import, forbid, allow"
ACTIONS = {
    "stats": "how many answers are stored",
    "clear": "remove stored answers",
    "export": "write stored answers as JSON Lines",
    "import": "read stored answers that were exported",
    "forbid": "never answer one question with the answer to another",
    "allow": "answer one question with the answer to another, whatever a guard says",
}
VOTES = {"forbid": -1, "allow": 1}


def add_parser(commands: Commands) -> None:
    """The options of ``cache``."""
    from encyclopedia.faces.cli import completers

    actions = commands.add_parser("cache", help=HELP, description=HELP).add_subparsers(
        dest="action", metavar="ACTION", title="actions", required=True
    )
    parsers: dict[str, Parser] = {
        name: actions.add_parser(name, help=told, description=f"{told[0].upper()}{told[1:]}.") for name, told in ACTIONS.items()
    }
    completed(parsers["clear"].add_argument("--type", metavar="T", help="only those of this query type"), completers.types)
    for name in ("export", "import"):
        file = "semantic_cache.jsonl in the folder of the cache, - for " + ("stdout" if name == "export" else "stdin")
        parsers[name].add_argument("file", metavar="FILE", nargs="?", default="", help=f"the file ({file})")
    for name in VOTES:
        parsers[name].add_argument("question", metavar="QUESTION", help="what was asked")
        parsers[name].add_argument("other", metavar="OTHER", help="the question whose answer was served, or should be")
        parsers[name].add_argument("--undo", action="store_true", help="as if nobody had said anything")
    for parser in parsers.values():
        output_options(parser)


def run(arguments: Namespace) -> int:
    """Do what is asked; the exit code."""
    from encyclopedia.faces.cli import caching
    from encyclopedia.faces.cli.output import Output

    output = Output.of(arguments)
    if arguments.action == "stats":
        return _stats(output)
    if arguments.action == "clear":
        from encyclopedia.faces.requests import query_type

        kind = query_type(arguments.type)
        removed = caching.asked(lambda stores: stores.cache.clear(kind))
        return _said(output, {"removed": removed}, f"removed {removed} stored answers")
    if arguments.action in VOTES:
        vote = 0 if arguments.undo else VOTES[arguments.action]
        caching.vote(arguments.question, arguments.other, vote)
        return _said(output, {"vote": vote}, "remembered: it speaks before every guard" if vote else "forgotten")
    if arguments.action == "export":
        count, place = caching.exported(arguments.file)
        return 0 if place == "-" else _said(output, {"exported": count, "file": place}, f"wrote {count} answers to {place}")
    done = caching.imported(arguments.file)
    told = f"stored {done['imported']} answers; {done['expired']} were too old, {done['refused']} lines were none"
    return _said(output, done, told)


def _said(output: Output, body: dict[str, Any], sentence: str) -> int:
    output.show({"schema_version": 1, "status": "success"} | body, lambda console: console.print(sentence))
    return 0


def _stats(output: Output) -> int:
    from encyclopedia.faces.cli import caching
    from encyclopedia.faces.cli.tables import print_fields

    stats = caching.stats()
    body = {"schema_version": 1, "status": "success"} | stats
    output.show(body, lambda console: print_fields(console, _readable(stats)))
    return 0


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
