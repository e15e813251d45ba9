"""``encyclopedia eval``: search measured on questions with known answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.parser import completed, output_options, positive
from encyclopedia.model.errors import NoSourceAnswered, UsageError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from encyclopedia.faces.cli.output import Output
    from encyclopedia.faces.cli.parser import Commands

HELP = "measure search on your own questions with known answers: recall, MRR, nDCG"
EPILOG = """\
GOLD holds one question a line: {"query": "…", "expected": ["id", …]}, or with grades
{"query": "…", "relevant": {"id": 2, …}}; or it is a CSV or TSV file with the columns query,
expected and perhaps grade (one id a row), or a BEIR folder (queries.jsonl, qrels.tsv).

`eval ask FILE` measures answers instead: {"question": "…", "gold": ["passage", …],
"facts": ["…"]}; a question without gold should be refused.

An id is what a result is called: the path of its document, with or without extension, or the
end of one that no other document has; path#section; the id of a passage; CORPUS:path; or an
address. An id that no document has is an error.

examples:
  encyclopedia eval gold.jsonl --corpus notes --per-query
  encyclopedia eval gold.jsonl --corpus notes --save before
  encyclopedia eval gold.jsonl --corpus notes --set fusion.k=60 --compare before
  encyclopedia eval ask questions.jsonl --corpus notes --save answers"""


def add_parser(commands: Commands) -> None:
    """The options of ``eval``."""
    from encyclopedia.faces.cli import completers

    parser = commands.add_parser("eval", help=HELP, description=HELP, epilog=EPILOG)
    gold = parser.add_argument(
        "gold", metavar="GOLD", nargs="*", help="a file or folder of questions; `ask FILE` measures answers"
    )
    parser.add_argument("--queries", metavar="FILE", default="", help="questions as BEIR has them, with --qrels")
    parser.add_argument("--qrels", metavar="FILE", default="", help="judgements as BEIR or TREC has them")
    completed(gold, completers.files)
    asked = parser.add_argument_group("what is asked")
    corpus = asked.add_argument("--corpus", metavar="NAME", action="append", help="a local corpus (repeatable)")
    sources = asked.add_argument("--sources", metavar="A,B", help="other sources; they are sent the questions")
    kind = asked.add_argument("--type", metavar="T", help="take every question for this query type")
    asked.add_argument("--limit", metavar="N", type=positive, help="results of each question (10, or the largest of --k)")
    asked.add_argument("--no-correct", action="store_true", help="search no corrections")
    asked.add_argument("--no-expand", action="store_true", help="search no synonyms")
    asked.add_argument("--set", metavar="SETTING=VALUE", action="append", default=[], help="another setting for this run")
    shown = parser.add_argument_group("what is told")
    shown.add_argument("--k", metavar="N,…", type=cutoffs, help="places to count at (1,5,10)")
    shown.add_argument("--per-query", action="store_true", help="every question with its places and measures")
    shown.add_argument("--save", metavar="NAME", help="keep the measurement under this name")
    before = shown.add_argument(
        "--compare", metavar="NAME", help="what has changed since a measurement that was kept, or a file"
    )
    shown.add_argument("--allow-unknown", action="store_true", help="expected ids that no document has count as never found")
    output_options(parser, progress=True)
    for action, names in ((corpus, completers.corpora), (sources, completers.sources), (kind, completers.types)):
        completed(action, names)
    completed(before, completers.measurements)


def cutoffs(text: str) -> tuple[int, ...]:
    """Whole numbers above 0, from a list with commas."""
    return tuple(positive(part) for part in text.split(","))


def run(arguments: Namespace) -> int:
    """Measure and print; the exit code."""
    import asyncio

    from encyclopedia.faces import evaluations
    from encyclopedia.faces.cli.evaluation import print_answers, print_evaluation
    from encyclopedia.faces.cli.output import Output
    from encyclopedia.faces.cli.workplace import loaded
    from encyclopedia.wiring.corpora import check_name

    output, home = Output.of(arguments), loaded().home
    if arguments.save:
        check_name(arguments.save)
    before = evaluations.recall(home, arguments.compare) if arguments.compare else None
    try:
        body, code = asyncio.run(_measured(output, arguments)), 0
    except NoSourceAnswered as error:
        if "queries" not in error.details:
            raise
        body, code = error.to_dict(), error.code
    if arguments.save:
        body |= {"saved": evaluations.save(home, arguments.save, body)}
    if before is not None:
        body |= {"comparison": evaluations.compare(before, body, arguments.compare)}
    told = body if arguments.per_query else {name: value for name, value in body.items() if name != "queries"}
    printed = print_answers if _gold(arguments.gold)[0] else print_evaluation
    output.show(told, lambda console: printed(console, body, per_query=arguments.per_query))
    if code and not output.json:
        output.told(body)
    return code


async def _measured(output: Output, arguments: Namespace) -> dict[str, Any]:
    from encyclopedia.faces.cli.corpus import parse_settings
    from encyclopedia.faces.cli.progress import bar
    from encyclopedia.faces.library import Encyclopedia

    answers, gold = _gold(arguments.gold)
    async with Encyclopedia(settings=parse_settings(arguments.set)) as encyclopedia:
        with bar(output, "measuring") as progress:
            if answers:
                return await encyclopedia.evaluate_answers(gold, progress=progress, corpora=arguments.corpus)
            return await encyclopedia.evaluate(
                gold,
                queries=arguments.queries,
                qrels=arguments.qrels,
                corpora=arguments.corpus,
                sources=arguments.sources,
                cutoffs=arguments.k,
                limit=arguments.limit,
                type=arguments.type,
                correct=not arguments.no_correct,
                expand=not arguments.no_expand,
                allow_unknown=arguments.allow_unknown,
                progress=progress,
            )


def _gold(given: Sequence[str]) -> tuple[bool, str]:
    """Whether answers are measured, and the gold set. Raises ``UsageError`` for more than one."""
    answers = len(given) > 1 and given[0] == "ask"
    rest = given[1:] if answers else given
    if len(rest) > 1:
        raise UsageError(f"unexpected argument {rest[1]!r}", "give one gold set")
    return answers, rest[0] if rest else ""
