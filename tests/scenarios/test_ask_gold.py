"""Forty questions with known passages over two books and two sets of decision records, without a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from encyclopedia import Encyclopedia
from encyclopedia.answering.words import fold
from encyclopedia.wiring import corpora
from encyclopedia.wiring.kinds import corpus_kind
from encyclopedia.wiring.plugins import entry_points
from tests.switches import off

if TYPE_CHECKING:
    from encyclopedia.model.answer import Answer

FIXTURES = Path(__file__).parents[1] / "fixtures"
GOLD = [json.loads(line) for line in (FIXTURES / "ask" / "gold.jsonl").read_text().splitlines()]
CORPORA = {"books": ("books-patterns", "graph"), "madr": ("adr-madr", "documents"), "govuk": ("adr-govuk", "documents")}
FIRST = 5


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = str(tmp_path_factory.mktemp("asked"))
    for name, (path, kind) in CORPORA.items():
        table = {"name": name, "path": str(FIXTURES / path), "kind": kind}
        made = corpora.add(folder, table, frozenset())
        corpus_kind(entry_points(), kind).index(made, lambda *_: None)
    return folder


@pytest.fixture(scope="module")
def answers(home: str) -> list[tuple[dict[str, Any], Answer]]:
    import asyncio

    async def ask() -> list[tuple[dict[str, Any], Answer]]:
        environ = {"PATH": "/usr/bin:/bin", **off()}
        async with Encyclopedia(home=home, environ=environ, settings={"embedder.use": "off"}) as e:
            return [(row, await e.ask(row["question"], verbose=True)) for row in GOLD]

    return asyncio.run(ask())


def retrieved(answer: Answer) -> list[list[str]]:
    """The names of the first passages of each facet, as the gold file names them."""
    return [
        [row["id"].partition(":")[2].partition("#")[0] for row in facet["passages"][:FIRST]]
        for facet in answer.to_dict()["verbose"]["facets"]
    ]


@pytest.mark.spec("ENC-ASK-21")
def test_the_gold_set_is_what_it_says(answers):
    kinds = [row["kind"] for row, _ in answers]
    assert len(kinds) == 40
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {
        "factual": 14, "comparative": 6, "relational": 6, "across": 4, "unanswerable": 10,
    }  # fmt: skip


@pytest.mark.spec("ENC-ASK-21")
def test_the_passages_that_answer_are_among_the_first_five(answers):
    shares = []
    for row, answer in answers:
        if row["kind"] == "unanswerable":
            continue
        seen = {name for names in retrieved(answer) for name in names}
        shares.append(sum(bool(seen.intersection(group)) for group in row["gold"]) / len(row["gold"]))
    assert sum(shares) / len(shares) >= 0.9


@pytest.mark.spec("ENC-ASK-21")
def test_what_cannot_be_answered_is_refused_and_nearly_nothing_else_is(answers):
    refused = {row["question"] for row, answer in answers if answer.code == 2}
    hopeless = {row["question"] for row, _ in answers if row["kind"] == "unanswerable"}
    assert hopeless - refused == set()
    assert len(refused - hopeless) <= 2


@pytest.mark.spec("ENC-ASK-21")
def test_most_answers_hold_the_fact(answers):
    told = [all(fact.lower() in answer.text.lower() for fact in row["facts"]) for row, answer in answers if "facts" in row]
    assert sum(told) / len(told) >= 0.8


@pytest.mark.spec("ENC-ASK-21")
def test_every_quotation_is_verbatim_at_its_place_and_every_statement_verified(answers):
    texts = {path: fold(path.read_text()) for name in ("adr-madr", "adr-govuk") for path in (FIXTURES / name).glob("*.md")}
    lines = (FIXTURES / "books-patterns" / "sections.jsonl").read_text().splitlines()
    sections = {row["id"]: fold(row["content"]) for row in map(json.loads, lines)}
    lines = (FIXTURES / "books-patterns" / "relationships.jsonl").read_text().splitlines()
    sections |= {f"relationships.jsonl#{at}": fold(json.loads(line)["description"]) for at, line in enumerate(lines, 1)}
    quotations = 0
    for _, answer in answers:
        for facet in answer.to_dict()["verbose"]["facets"]:
            assert all(verdict["supported"] == "yes" for verdict in facet["verdicts"]), facet["verdicts"]
            for citation in facet["citations"]:
                corpus, _, name = citation["section_id"].partition(":")
                path = FIXTURES / CORPORA[corpus][0] / name.partition("#")[0]
                whole = sections[name] if corpus == "books" else texts[path]
                assert fold(citation["quote"]) in whole
                quotations += 1
    assert quotations > 60


@pytest.mark.spec("ENC-ASK-21")
def test_an_answer_is_a_twentieth_of_what_was_retrieved(answers):
    bodies = retrieved_chars = 0
    for _, answer in answers:
        body = answer.to_dict()
        verbose = body.pop("verbose")
        bodies += len(json.dumps(body, ensure_ascii=False))
        retrieved_chars += sum(row["chars"] for facet in verbose["facets"] for row in facet["passages"])
    assert bodies <= retrieved_chars / 20
