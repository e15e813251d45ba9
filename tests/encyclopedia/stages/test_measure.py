from __future__ import annotations

import json
from math import log2
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.stages.measure import mean, measure, names

FIXTURES = Path(__file__).parents[2] / "fixtures" / "measures"
ROWS = [json.loads(line) for line in (FIXTURES / "ir_measures.jsonl").read_text().splitlines()]
CUTOFFS = (1, 5, 10)
IDS = st.lists(st.sampled_from([f"d{number}" for number in range(30)]), unique=True, max_size=20)
GRADES = st.dictionaries(st.sampled_from([f"d{number}" for number in range(30)]), st.integers(-1, 3), max_size=10)


def ordered(scores: dict[str, float]) -> list[str]:
    """The run as trec_eval puts it in order."""
    return [id for id, _ in sorted(scores.items(), key=lambda item: (item[1], item[0]), reverse=True)]


@pytest.mark.spec("ENC-MEASURE-1")
@pytest.mark.parametrize("number", range(len(ROWS)))
def test_every_value_is_that_of_another_implementation(number: int) -> None:
    row = ROWS[number]
    found = measure(ordered(row["scores"]), row["relevant"], CUTOFFS)
    assert found == pytest.approx(row["values"], abs=1e-12)
    assert list(found) == names(CUTOFFS)


@pytest.mark.spec("ENC-MEASURE-1")
def test_so_are_the_means() -> None:
    found = mean([measure(ordered(row["scores"]), row["relevant"], CUTOFFS) for row in ROWS])
    assert found == pytest.approx(json.loads((FIXTURES / "means.json").read_text()), abs=1e-12)
    assert mean([]) == {}


@pytest.mark.spec("ENC-MEASURE-2")
def test_a_ranking_by_hand() -> None:
    found = measure(["x", "a", "y", "b"], {"a": 1, "b": 2, "c": 1, "x": 0}, (1, 2, 4))
    assert (found["recall@1"], found["recall@2"], found["recall@4"]) == (0, 1 / 3, 2 / 3)
    assert (found["precision@2"], found["precision@4"]) == (1 / 2, 2 / 4)
    assert (found["hit@1"], found["hit@2"]) == (0, 1)
    assert found["mrr"] == 1 / 2
    assert found["map"] == pytest.approx((1 / 2 + 2 / 4) / 3)
    assert found["ndcg@4"] == pytest.approx((1 / log2(3) + 2 / log2(5)) / (2 + 1 / log2(3) + 1 / log2(4)))
    assert set(measure(["a"], {"a": 0, "b": -1}, (1,)).values()) == {0.0}


@pytest.mark.spec("ENC-MEASURE-2")
@given(IDS, GRADES)
def test_every_measure_is_a_share_and_the_ideal_order_is_one(ranking: list[str], relevant: dict[str, float]) -> None:
    found = measure(ranking, relevant, CUTOFFS)
    assert all(0 <= value <= 1 + 1e-12 for value in found.values())
    ideal = sorted((id for id, grade in relevant.items() if grade > 0), key=lambda each: -relevant[each])
    best = measure(ideal, relevant, CUTOFFS)
    if ideal:
        assert best["mrr"] == best["ndcg@10"] == best["map"] == best["recall@10"] == best["hit@1"] == 1
    assert all(found[name] <= best[name] + 1e-12 for name in found)


@pytest.mark.spec("ENC-MEASURE-2")
@given(IDS, GRADES)
def test_what_nobody_judged_changes_nothing_at_the_end(ranking: list[str], relevant: dict[str, float]) -> None:
    longer = measure([*ranking, *(f"other{number}" for number in range(5))], relevant, CUTOFFS)
    assert longer == measure(ranking, relevant, CUTOFFS)
