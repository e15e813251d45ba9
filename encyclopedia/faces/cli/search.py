"""``encyclopedia search``: the unified search with all its switches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.parser import completed, output_options, positive, seconds
from encyclopedia.model.errors import UsageError

if TYPE_CHECKING:
    from argparse import Namespace

    from encyclopedia.faces.cli.parser import Commands

HELP = "ask every source that may answer: one ranked, attributed list"
EPILOG = """\
Hints in the query: doc: docs: code: web: repository: choose the query type,
repo:owner/name names a repository. "Quoted words" count more where they stand together.

examples:
  encyclopedia search "aiohttp client session timeout"
  encyclopedia search "tar extract gzip" --sources manpages --limit 3
  encyclopedia search "deploy checklist" --corpus notes --json"""


def add_parser(commands: Commands) -> None:
    """The options of ``search``."""
    parser = commands.add_parser("search", help=HELP, description=HELP, epilog=EPILOG)
    query = parser.add_argument("query", nargs="+", help="what to search for")
    scope = parser.add_argument_group("scope")
    sources = scope.add_argument("--sources", metavar="A,B", help="ask exactly these sources")
    kind = scope.add_argument("--type", metavar="T", help="query type: library_docs, general_search, code_context, repository")
    corpus = scope.add_argument("--corpus", metavar="NAME", action="append", help="only this local corpus (repeatable)")
    tag = scope.add_argument("--tag", metavar="T", action="append", help="only documents with this tag (repeatable)")
    bounds = parser.add_argument_group("bounds")
    bounds.add_argument("--limit", metavar="N", type=positive, help="number of results (5)")
    bounds.add_argument("--timeout", metavar="S", type=seconds, help="deadline of the whole query in seconds")
    bounds.add_argument("--max-tokens", metavar="N", type=positive, help="bound on the text of all results together")
    switches = parser.add_argument_group("switches")
    switches.add_argument("--no-cache", action="store_true", help="do not read stored answers (still stores the new one)")
    switches.add_argument("--no-correct", action="store_true", help="do not correct spelling")
    switches.add_argument("--no-expand", action="store_true", help="do not search for other words for the same thing")
    switches.add_argument("--strict", action="store_true", help="exit 3 when the answer is degraded")
    shown = parser.add_argument_group("diagnostics")
    shown.add_argument("--verbose", action="store_true", help="show analysis, routing, fusion, cache and stage times")
    shown.add_argument("--explain", action="store_true", help="show every step with before and after, and all scores")
    way = shown.add_mutually_exclusive_group()
    way.add_argument("--dry-run", action="store_true", help="decide everything and ask nobody")
    way.add_argument("--stream", action="store_true", help="JSON Lines: an event for each source as it lands")
    output_options(parser, progress=True)
    _complete(query=query, sources=sources, kind=kind, corpus=corpus, tag=tag)


def _complete(**actions: Any) -> None:
    from encyclopedia.faces.cli import completers

    given: dict[str, Any] = {"query": completers.nothing, "sources": completers.sources, "kind": completers.types}
    given |= {"corpus": completers.corpora, "tag": completers.tags}
    for name, action in actions.items():
        completed(action, given[name])


def run(arguments: Namespace) -> int:
    """Search; the exit code."""
    from encyclopedia.faces.cli.output import Output

    if arguments.stream and arguments.text:
        raise UsageError("--stream prints JSON Lines, which --text cannot change", "leave one of the two out")
    output = Output.of(arguments)
    text, options = " ".join(arguments.query), query_options(arguments)
    if arguments.dry_run:
        return _dry_run(output, text, options)
    from encyclopedia.faces.cli.searching import search

    return search(output, text, options, strict=arguments.strict)


def query_options(arguments: Namespace) -> dict[str, Any]:
    """The options as ``query_from`` takes them. Raises ``UsageError`` for a list without a name."""
    if arguments.sources is not None and not arguments.sources.strip(", "):
        raise UsageError("--sources names no source", "for example --sources packages,wikipedia")
    for name in ("corpus", "tag"):
        if not all(value.strip(", ") for value in getattr(arguments, name) or ()):
            raise UsageError(f"--{name} names no {name}", "leave it out to search everywhere")
    return {
        "type": arguments.type,
        "limit": arguments.limit,
        "sources": arguments.sources,
        "corpora": arguments.corpus,
        "tags": arguments.tag,
        "timeout": arguments.timeout,
        "max_tokens": arguments.max_tokens,
        "correct": not arguments.no_correct,
        "expand": not arguments.no_expand,
        "read_cache": not arguments.no_cache,
        "verbose": arguments.verbose,
        "explain": arguments.explain,
    }


def _dry_run(output: Any, text: str, options: dict[str, Any]) -> int:
    from encyclopedia.faces.cli.decisions import print_dry_run
    from encyclopedia.faces.library import Encyclopedia

    body = Encyclopedia().plan(text, **options)
    output.show(body, lambda console: print_dry_run(console, body))
    return 0
