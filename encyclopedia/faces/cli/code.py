"""``encyclopedia code``: what stands in a repository, with files, lines, and who calls whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.parser import completed, output_options, positive, seconds

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping

    from rich.console import Console

    from encyclopedia.faces.cli.parser import Commands
    from encyclopedia.ports import Progress

HELP = "what stands in a repository: files, lines, definitions, who calls whom"
EPILOG = """\
A folder of this machine is read as it lies there, any other repository at its
newest commit, with git. Nothing of it is run.

examples:
  encyclopedia code . "where is the retry policy decided" --depth deep
  encyclopedia code pallets/click "how are options parsed"
  encyclopedia code https://codeberg.org/owner/name "configuration file" --json"""


def add_parser(commands: Commands) -> None:
    """The options of ``code``."""
    from encyclopedia.faces.cli import completers

    parser = commands.add_parser("code", help=HELP, description=HELP, epilog=EPILOG)
    repository = parser.add_argument("repository", help="owner/name, an address, or a folder")
    question = parser.add_argument("question", nargs="+", help="what to look for, in words or names")
    depth = parser.add_argument(
        "--depth", metavar="D", default="shallow", help="shallow (default), or deep: with callers and callees"
    )
    parser.add_argument("--limit", metavar="N", type=positive, help="number of files (5)")
    parser.add_argument("--timeout", metavar="S", type=seconds, help="deadline of the whole reading in seconds (20)")
    output_options(parser, progress=True)
    completed(repository, completers.files)
    completed(question, completers.nothing)
    completed(depth, completers.depths)


def run(arguments: Namespace) -> int:
    """Read the repository; the exit code."""
    import asyncio

    from encyclopedia.faces.cli.output import Output
    from encyclopedia.faces.cli.progress import bar

    output = Output.of(arguments)
    with bar(output, "reading the repository") as progress:
        body = asyncio.run(_ask(arguments, progress))
    return output.answer(body, lambda console: _print(console, body))


async def _ask(arguments: Namespace, progress: Progress) -> dict[str, Any]:
    from encyclopedia.faces.library import Encyclopedia

    async with Encyclopedia() as encyclopedia:
        found = await encyclopedia.code(
            arguments.repository,
            " ".join(arguments.question),
            depth=arguments.depth,
            limit=arguments.limit,
            timeout=arguments.timeout,
            progress=progress,
        )
        return found.to_dict()


def _print(console: Console, body: Mapping[str, Any]) -> None:
    from encyclopedia.faces.cli.remarks import losses
    from encyclopedia.faces.cli.results import query_words, snippet
    from encyclopedia.faces.cli.visible import one_line, visible
    from encyclopedia.faces.code_analysis import where

    if body["analysis"]:
        console.print(visible(body["analysis"]), markup=False, highlight=False)
        console.print()
    words = query_words(body["question"])
    for rank, row in enumerate(body["files"], 1):
        lines = tuple(row["lines"]) if row["lines"] else None
        console.print(f"{rank:>2}. {one_line(where(row['path'], lines))}", style="bold", markup=False, soft_wrap=True)
        told = " · ".join(one_line(part) for part in (row["section"], row["url"]) if part)
        if told:
            console.print(f"    {told}", style="dim", markup=False, soft_wrap=True)
        for text in snippet(console, str(row["content"]), words):
            console.print(text, soft_wrap=True)
        console.print()
    for note in body["notes"]:
        console.print(one_line(note), style="dim", markup=False, soft_wrap=True)
    for sentence in losses(body):
        console.print(one_line(sentence), style="yellow", markup=False, soft_wrap=True)
