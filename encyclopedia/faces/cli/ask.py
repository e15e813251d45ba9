"""``encyclopedia ask``: a grounded, cited answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.parser import completed, output_options, positive, seconds

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Mapping

    from rich.console import Console

    from encyclopedia.faces.cli.parser import Commands
    from encyclopedia.ports import Progress

HELP = "a cited answer from your corpora, in their own sentences or rephrased by a model"
EPILOG = """\
Without a model the answer is made of the passages' own sentences. With one (llm.url and
llm.model) each of its statements is checked against the passage that it cites.

examples:
  encyclopedia ask "why did we choose Graviton?" --corpus decisions
  encyclopedia ask "compare Adapter and Facade" --verbose"""


def add_parser(commands: Commands) -> None:
    """The options of ``ask``."""
    from encyclopedia.faces.cli import completers

    parser = commands.add_parser("ask", help=HELP, description=HELP, epilog=EPILOG)
    parser.add_argument("question", nargs="+", help="the question")
    scope = parser.add_argument_group("scope")
    corpus = scope.add_argument("--corpus", metavar="NAME", action="append", help="only this corpus (repeatable)")
    tag = scope.add_argument("--tag", metavar="T", action="append", help="only documents with this tag (repeatable)")
    scope.add_argument("--project", metavar="ID", default="", help="this project of a graph of books")
    scope.add_argument("--web", action="store_true", help="ask the remote sources too")
    switches = parser.add_argument_group("switches")
    switches.add_argument("--fast", action="store_true", help="one facet, no second look")
    switches.add_argument("--rebuild", action="store_true", help="bring the project up to date first")
    switches.add_argument("--max-tokens", metavar="N", type=positive, help="bound on the answer")
    switches.add_argument("--timeout", metavar="S", type=seconds, help="deadline of each search in seconds")
    switches.add_argument("--verbose", action="store_true", help="show facets, searches, passages, verdicts and the critic")
    output_options(parser, progress=True)
    completed(corpus, completers.corpora)
    completed(tag, completers.tags)


def run(arguments: Namespace) -> int:
    """Answer the question; the exit code."""
    import asyncio

    from encyclopedia.faces.cli.output import Output
    from encyclopedia.faces.cli.progress import bar

    output = Output.of(arguments)
    with bar(output, "asking") as progress:
        body = asyncio.run(_ask(arguments, progress))
    return output.answer(body, lambda console: _print(console, body))


async def _ask(arguments: Namespace, progress: Progress) -> dict[str, Any]:
    from encyclopedia.faces.library import Encyclopedia

    async with Encyclopedia() as encyclopedia:
        answer = await encyclopedia.ask(
            " ".join(arguments.question),
            corpora=arguments.corpus,
            tags=arguments.tag,
            project=arguments.project,
            web=arguments.web,
            fast=arguments.fast,
            rebuild=arguments.rebuild,
            max_tokens=arguments.max_tokens,
            timeout=arguments.timeout,
            verbose=arguments.verbose,
            progress=progress,
        )
        return answer.to_dict()


def _print(console: Console, body: Mapping[str, Any]) -> None:
    from encyclopedia.faces.cli.visible import one_line, visible

    if not body.get("code"):
        console.print(visible(readable(str(body["answer"]))), markup=False, highlight=False)
        console.print()
    for line, style in _lines(body):
        console.print(one_line(line), style=style, markup=False, soft_wrap=True)
    for facet in body.get("verbose", {}).get("facets", ()):
        console.print()
        for line in _facet(facet):
            console.print(one_line(line), style="dim", markup=False, soft_wrap=True)


def readable(answer: str) -> str:
    """The answer for people: links by their text and words without marks of emphasis, but for code between fences."""
    import re

    marks = (r"\[\[(?:[^\]|]*\|)?([^\]|]+)\]\]", r"!?\[([^\]]+)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)", r"\*\*(\S[^*\n]*)\*\*")
    parts = re.split(r"(```[\s\S]*?```)", answer)
    for pattern in marks:
        parts[::2] = [re.sub(pattern, r"\1", part) for part in parts[::2]]
    return "".join(parts)


def _lines(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for row in body["citations"]:
        yield _source(row), ""
    for one, other in body["divergence"]:
        yield f"[{one}] and [{other}] say different things", "yellow"
    for insight in body["structural_insights"]:
        yield f"· {insight}", "cyan"
    gaps = f" · not covered: {', '.join(body['gaps'])}" if body["gaps"] else ""
    yield f"confidence: {body['confidence']}{gaps}", "dim"
    sources = ", ".join(body["provenance"]["sources"]) or "none"
    yield f"from: {sources} · consultation {body['provenance']['consultation_id']}", "dim"
    for row in (*body["degradation"]["missing"], *body["degradation"]["errors"]):
        if not row["optional"]:
            yield f"! {row['source']}: {row.get('reason') or row.get('message')}", "yellow"
    for note in body.get("notes", ()):
        yield str(note), "cyan"


def _source(row: Mapping[str, Any]) -> str:
    label = f" ({row['label']})" if row.get("label") not in (None, "public") else ""
    place = row["places"][0]
    lines = f":{'-'.join(map(str, dict.fromkeys(place['lines'])))}" if "lines" in place else ""
    page = f" page {place['page']}" if "page" in place else ""
    where = row["url"] if "url" in row else f"{row['source']} {row['path']}{lines}{page}"
    others = len(row["places"]) - 1
    more = f" and {others} more place{'' if others == 1 else 's'}" if others else ""
    return f"[{row['n']}] {row['title']} — {where}{more}{label}"


def _facet(facet: Mapping[str, Any]) -> Iterator[str]:
    yield f"{facet['intent']}: {facet['facet']}"
    if facet["retrieval_query"] != facet["facet"]:
        yield f"  searched for: {facet['retrieval_query']}"
    refused = f", refused: {facet['refused']}" if facet["refused"] else ""
    yield f"  {len(facet['passages'])} passages, {facet['confidence']} confidence{refused}"
    for verdict in facet["verdicts"]:
        note = f" ({verdict['note']})" if verdict["note"] else ""
        yield f"  {verdict['supported']}: {verdict['statement']}{note}"
