"""Measures answers on questions with known passages and facts: what was retrieved, cited, said, and refused."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.answering.words import fold
from encyclopedia.faces import roster
from encyclopedia.faces.requests import names
from encyclopedia.model.errors import ConfigurationError
from encyclopedia.wiring.agent import VERSION
from encyclopedia.wiring.corpora import registered
from encyclopedia.wiring.kinds import corpus_kind
from encyclopedia.wiring.settings import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from encyclopedia.ports import Progress
    from encyclopedia.wiring.build import Engine

FIRST = 5
"""Passages of each facet among which the known ones are looked for."""
CHARS_A_TOKEN = 4
FORM = (
    'one object a line: {"question": "…", "gold": ["passage", ["one", "or another"]], "facts": ["…"]}; '
    "a question without gold should be refused"
)
MEASURES = (
    "passage_recall@5",
    "citation_precision",
    "citation_recall",
    "faithfulness",
    "facts",
    "refusal",
    "tokens_retrieved",
    "tokens_answered",
)


class Question(NamedTuple):
    """A question, the passages that answer it (of each group one is enough), and texts that its answer should hold."""

    text: str
    gold: tuple[tuple[str, ...], ...] = ()
    facts: tuple[str, ...] = ()


def read(path: str) -> tuple[Question, ...]:
    """The questions of a file of JSON lines. Raises ``ConfigurationError`` that names each line with a problem."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            lines = [(number, line) for number, line in enumerate(file, 1) if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ConfigurationError(f"{path} cannot be read: {reason}", f"a gold set of answers is {FORM}") from None
    found: list[Question] = []
    problems: list[str] = []
    for number, line in lines:
        question = _question(line)
        if isinstance(question, str):
            problems.append(f"line {number}: {question}")
        elif question.text in {one.text for one in found}:
            problems.append(f"line {number}: the question was asked before")
        else:
            found.append(question)
    if problems or not found:
        told = "; ".join(problems[:5]) or "it holds no question"
        raise ConfigurationError(f"{path}: {told}", f"a gold set of answers is {FORM}", {"problems": problems})
    return tuple(found)


def _question(line: str) -> Question | str:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return "this is not JSON"
    if not isinstance(row, dict) or not isinstance(row.get("question"), str) or not row["question"].strip():
        return "there is no question"
    gold, facts = row.get("gold", []), row.get("facts", [])
    groups = [group if isinstance(group, list) else [group] for group in gold] if isinstance(gold, list) else [[None]]
    if not all(isinstance(name, str) and name for group in groups for name in group) or not all(groups):
        return "gold is no list of passages, or of lists of passages"
    if not isinstance(facts, list) or not all(isinstance(fact, str) for fact in facts):
        return "facts is no list of texts"
    return Question(row["question"].strip(), tuple(map(tuple, groups)), tuple(facts))


async def evaluate_answers(engine: Engine, path: str, options: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Ask every question; the JSON form of ``encyclopedia eval ask``. ``options`` are those of ``ask``.

    Passage recall and citations count groups of known passages; faithfulness is the share of statements that their passages
    support; refusal is 1 where a question without known passages was refused, or one with them was not. Raises as ``read`` and
    ``ask`` do, and ``ConfigurationError`` for passages that nothing in scope is called, since they would lower the figures.
    """
    from encyclopedia.faces.ask import ask

    questions, start = read(path), perf_counter()
    await asyncio.to_thread(_check, engine, questions, options)
    rows = []
    for number, question in enumerate(questions):
        progress(question.text, number, len(questions))
        answer = await ask(engine, question.text, {**options, "verbose": True})
        rows.append(_row(question, answer.to_dict()))
    lost = [row for row in rows if row["degraded"]]
    notes = [f"{len(lost)} answers were less than the sources can give"] if lost else []
    return {
        "schema_version": 1,
        "status": "success",
        "gold": {"name": path, "queries": len(rows)},
        "metrics": {name: mean for name in MEASURES if (mean := _mean(rows, name)) is not None},
        "measured": len(rows),
        "time": {"seconds": round(perf_counter() - start, 3)},
        "notes": notes,
        "queries": rows,
        "configuration": _configuration(engine, options),
    }


def _check(engine: Engine, questions: Sequence[Question], options: Mapping[str, Any]) -> None:
    """Raise ``ConfigurationError`` for known passages that no corpus in scope has."""
    scope = names(options.get("corpora"))
    corpora = [one for one in registered(engine.loaded) if not scope or one.name in scope]
    kinds = [(one, corpus_kind(engine.groups, one.kind)) for one in corpora]
    told = {one.name: partial(kind.names, one) for one, kind in kinds if hasattr(kind, "names")}
    whole = len(told) == len(kinds) and not options.get("web")
    ids = dict.fromkeys(name for question in questions for group in question.gold for name in group)
    unknown = roster.resolve(ids, told, whole=whole).unknown
    if unknown:
        raise roster.complain(unknown)


def _configuration(engine: Engine, options: Mapping[str, Any]) -> dict[str, Any]:
    told = shown(engine.loaded)
    settings = {name: value for name, value in told.items() if name.startswith(("llm.", "fusion.", "embedder."))}
    return {
        "asked": {name: value for name, value in options.items() if value},
        "settings": settings,
        "versions": {"encyclopedia": VERSION},
    }


def _row(question: Question, body: Mapping[str, Any]) -> dict[str, Any]:
    facets = body["verbose"]["facets"]
    first = {name for facet in facets for row in facet["passages"][:FIRST] for name in _called(row["id"])}
    cited = [set(_called(f"{row['source']}:{place['section_id']}")) for row in body["citations"] for place in row["places"]]
    verdicts = [verdict["supported"] == "yes" for facet in facets for verdict in facet["verdicts"]]
    refused = bool(body.get("code"))
    metrics: dict[str, float] = {"refusal": float(refused != bool(question.gold))}
    if question.gold:
        known = {name for group in question.gold for name in group}
        metrics["passage_recall@5"] = _share(bool(first.intersection(group)) for group in question.gold)
        metrics["citation_recall"] = _share(any(names.intersection(group) for names in cited) for group in question.gold)
        if cited:
            metrics["citation_precision"] = _share(bool(names & known) for names in cited)
    if question.facts:
        metrics["facts"] = _share(fold(fact).casefold() in fold(body["answer"]).casefold() for fact in question.facts)
    if verdicts:
        metrics["faithfulness"] = _share(verdicts)
    metrics["tokens_retrieved"] = sum(row["chars"] for facet in facets for row in facet["passages"]) / CHARS_A_TOKEN
    metrics["tokens_answered"] = len(body["answer"]) / CHARS_A_TOKEN
    return {
        "id": question.text,
        "query": question.text,
        "expected": sorted(name for group in question.gold for name in group),
        "places": {},
        "refused": refused,
        "degraded": body["degraded"],
        "answer": body["answer"],
        "metrics": metrics,
    }


def _called(passage: str) -> Iterator[str]:
    """The names by which a gold set may call a passage: with or without its corpus, and the document that it stands in."""
    bare = passage.partition(":")[2] or passage
    yield from dict.fromkeys((passage, bare, bare.partition("#")[0]))


def _share(values: Iterable[bool]) -> float:
    told = list(values)
    return sum(told) / (len(told) or 1)


def _mean(rows: Sequence[Mapping[str, Any]], name: str) -> float | None:
    """The mean over the questions that have the measure."""
    values: list[float] = [row["metrics"][name] for row in rows if name in row["metrics"]]
    return sum(values) / len(values) if values else None
