"""``encyclopedia ground``: choices from curated tables, before you act."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.parser import completed, output_options, positive
from encyclopedia.model.errors import UsageError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Mapping

    from rich.console import Console

    from encyclopedia.faces.cli.output import Output
    from encyclopedia.faces.cli.parser import Commands, Parser

HELP = "choose from curated tables before you act: search, ground, validate"
EPILOG = """\
A corpus of kind grounding is a manifest.json with CSV tables beside it. An empty result is
an answer too: it says what is missing, and filters are never widened.

examples:
  encyclopedia ground search "fintech dashboard" --domain style
  encyclopedia ground search forms --stack react --filter Severity=High
  encyclopedia ground ground "luxury e-commerce" --context '{"data_heavy": true}'
  encyclopedia ground validate --manifest data/manifest.json"""
LONGEST = 300


def add_parser(commands: Commands) -> None:
    """The options of ``ground`` and of what it can do."""
    actions = commands.add_parser("ground", help=HELP, description=HELP, epilog=EPILOG).add_subparsers(
        dest="action", metavar="ACTION", title="actions", required=True
    )
    search = _action(actions, "search", "the rows of one table that fit best")
    search.add_argument("query", nargs="*", help="what you look for, in a few words")
    search.add_argument("--domain", metavar="D", help="this table; without it the one that the query speaks of")
    search.add_argument("--stack", metavar="S", help="the table of this stack instead of a domain")
    search.add_argument(
        "--filter", metavar="COL=VAL", action="append", default=[], help="only rows whose column holds the text (repeatable)"
    )
    search.add_argument("--max-results", metavar="N", type=positive, help="as many rows at most")
    search.add_argument("--retriever", metavar="R", help="bm25, structured or hybrid instead of the manifest's choice")
    ground = _action(actions, "ground", "the manifest's plan: category, rules, and the best rows of each table")
    ground.add_argument("query", nargs="+", help="what you are about to do, in a few words")
    ground.add_argument("--context", metavar="JSON", help="flags that rules ask for: an object")
    ground.add_argument("--persist", metavar="DIR", help="write the choice as markdown below this folder")
    ground.add_argument("--project-name", metavar="NAME", help="with --persist: what the choice is for")
    ground.add_argument("--page", metavar="NAME", help="with --persist: a file for what differs on one page")
    _action(actions, "validate", "what is wrong with a manifest and its tables; exit 1 if anything is")


def _action(actions: Commands, name: str, help: str) -> Parser:
    from encyclopedia.faces.cli import completers

    parser = actions.add_parser(name, help=help, description=help)
    one = parser.add_mutually_exclusive_group()
    completed(one.add_argument("--corpus", metavar="NAME", default="", help="a registered corpus"), completers.corpora)
    manifest = one.add_argument("--manifest", metavar="PATH", default="", help="a manifest; `ground` runs its rules module")
    completed(manifest, completers.files)
    output_options(parser)
    return parser


def run(arguments: Namespace) -> int:
    """Do what the action says; the exit code."""
    from encyclopedia.faces.cli.output import Output
    from encyclopedia.faces.ground import ground
    from encyclopedia.faces.library import Encyclopedia

    output = Output.of(arguments)
    given: dict[str, dict[str, Any]] = {"search": _search(arguments), "ground": _ground(arguments), "validate": {}}
    query = " ".join(getattr(arguments, "query", ()))
    body = ground(
        Encyclopedia().engine,
        query,
        corpus=arguments.corpus,
        manifest=arguments.manifest,
        verb=arguments.action,
        **given[arguments.action],
    )
    return _show(output, arguments.action, body)


def _search(arguments: Any) -> dict[str, Any]:
    if arguments.action != "search":
        return {}
    if arguments.domain and arguments.stack:
        raise UsageError("--domain and --stack were given", "give one of the two")
    names = ("domain", "stack", "max_results", "retriever")
    return {name: getattr(arguments, name) for name in names} | {"filters": parse_filters(arguments.filter)}


def _ground(arguments: Any) -> dict[str, Any]:
    if arguments.action != "ground":
        return {}
    named = {"project": arguments.project_name, "page": arguments.page}
    if any(named.values()) and not arguments.persist:
        raise UsageError("--project-name and --page belong to --persist", "give --persist DIR too")
    return named | {"context": parse_context(arguments.context), "persist": arguments.persist}


def parse_filters(pairs: Iterable[str]) -> dict[str, str | list[str]] | None:
    """``{"Severity": "High"}``, with a list for a column that is given more than once. Raises ``UsageError``."""
    found: dict[str, list[str]] = {}
    for pair in pairs:
        column, sign, value = pair.partition("=")
        if not sign or not column.strip():
            raise UsageError(f"--filter takes a column and a text, not {pair!r}", 'for example --filter "Severity=High"')
        found.setdefault(column.strip(), []).append(value.strip())
    return {column: values[0] if len(values) == 1 else values for column, values in found.items()} or None


def parse_context(text: str | None) -> dict[str, Any] | None:
    """The flags of ``--context``. Raises ``UsageError`` if it is no JSON object."""
    import json

    if text is None:
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise UsageError("--context takes a JSON object", """for example --context '{"data_heavy": true}'""")
    return found


def _show(output: Output, action: str, body: Mapping[str, Any]) -> int:
    printers = {"search": _print_search, "ground": _print_ground, "validate": _print_verdict}
    return output.answer(body, lambda console: printers[action](console, body))


def _print_search(console: Console, body: Mapping[str, Any]) -> None:
    name = body.get("stack") or body["domain"]
    _line(console, f"{name} — {body['file']}, {body['count']} of {body['filtered_from']} rows{_sure(body)}", "bold")
    for number, row in enumerate(body["results"], 1):
        console.print()
        _row(console, f"{number}.", row)
    _gaps(console, body)


def _print_ground(console: Console, body: Mapping[str, Any]) -> None:
    _line(console, f"{body['query']} — {body['category']}{_sure(body)}", "bold")
    evaluation = body["rules_evaluation"]
    for key, mark in (("matched", "✓"), ("unmatched", "·")):
        for rule, directive in evaluation[key].items():
            _line(console, f"  {mark} {rule}: {directive}", "green" if key == "matched" else "dim")
    for name, selection in body["selections"].items():
        console.print()
        _line(console, f"{name}{_sure(selection)}", "bold")
        _row(console, "", selection["best"])
        others = [next(iter(row.values()), "") for row in selection["alternatives"]]
        _line(console, f"  or: {', '.join(others)}" if others else "", "dim")
    _gaps(console, body)
    for path in body.get("persisted", {}).get("created_files", ()):
        _line(console, f"wrote {path}", "cyan")


def _print_verdict(console: Console, body: Mapping[str, Any]) -> None:
    _line(console, f"{body['manifest']}: {'valid' if body['valid'] else 'refused'}", "bold")
    for key, style in (("errors", "red"), ("warnings", "yellow")):
        for sentence in body[key]:
            _line(console, f"  ! {sentence}", style)


def _sure(table: Mapping[str, Any]) -> str:
    return f" · confidence {table['confidence']['label']} ({table['confidence']['score']:g})"


def _row(console: Console, mark: str, row: Mapping[str, str]) -> None:
    for number, (name, value) in enumerate(row.items()):
        told = value if len(value) <= LONGEST else f"{value[:LONGEST]}…"
        if told.strip():
            _line(console, f"  {mark if number == 0 else ' ' * len(mark)} {name}: {told}" if mark else f"  {name}: {told}")


def _gaps(console: Console, body: Mapping[str, Any]) -> None:
    told = body.get("message")  # which is told after the result
    sentences = [gap for gap in (*body["evidence_gap"], *body.get("notes", ())) if gap != told]
    if sentences:
        console.print()
    for sentence in sentences:
        _line(console, f"! {sentence}", "yellow")


def _line(console: Console, text: str, style: str = "") -> None:
    from encyclopedia.faces.cli.visible import visible

    if text:
        told = visible(" ".join(text.split("\n")).rstrip())
        console.print(told, style=style, markup=False, highlight=False, soft_wrap=True)
