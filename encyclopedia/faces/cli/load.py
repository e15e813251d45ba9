"""``encyclopedia load``: what a knowledge catalog holds about a topic, as one block to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.parser import completed, output_options, positive
from encyclopedia.model.topic import FLOOR, SCORINGS

if TYPE_CHECKING:
    from argparse import Namespace

    from encyclopedia.faces.cli.parser import Commands

HELP = "load what a knowledge catalog holds about a topic; without one its summary and hubs"
EPILOG = """\
The catalog is the only corpus of kind catalog, or the one of the working folder.

examples:
  encyclopedia load "object creation"
  encyclopedia load cache --terms "memoize,store" --expand 1 --n 5
  encyclopedia load observer --explain --scoring classic"""


def add_parser(commands: Commands) -> None:
    """The options of ``load``."""
    from encyclopedia.faces.cli import completers

    parser = commands.add_parser("load", help=HELP, description=HELP, epilog=EPILOG)
    parser.add_argument("topic", nargs="*", help="a few words; without them a summary of the catalog")
    parser.add_argument("--n", metavar="N", type=positive, default=10, help="entities to load (10)")
    parser.add_argument("--type", metavar="T", default="", help="only entities of this type")
    parser.add_argument(
        "--terms", metavar="WORDS", action="append", default=[], help="words that count like the topic's (repeatable)"
    )
    parser.add_argument("--expand", metavar="HOPS", type=int, default=0, help="1: also neighbours of what matches, at most N")
    parser.add_argument("--explain", action="store_true", help="what each score is made of")
    parser.add_argument("--no-bodies", action="store_true", help="without the text of the pages")
    parser.add_argument("--scoring", choices=SCORINGS, default=SCORINGS[0], help="classic: the additive scores of kg")
    parser.add_argument("--body-search", action="store_true", help="classic: always read the pages too")
    parser.add_argument(
        "--tier2-floor",
        metavar="S",
        type=int,
        default=FLOOR,
        help=f"classic: read them below this best score ({FLOOR}; 0 never)",
    )
    completed(parser.add_argument("--corpus", metavar="NAME", default="", help="this corpus"), completers.corpora)
    completed(parser.add_argument("--root", metavar="PATH", default="", help="the catalog of this folder"), completers.files)
    output_options(parser, progress=True)


def run(arguments: Namespace) -> int:
    """Load and print; the exit code."""
    from encyclopedia.faces.cli.output import Output
    from encyclopedia.faces.cli.progress import bar
    from encyclopedia.faces.library import Encyclopedia
    from encyclopedia.faces.load import load

    output = Output.of(arguments)
    topic = " ".join(arguments.topic)
    with bar(output, "reading the catalog") as progress:
        body = load(
            Encyclopedia().engine,
            topic or " " * bool(arguments.topic),
            corpus=arguments.corpus,
            root=arguments.root,
            progress=progress,
            bodies=not arguments.no_bodies,
            **{name: getattr(arguments, name) for name in _OPTIONS},
        )
    if not output.json:
        _remark(output, body)
    return output.answer(body, lambda console: _print(console, body))


_OPTIONS = ("n", "type", "terms", "expand", "explain", "scoring", "body_search", "tier2_floor")


def _remark(output: Any, body: dict[str, Any]) -> None:
    for sentence in body["stale"]:
        output.remark(f"{body['catalog']} is stale: {sentence}")
    if body["stale"]:
        output.remark("  `encyclopedia corpus index NAME` brings the catalog of a corpus up to date")
    for sentence in body["notes"]:
        output.remark(sentence)


def _print(console: Any, body: dict[str, Any]) -> None:
    from encyclopedia.faces.cli.frames import print_load, print_summary

    if "matches" not in body:
        print_summary(console, body)
    elif body["matches"]:
        print_load(console, body)
