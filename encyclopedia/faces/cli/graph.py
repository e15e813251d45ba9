"""``encyclopedia graph``: books as concepts and relations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.parser import completed, output_options, positive

if TYPE_CHECKING:
    from argparse import Namespace

    from encyclopedia.faces.cli.parser import Commands, Parser

HELP = "books as concepts and relations: books, match, subgraph, ask, project, export, import"
EPILOG = """\
A corpus of kind graph is a folder with a folder or file of markdown for each book, or
with books.json, concepts.jsonl, sections.jsonl and relationships.jsonl. A project joins
the concepts that several of its books have.

examples:
  encyclopedia graph match "undo the last change" --corpus books
  encyclopedia graph subgraph Observer --hops 1 --format mermaid
  encyclopedia graph ask "when is a facade better than an adapter" --concept Facade
  encyclopedia graph project start "All books" --project all
  encyclopedia graph project build all"""
PROJECT_ACTIONS = ("start", "build", "list", "show")


def add_parser(commands: Commands) -> None:
    """The options of ``graph`` and of what it can do."""
    from encyclopedia.faces.cli import completers

    actions = commands.add_parser("graph", help=HELP, description=HELP, epilog=EPILOG).add_subparsers(
        dest="action", metavar="ACTION", title="actions", required=True
    )
    _action(actions, "books", "the books with their numbers")
    match = _action(actions, "match", "the concepts that a question or a description is about", project=True)
    match.add_argument("words", nargs="+", help="what you look for, in some words")
    match.add_argument("--limit", metavar="N", type=positive, help="number of concepts (15)")
    _add_subgraph(actions)
    ask = _action(actions, "ask", "the passages that answer a question, as they stand in the books", project=True)
    ask.add_argument("words", nargs="+", help="the question")
    ask.add_argument("--concept", metavar="C", action="append", default=[], help="only about this concept (repeatable)")
    ask.add_argument("--book", metavar="ID", help="only in this book")
    ask.add_argument("--limit", metavar="N", type=positive, help="number of passages (3)")
    _add_project(actions)
    export = _action(actions, "export", "write all books as JSON Lines into a folder")
    completed(export.add_argument("path", metavar="DIR", help="the folder"), completers.files)
    imported = _action(actions, "import", "take books in beside those of the corpus' path")
    completed(imported.add_argument("path", metavar="PATH", nargs="?", help="a bundle, a folder or a file"), completers.files)
    imported.add_argument("--name", metavar="N", help="what it is called here; the same name replaces")
    imported.add_argument("--drop", metavar="N", help="forget what was imported under this name")


def _add_subgraph(actions: Commands) -> None:
    parser = _action(actions, "subgraph", "what lies around some concepts, the surest relations first", project=True)
    parser.add_argument("concepts", metavar="CONCEPT", nargs="+", help="an id, or a name in quotes")
    parser.add_argument("--hops", metavar="N", type=positive, help="steps from the concepts, 1 to 3 (2)")
    parser.add_argument("--edges", metavar="N", type=positive, help="relations at most (50)")
    parser.add_argument("--floor", metavar="X", type=float, help="least confidence, 0 to 1 (0.5)")
    parser.add_argument("--descriptions", action="store_true", help="with the sentences behind each relation")
    parser.add_argument("--format", choices=("mermaid", "dot"), help="text of a picture instead")


def _add_project(actions: Commands) -> None:
    parser = _action(actions, "project", "books that are read together: start, build, list, show")
    parser.add_argument("do", metavar="DO", choices=PROJECT_ACTIONS, help=", ".join(PROJECT_ACTIONS))
    parser.add_argument("name", nargs="?", default="", help="its name (start) or id (build, show)")
    parser.add_argument("--project", metavar="ID", default="", help="with start: its id; else made of its name")
    parser.add_argument("--book", metavar="ID", action="append", default=[], help="with start: this book (repeatable; all)")
    parser.add_argument("--description", metavar="TEXT", default="", help="with start: what it is for")
    parser.add_argument("--force", action="store_true", help="with build: also if nothing has changed")


def _action(actions: Commands, name: str, help: str, *, project: bool = False) -> Parser:
    from encyclopedia.faces.cli import completers

    parser = actions.add_parser(name, help=help, description=help)
    completed(parser.add_argument("--corpus", metavar="NAME", default="", help="a registered corpus"), completers.corpora)
    if project:
        parser.add_argument("--project", metavar="ID", help="concepts as this project joins them")
        if name != "match":
            parser.add_argument("--consultation", metavar="ID", help="what `match` gave; it stands for its project")
    output_options(parser)
    return parser


def run(arguments: Namespace) -> int:
    """Do what the action says; the exit code."""
    from encyclopedia.faces.cli import graph_text
    from encyclopedia.faces.cli.output import Output
    from encyclopedia.faces.graph import graph
    from encyclopedia.faces.library import Encyclopedia

    output = Output.of(arguments)
    verb, options = _asked(arguments)
    body = graph(Encyclopedia().engine, verb, corpus=arguments.corpus, **options)
    if getattr(arguments, "format", None):
        from encyclopedia.faces.diagram import diagram

        body["diagram"] = diagram(body, arguments.format)
        if not arguments.json:  # who asks for a picture wants its text, in a pipe too
            output.stdout.write(f"{body['diagram']}\n")
            return 0
    return output.answer(body, lambda console: graph_text.PRINTERS[verb](console, body))


def _asked(arguments: Any) -> tuple[str, dict[str, Any]]:
    """The verb and its options."""
    askers = {"match": _match, "subgraph": _subgraph, "ask": _ask, "project": _project, "import": _import}
    if arguments.action in askers:
        return askers[arguments.action](arguments)
    return ("export", {"folder": arguments.path}) if arguments.action == "export" else ("list_books", {})


def _match(arguments: Any) -> tuple[str, dict[str, Any]]:
    text = " ".join(arguments.words)
    return "match_concepts", {"project_description": text, "project_id": arguments.project, "limit": arguments.limit}


def _subgraph(arguments: Any) -> tuple[str, dict[str, Any]]:
    return "get_subgraph", {
        "concept_ids": arguments.concepts,
        "max_hops": arguments.hops,
        "max_edges": arguments.edges,
        "confidence_threshold": arguments.floor,
        "include_descriptions": arguments.descriptions,
        "project_id": arguments.project,
        "consultation_id": arguments.consultation,
    }


def _ask(arguments: Any) -> tuple[str, dict[str, Any]]:
    return "ask_book", {
        "question": " ".join(arguments.words),
        "concept_ids": arguments.concept,
        "max_passages": arguments.limit,
        "book_id": arguments.book,
        "project_id": arguments.project,
        "consultation_id": arguments.consultation,
    }


def _project(arguments: Any) -> tuple[str, dict[str, Any]]:
    from encyclopedia.model.errors import UsageError

    name = arguments.name or arguments.project
    if arguments.do == "list":
        return "list_projects", {}
    if not name:
        raise UsageError(f"project {arguments.do} needs a name", f"for example `encyclopedia graph project {arguments.do} all`")
    if arguments.do == "build":
        return "build_project_kg", {"project_id": name, "force": arguments.force}
    if arguments.do == "show":
        return "merges", {"project_id": name}
    told = {"project_description": arguments.description, "project_id": arguments.project}
    return "start_project", told | {"name": name, "triaged_book_ids": arguments.book}


def _import(arguments: Any) -> tuple[str, dict[str, Any]]:
    from encyclopedia.model.errors import UsageError

    if bool(arguments.path) == bool(arguments.drop):
        raise UsageError("give either a path or --drop", "`encyclopedia graph import PATH` takes books in")
    return (
        ("drop", {"name": arguments.drop}) if arguments.drop else ("take_in", {"path": arguments.path, "name": arguments.name})
    )
