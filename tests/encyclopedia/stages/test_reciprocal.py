"""The arithmetic of fusion, without texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.model.outcome import Hit
from encyclopedia.model.settings import FusionSettings
from encyclopedia.stages.reciprocal import Formula, distance_below_all, order, vote

HIT = Hit("t")


def formula(name="scaled", k=None, **weights):
    return Formula(FusionSettings(name, k), weights or {"s": 0.6, "t": 0.3})


@pytest.mark.spec("ENC-FUSE-1")
def test_the_formulas_are_those_of_the_product_page():
    assert formula().scores("s", (1, 10)) == [1 / 11, 1 / 20]
    assert formula().scores("t", (1, 10)) == [1 / 12, 1 / 30]
    assert formula("classic").scores("t", (1, 10)) == [0.3 / 61, 0.3 / 70]
    assert formula("classic", 10.0).scores("s", (1,)) == [0.6 / 11]


@pytest.mark.parametrize(("source", "heard"), [("s", True), ("t", True), ("zero", False), ("unknown", False)])
def test_who_is_heard(source, heard):
    assert formula(s=0.6, t=1e-6, zero=0.0).hears(source) == heard


def test_with_no_weight_at_all_nobody_is_heard():
    assert not formula(s=0.0).hears("s")


@given(st.sampled_from(("scaled", "classic")), st.floats(0.001, 1.0), st.floats(0.0, 1e6))
def test_the_rank_of_a_distance_is_the_first_that_is_so_far_down(name, weight, distance):
    rule = formula(name, s=1.0, t=weight)
    rank = rule.rank_at("t", distance)
    assert rank >= 0
    if rank:
        assert rule.scores("t", (rank,))[0] <= 1 / distance * (1 + 1e-9)
    if rank > 1:
        assert rule.scores("t", (rank - 1,))[0] > 1 / distance * (1 - 1e-9)


@given(
    st.sampled_from(("scaled", "classic")),
    st.lists(st.floats(0.001, 1.0), min_size=1, max_size=6),
    st.lists(st.integers(0, 100), min_size=6, max_size=6),
)
@pytest.mark.spec("ENC-FUSE-7")
def test_one_vote_of_each_expanded_list_together_is_less_than_any_original(name, weights, lengths):
    rule = formula(name, **{f"s{n}": weight for n, weight in enumerate(weights)})
    sizes = {f"s{n}": lengths[n] for n in range(len(weights))}
    distance = distance_below_all(rule, sizes, len(weights))
    least = min((rule.scores(source, (size,))[0] for source, size in sizes.items() if size), default=float("inf"))
    assert sum(rule.scores(source, (rule.rank_at(source, distance) + 1,))[0] for source in sizes) < least


def test_a_key_is_voted_for_once_by_each_source_and_repetitions_come_back():
    votes = {}
    assert vote(votes, "s", [(0.5, 1, "a", HIT, ""), (0.4, 2, "b", HIT, ""), (0.3, 3, "a", HIT, "")]) == [("a", HIT)]
    assert vote(votes, "t", [(0.6, 1, "b", HIT, "expansion")]) == []
    assert votes == {"a": [(-0.5, "s", 1, "", HIT)], "b": [(-0.4, "s", 2, "", HIT), (-0.6, "t", 1, "expansion", HIT)]}


def cast():
    votes = {}
    vote(votes, "t", [(0.3, 1, "b", Hit("b"), ""), (0.2, 2, "c", Hit("c"), "")])
    vote(votes, "s", [(0.3, 1, "a", Hit("a"), ""), (0.25, 2, "c", Hit("c"), ""), (0.3, 3, "d", Hit("d"), "")])
    return votes


def test_keys_are_ordered_by_sum_then_rank_then_source_and_votes_by_size():
    votes = cast()
    assert order(votes, lambda hit: 0.0, 10) == ["c", "a", "b", "d"]
    assert [vote[1] for vote in votes["c"]] == ["s", "t"]
    assert order({}, lambda hit: 0.0, 10) == []


@pytest.mark.spec("ENC-FUSE-12")
def test_of_equal_sums_the_better_fit_stands_first_as_far_as_anybody_sees():
    fits = {"b": 0.5, "d": 1.0}
    assert order(cast(), lambda hit: fits.get(hit.title, 0.0), 10) == ["c", "d", "b", "a"]
    assert order(cast(), lambda hit: fits.get(hit.title, 0.0), 1) == ["c", "a", "b", "d"]
