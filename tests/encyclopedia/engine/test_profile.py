"""What measurements make of a weight: laws that hold for any source, hostile ones too."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.engine.profile import (
    BLANK,
    COLD,
    MOST,
    PAIRS,
    SIGNALS,
    STEP,
    VOTES,
    WINDOW,
    Measured,
    Sample,
    add,
    replay,
    score,
    signals,
    step,
    summed,
    voted,
)

GOOD = Sample("ok", 10, 0, 1)
BAD = Sample("timeout", 0, 5000, 0)
KIND = "library_docs"

outcomes = st.sampled_from(["ok", "empty", "timeout", "failed"])
samples = st.builds(Sample, outcomes, st.integers(0, 10**9), st.integers(0, 10**12), st.integers(0, 10**6))
runs = st.lists(st.tuples(samples, st.integers(1, 150)), max_size=6)


def after(run):
    """What is measured after each sample of ``run``: pairs of a sample and how often it comes."""
    made = [BLANK]
    for sample, times in run:
        for _ in range(times):
            made.append(add(made[-1], sample))
    return made


def line(kind=KIND, **rows):
    """A record as the recorder writes it."""
    return {"at": 1, "type": kind, "asked": [[source, *sample] for source, sample in rows.items()]}


records = st.one_of(
    st.builds(
        lambda kind, source, sample: line(kind, **{source: sample}), st.sampled_from("pq"), st.sampled_from("abc"), samples
    ),
    st.builds(
        lambda source, on, value: {"type": "p", "vote": value, "of": [source], "on": on},
        st.sampled_from("ab"),
        st.sampled_from("xyz"),
        st.sampled_from([1, -1]),
    ),
)


@pytest.mark.spec("ENC-PROFILE-1")
def test_the_signals_have_the_promised_shares():
    assert SIGNALS == {"results": 0.30, "latency": 0.15, "rank": 0.25, "timeouts": 0.15, "empties": 0.15}
    assert score(Measured(1, 1.0, (GOOD,))) == pytest.approx(1.0)
    assert score(Measured(1, 1.0, (BAD,))) == 0.0
    half = Measured(2, 1.0, (GOOD, BAD))
    assert signals(half) == dict.fromkeys(SIGNALS, 0.5)
    assert score(half) == pytest.approx(0.5)


@pytest.mark.spec("ENC-PROFILE-1")
@pytest.mark.parametrize(
    ("name", "worse"),
    [("results", GOOD._replace(results=2)), ("latency", GOOD._replace(ms=2000)), ("rank", GOOD._replace(rank=7))],
)
def test_each_signal_is_of_its_own(name, worse):
    good, bad = signals(Measured(1, 1.0, (GOOD,))), signals(Measured(1, 1.0, (worse,)))
    assert [signal for signal in SIGNALS if bad[signal] != good[signal]] == [name]
    assert bad[name] < good[name]


@pytest.mark.spec("ENC-PROFILE-1")
def test_an_empty_answer_is_worse_than_results_and_better_than_no_answer():
    kinds = [Sample("ok", 1, 500, 5), Sample("empty", 0, 500, 0), Sample("failed", 0, 500, 0)]
    marks = [score(Measured(1, 1.0, (sample,))) for sample in kinds]
    assert marks == sorted(marks, reverse=True)
    assert len(set(marks)) == 3


@pytest.mark.spec("ENC-PROFILE-1")
def test_votes_are_thirty_percent_of_the_whole_where_there_are_any():
    silent = Measured(1, 1.0, (GOOD,))
    liked, disliked = silent, silent
    for n in range(VOTES):
        liked = liked._replace(votes=voted(liked.votes, str(n), 1))
        disliked = disliked._replace(votes=voted(disliked.votes, str(n), -1))
    assert score(silent) == pytest.approx(1.0)
    assert score(liked) == pytest.approx(0.7 + 0.3 * 51 / 52)
    assert score(disliked) == pytest.approx(0.7 + 0.3 / 52)


@pytest.mark.spec("ENC-PROFILE-6")
def test_a_second_vote_on_the_same_takes_the_place_of_the_first():
    once = voted((), "a", 1)
    assert voted(once, "a", -1) == (("a", -1),)
    assert voted(once, "b", -1) == (("a", 1), ("b", -1))
    many = once
    for n in range(VOTES):
        many = voted(many, str(n), 1)
    assert len(many) == VOTES
    assert many[0] == ("0", 1)


@pytest.mark.spec("ENC-PROFILE-2")
@given(runs)
def test_no_weight_moves_below_fifty_samples_and_none_ever_further_than_twenty_percent(run):
    made = after(run)
    assert all(one.factor == 1.0 for one in made[:COLD])
    assert all(1 - MOST <= one.factor <= 1 + MOST for one in made)
    assert all(len(one.window) == min(one.total, WINDOW) for one in made)


@pytest.mark.spec("ENC-PROFILE-2")
@given(runs)
def test_within_any_window_a_weight_moves_by_five_percent_at_most(run):
    factors = [one.factor for one in after(run)]
    for begin in range(len(factors)):
        seen = factors[begin : begin + WINDOW]
        assert max(seen) - min(seen) <= STEP + 1e-12


@pytest.mark.spec("ENC-PROFILE-2")
@pytest.mark.parametrize(("sample", "way"), [(GOOD, 1), (BAD, -1)])
def test_the_steps_add_up_to_the_bound(sample, way):
    made = after([(sample, COLD + 5 * WINDOW)])
    steps = [made[COLD + n * WINDOW].factor for n in range(6)]
    assert steps == pytest.approx([1 + way * delta for delta in (0.05, 0.10, 0.15, 0.20, 0.20, 0.20)])


@pytest.mark.spec("ENC-PROFILE-2")
@given(st.floats(0.8, 1.2), st.floats(0, 1))
def test_a_step_leads_to_what_the_score_deserves_and_not_past_it(factor, mark):
    made, goal = step(factor, mark), 1 + MOST * (2 * mark - 1)
    assert abs(made - goal) <= abs(factor - goal) + 1e-12
    assert abs(made - factor) <= STEP + 1e-12


@pytest.mark.spec("ENC-PROFILE-3")
@given(st.lists(records, max_size=300), st.integers(0, 300))
def test_a_log_that_was_summed_up_anywhere_gives_the_same_weights(log, place):
    whole = replay(log)
    begun = json.loads(json.dumps(summed(replay(log[:place]))))
    assert replay([begun, *log[place:]]) == whole
    assert list(replay([begun, *log[place:]])) == list(whole)
    assert replay(log[place:], replay(log[:place])) == whole


@pytest.mark.spec("ENC-PROFILE-3")
def test_sources_do_not_touch_one_another():
    alone = replay([line(a=GOOD)] * 300)
    beside = replay([line(a=GOOD, b=BAD)] * 300)
    assert beside["a", KIND] == alone["a", KIND]
    assert beside["b", KIND].factor < 1 < beside["a", KIND].factor


@pytest.mark.spec("ENC-PROFILE-4")
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=7)
            | st.dictionaries(st.sampled_from(["type", "asked", "vote", "of", "on", "sum", "x"]), inner, max_size=5)
        ),
        max_leaves=40,
    )
)
def test_what_is_no_record_of_ours_changes_nothing_and_passes_no_bound(value):
    record = value if isinstance(value, dict) else {"type": KIND, "asked": [value], "sum": [value]}
    for made in replay([record, {"sum": [["a", KIND, 10**9, value, [value], [value]]]}]).values():
        assert 1 - MOST <= made.factor <= 1 + MOST
        assert 0 <= score(made) <= 1


@pytest.mark.spec("ENC-PROFILE-4")
@pytest.mark.parametrize("factor", [1e9, -5, 0, 2, 0.5])
def test_a_sum_that_claims_more_than_the_bounds_is_cut_to_them(factor):
    made = replay([{"sum": [["a", KIND, 1, factor, [], []]]}])["a", KIND]
    assert made.factor in (1 - MOST, 1 + MOST)


@pytest.mark.spec("ENC-PROFILE-5")
def test_a_sum_holds_the_pairs_that_were_measured_last():
    log = [line(**{f"s{n}": GOOD}) for n in range(PAIRS + 20)] + [line(s0=GOOD)]
    kept = replay([summed(replay(log))])
    assert len(kept) == PAIRS
    assert kept["s0", KIND].total == 2
    assert ("s1", KIND) not in kept
