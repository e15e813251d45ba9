from __future__ import annotations

import pytest
from hypothesis import given

from encyclopedia.model.errors import UsageError
from encyclopedia.model.query import Expansion
from encyclopedia.model.vocabulary import Vocabulary
from encyclopedia.stages.expand import expand
from encyclopedia.stages.tokens import quoted
from tests.prepared import TEXTS, classified, corrected, expanded, table, vocabulary


def told(expansions: tuple[Expansion, ...]) -> str:
    return "; ".join(f"{one.term} = {', '.join(one.alternatives)}" for one in expansions)


@pytest.mark.spec("ENC-EXPAND-1")
@pytest.mark.parametrize("row", table("expand.txt"), ids=lambda row: ascii(row[0])[:60])
def test_table(row: list[str]) -> None:
    query, expansions, text = row
    question = expanded(query)
    assert told(question.expansions) == expansions
    assert question.expanded == text


def only(text: str, **synonyms: tuple[str, ...]) -> tuple[Expansion, ...]:
    return expand(classified(text), vocabulary=Vocabulary(synonyms=synonyms)).expansions


@pytest.mark.spec("ENC-EXPAND-2")
def test_at_most_three_alternatives_best_first() -> None:
    assert only("cache", cache=("a1", "b1", "c1", "d1")) == (Expansion("cache", ("a1", "b1", "c1")),)
    assert only("cache b1", cache=("a1", "b1", "c1", "d1")) == (Expansion("cache", ("a1", "c1", "d1")),)


@pytest.mark.spec("ENC-EXPAND-2")
def test_the_longest_term_wins_and_uses_its_words_up() -> None:
    question = classified("rate limiting of unit tests")
    words = Vocabulary(synonyms={"rate limiting": ("throttling",), "rate": ("x",), "limiting": ("y",), "tests": ("z",)})
    assert expand(question, vocabulary=words).expansions == (
        Expansion("rate limiting", ("throttling",)),
        Expansion("tests", ("z",)),
    )


@pytest.mark.spec("ENC-EXPAND-2")
def test_a_key_in_capitals_is_for_capitals_and_one_in_lower_case_for_both() -> None:
    assert only("the rest", REST=("x",)) == ()
    assert only("the REST", REST=("x",)) == (Expansion("REST", ("x",)),)
    assert only("the SQL and sql", sql=("x",)) == (Expansion("SQL", ("x",)), Expansion("sql", ("x",)))


@pytest.mark.spec("ENC-EXPAND-3")
@given(TEXTS)
def test_expansion_only_adds(text: str) -> None:
    try:
        before = corrected(text)
    except UsageError:
        return
    after = expanded(text)
    assert after._replace(expansions=(), expanded="") == before
    assert bool(after.expansions) == bool(after.expanded)
    if after.expanded:
        at = 0
        for token in before.tokens:
            at = after.expanded.index(token.text, at) + len(token.text)
        for made in before.corrections:
            assert made.replacement in after.expanded.split()
        for one in after.expansions:
            assert 1 <= len(one.alternatives) <= 3
            assert all(other in after.expanded for other in one.alternatives)


@pytest.mark.spec("ENC-EXPAND-3")
@given(TEXTS)
def test_without_synonyms_or_switched_off_nothing_changes(text: str) -> None:
    try:
        before = corrected(text)
        silent = corrected(text, expand=False)
    except UsageError:
        return
    assert expand(before, vocabulary=Vocabulary()) == before
    assert expand(silent, vocabulary=vocabulary()) == silent


@pytest.mark.spec("ENC-EXPAND-4")
@given(TEXTS)
def test_quotations_are_never_expanded(text: str) -> None:
    try:
        question = expanded(f'"{text}"'.replace("repo:", ""))
    except UsageError:
        return
    if all(quoted(question.text)):
        assert question.expansions == ()
