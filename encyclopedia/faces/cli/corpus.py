"""``encyclopedia corpus``: local collections and the indexes of local sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.parser import completed, output_options
from encyclopedia.model.errors import ConfigurationError, UsageError
from encyclopedia.model.label import NAMES

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

    from encyclopedia.faces.cli.output import Output
    from encyclopedia.faces.cli.parser import Commands
    from encyclopedia.model.corpus import Corpus
    from encyclopedia.wiring.build import Engine

HELP = "local collections: add, list, index, move, remove, show, check"


def add_parser(commands: Commands) -> None:
    """The options of ``corpus`` and of what it can do."""
    from encyclopedia.faces.cli import completers

    actions = commands.add_parser("corpus", help=HELP, description=HELP).add_subparsers(
        dest="action", metavar="ACTION", title="actions", required=True
    )
    _add_add(actions)
    _action(actions, "list", "all corpora and the indexes of built-in sources, and how they stand")
    index = _action(actions, "index", "bring indexes up to date; without a name all of them", progress=True)
    names = index.add_argument("names", metavar="NAME", nargs="*", help="a corpus, or packages, manpages")
    index.add_argument("--all", action="store_true", help="everything that has an index")
    index.add_argument("--rebuild", action="store_true", help="from nothing")
    _long_work(index)
    completed(names, completers.indexes)
    remove = _action(actions, "remove", "forget a corpus and delete its index; the documents stay")
    completed(remove.add_argument("name", metavar="NAME"), completers.corpora)
    move = _action(actions, "move", "keep the passages of a corpus elsewhere; no document is read again", progress=True)
    completed(move.add_argument("name", metavar="NAME"), completers.corpora)
    move.add_argument(
        "--to", metavar="ADDRESS", required=True, help="the address of an engine, or embedded: in the data folder"
    )
    show = _action(actions, "show", "one corpus, or packages or manpages, with its numbers and tags")
    completed(show.add_argument("name", metavar="NAME"), completers.indexes)
    show.add_argument("--document", metavar="PATH", help="one document of it: parts, label, links, and who links to it")
    check = _action(actions, "check", "what is wrong with corpora; exit 1 if anything is")
    completed(check.add_argument("names", metavar="NAME", nargs="*"), completers.corpora)


def _add_add(actions: Commands) -> None:
    from encyclopedia.faces.cli import completers

    add = _action(actions, "add", "register a folder or file of documents and index it", progress=True)
    add.add_argument("name", metavar="NAME", help="letters, digits, - and _")
    completed(add.add_argument("path", metavar="PATH", help="the folder or file"), completers.files)
    kind = add.add_argument(
        "--kind", default="documents", help="documents (default), catalog, grounding, graph, inventory, docset, devdocs or llms"
    )
    completed(kind, completers.kinds)
    add.add_argument(
        "--serves", metavar="TYPE=WEIGHT,...", help="query types with weights: library_docs=0.4,general_search=0.2"
    )
    add.add_argument("--tag", metavar="T", action="append", default=[], help="a tag of all its documents (repeatable)")
    add.add_argument("--label", choices=NAMES, default=NAMES[0], help="how sensitive all of it is at least")
    add.add_argument("--private", action="store_true", help="the same as --label personal")
    add.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], help="a setting of this kind of collection (repeatable)"
    )
    there = (
        "keep its passages there: postgresql://user:${PASSWORD}@host/database, opensearch://user:${PASSWORD}@host:9200 or "
        "qdrant://:${KEY}@host:6333"
    )
    add.add_argument("--engine", metavar="ADDRESS", default="", help=there)
    _long_work(add)


def _long_work(action: Any) -> None:
    action.add_argument("--no-vectors", action="store_true", help="leave vectors out, which take the most time")
    action.add_argument("--watch", action="store_true", help="go on and index what changes, until Ctrl-C")


def _action(actions: Commands, name: str, help: str, *, progress: bool = False) -> Any:
    parser = actions.add_parser(name, help=help, description=help)
    output_options(parser, progress=progress)
    return parser


def run(arguments: Namespace) -> int:
    """Do what the action says; the exit code."""
    from encyclopedia.faces.cli import collections, moving
    from encyclopedia.faces.cli.output import Output

    output = Output.of(arguments)
    actions: dict[str, Callable[[Output, Any], int]] = {
        "add": _add,
        "index": _index,
        "move": moving.move,
        "remove": moving.remove,
        "list": collections.list_all,
        "show": collections.show_one,
        "check": collections.check,
    }
    return actions[arguments.action](output, arguments)


def parse_serves(text: str | None) -> dict[str, float] | None:
    """``{"library_docs": 0.4}`` from ``library_docs=0.4,…``. Raises ``UsageError``."""
    if text is None:
        return None
    found = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, weight = part.partition("=")
        try:
            found[name.strip()] = float(weight)
        except ValueError:
            raise UsageError(f"--serves {part!r} is no weight", "for example --serves library_docs=0.4") from None
    return found


def parse_settings(given: list[str]) -> dict[str, object]:
    """``{"depth": 2}`` from ``["depth=2"]``: a value is JSON where it can be, else a word. Raises ``UsageError``."""
    import json

    found: dict[str, object] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--set {text!r} is no setting", "for example --set depth=2")
        try:
            found[name.strip()] = json.loads(value)
        except (ValueError, RecursionError):
            found[name.strip()] = value
    return found


def _add(output: Output, arguments: Any) -> int:
    from encyclopedia.faces.cli.collections import corpus_row
    from encyclopedia.faces.cli.indexing import index, sentence
    from encyclopedia.faces.library import Encyclopedia
    from encyclopedia.wiring import corpora
    from encyclopedia.wiring.kinds import corpus_kind

    engine = Encyclopedia().engine
    _prepare_to_watch(output, arguments)
    corpus_kind(engine.groups, arguments.kind)
    table = {"name": arguments.name, "path": arguments.path, "kind": arguments.kind, "tags": arguments.tag}
    table |= {"serves": parse_serves(arguments.serves), "private": arguments.private, "label": arguments.label}
    table |= {"engine": arguments.engine}
    made = corpora.add(engine.loaded.home, parse_settings(arguments.set) | table, frozenset(engine.catalog))
    try:
        row = index(output, Encyclopedia().engine, made.name, vectors=not arguments.no_vectors)
    except ConfigurationError:
        corpora.remove(engine.loaded.home, made.name)  # nothing was read: the name is free for another path or kind
        raise
    body = {"schema_version": 1, "status": "success", "corpus": corpus_row(made), "indexed": row}
    twice = _told_twice(engine, made)
    told = "\n".join([f"registered {made.path}", sentence(row), *twice])
    output.show(body | ({"notes": twice} if twice else {}), lambda console: console.print(told, soft_wrap=True))
    _tell_skipped(output, row)
    return _watched(output, Encyclopedia().engine, [made.name], arguments)


def _prepare_to_watch(output: Output, arguments: Any) -> None:
    """What is watched is told line by line. Raises ``ConfigurationError`` if nothing can be watched."""
    if arguments.watch:
        from encyclopedia.faces.cli.watching import requirement

        requirement()
        output.stream = output.json


def _watched(output: Output, engine: Engine, names: list[str], arguments: Any) -> int:
    """Go on with what changes, if that is wanted; the exit code."""
    if not arguments.watch:
        return 0
    from encyclopedia.faces.cli.watching import watch

    return watch(output, engine, _corpora(engine, names), vectors=not arguments.no_vectors)


def _corpora(engine: Engine, names: list[str]) -> list[str]:
    """Those of the names that are corpora. Raises ``ConfigurationError`` if none is."""
    found = [name for name in names if engine.catalog[name].card.corpus]
    if not found:
        raise ConfigurationError("there is no corpus to watch", "`encyclopedia corpus add NAME PATH` registers a folder")
    return found


def _told_twice(engine: Engine, made: Corpus) -> list[str]:
    """A note for each corpus that holds the same folder or file under another name."""
    import os

    from encyclopedia.wiring.corpora import registered

    others = registered(engine.loaded)
    same = [corpus.name for corpus in others if os.path.realpath(corpus.path) == os.path.realpath(made.path)]
    return [
        f"{made.path} is also the corpus {name}: both will answer; `encyclopedia corpus remove {name}` leaves one"
        for name in same
        if name != made.name
    ]


def _index(output: Output, arguments: Any) -> int:
    from encyclopedia.faces.cli.indexing import index, indexable, sentence
    from encyclopedia.faces.library import Encyclopedia
    from encyclopedia.model.nearest import nearest

    engine = Encyclopedia().engine
    if arguments.all and arguments.names:
        raise UsageError("names and --all were given", "give one of the two")
    for name in arguments.names:
        if name not in engine.catalog:
            raise ConfigurationError(f"unknown corpus {name!r}", nearest(name, indexable(engine)))
    _prepare_to_watch(output, arguments)
    rows = []
    names = arguments.names or indexable(engine)
    names = _corpora(engine, names) if arguments.watch else names
    for name in names:
        rows.append(index(output, engine, name, rebuild=arguments.rebuild, vectors=not arguments.no_vectors))
        if not output.json:
            output.show(rows[-1], lambda console: console.print(sentence(rows[-1]), soft_wrap=True))
            _tell_skipped(output, rows[-1])
    if output.json:
        output.show({"schema_version": 1, "status": "success", "indexed": rows}, lambda _console: None)
    return _watched(output, engine, names, arguments)


def _tell_skipped(output: Output, row: dict[str, Any]) -> None:
    if output.json or not row["skipped"]:
        return
    for one in row["skipped"][:5]:
        output.remark(f"  skipped {one['path']}: {one['reason']}")
    if len(row["skipped"]) > 5:  # noqa: PLR2004 - a screen is small
        output.remark(f"  and {len(row['skipped']) - 5} more; --json lists all")
