"""``encyclopedia lookup``: the documentation of one library, API or topic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.parser import output_options, positive, seconds

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping

    from rich.console import Console

    from encyclopedia.faces.cli.parser import Commands
    from encyclopedia.ports import Progress

HELP = "documentation of one library, API or topic, at the version you ask for"
EPILOG = """\
What is installed here speaks first, then your corpora, then documentation services.
A version that is not there is never replaced by another one in silence.

examples:
  encyclopedia lookup aiohttp.ClientTimeout
  encyclopedia lookup rich --version 15.0.0"""


def add_parser(commands: Commands) -> None:
    """The options of ``lookup``."""
    parser = commands.add_parser("lookup", help=HELP, description=HELP, epilog=EPILOG)
    parser.add_argument("topic", nargs="+", help="a library, a dotted name, or a few words")
    parser.add_argument("--version", metavar="V", default="", help="exactly this version")
    parser.add_argument("--timeout", metavar="S", type=seconds, help="deadline of the whole lookup in seconds")
    parser.add_argument("--max-tokens", metavar="N", type=positive, help="bound on the text (4000)")
    output_options(parser, progress=True)


def run(arguments: Namespace) -> int:
    """Look the topic up; the exit code."""
    import asyncio

    from encyclopedia.faces.cli.output import Output
    from encyclopedia.faces.cli.progress import bar

    output = Output.of(arguments)
    with bar(output, "looking it up") as progress:
        body = asyncio.run(_ask(arguments, progress))
    return output.answer(body, lambda console: _print(console, body))


async def _ask(arguments: Namespace, progress: Progress) -> dict[str, Any]:
    from encyclopedia.faces.library import Encyclopedia

    async with Encyclopedia() as encyclopedia:
        found = await encyclopedia.lookup(
            " ".join(arguments.topic),
            version=arguments.version,
            timeout=arguments.timeout,
            max_tokens=arguments.max_tokens,
            progress=progress,
        )
        return found.to_dict()


def _print(console: Console, body: Mapping[str, Any]) -> None:
    from encyclopedia.faces.cli.remarks import losses
    from encyclopedia.faces.cli.visible import one_line, visible

    if body["content"]:
        version = f" {body['version']}" if body["version"] else ""
        console.print(f"{body['topic']}{version} — from {body['source']}", style="bold", markup=False, highlight=False)
        console.print()
        console.print(visible(str(body["content"])), markup=False, highlight=False)
    for correction in body["corrections"]:
        console.print(one_line(f"searched also for: {correction}"), style="cyan", markup=False, soft_wrap=True)
    for sentence in losses(body):
        console.print(one_line(sentence), style="yellow", markup=False, soft_wrap=True)
