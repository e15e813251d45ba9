"""There and back, and nothing that we did not write."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.engine.codec import CorruptError, decode, encode
from encyclopedia.model.label import Label
from encyclopedia.model.outcome import Hit, Locator, Outcome, Reply
from encyclopedia.model.query import QueryType
from encyclopedia.model.ranking import Dropped, Fusion, Ranked, Share
from encyclopedia.model.status import Status

text = st.text(max_size=12)
number = st.floats(0, 1, allow_nan=False)
lines = st.none() | st.tuples(st.integers(1, 9), st.integers(1, 9))
locators = st.none() | st.builds(Locator, text, text, text, lines, st.none() | st.integers(1, 9))
nothing = {"relations": st.just(()), "work": st.just("")}  # what a stored answer does not keep
hits = st.builds(Hit, text, text, text, locators, text, text, text, text, label=st.sampled_from(Label), **nothing)
shares = st.lists(st.builds(Share, text, st.integers(1, 50), number, number, st.booleans()), min_size=1, max_size=3).map(tuple)
results = st.lists(st.builds(Ranked, hits, shares), max_size=3).map(tuple)
briefs = st.integers(0, 3).map(lambda number: (Hit(""),) * number)
replies = st.builds(Reply, briefs, briefs, text, text, st.just(0.0), st.just(()))
outcomes = st.lists(
    st.builds(
        lambda *told: Outcome(*told), text, st.sampled_from(Status), replies, number, text, st.booleans(), st.none() | number
    ),
    max_size=3,
).map(tuple)
dropped = st.lists(st.builds(Dropped, text, text, text, text), max_size=2).map(tuple)
fusions = st.builds(Fusion, text, number, st.dictionaries(text, number, max_size=3), dropped)


@pytest.fixture(scope="module")
def whole(request):
    """A factory of rankings of every part."""
    from types import SimpleNamespace

    from encyclopedia.model.plan import Plan
    from encyclopedia.model.query import Query, Question
    from encyclopedia.model.ranking import Ranking

    plan = Plan(Question(Query("q"), "q", QueryType.REPOSITORY, "default"), (), depth=10)
    return SimpleNamespace(plan=plan, make=lambda *parts, gap=(): Ranking(plan, *parts, evidence_gap=gap))


@pytest.mark.spec("ENC-CACHE-8")
@given(outcomes=outcomes, results=results, fusion=fusions, gap=st.lists(text, max_size=2).map(tuple))
def test_there_and_back(whole, outcomes, results, fusion, gap):
    ranking = whole.make(outcomes, results, fusion, gap=gap)
    assert decode(encode(ranking), whole.plan) == ranking


def test_of_a_reply_the_number_of_hits_is_kept(make):
    plan = make.plan("alpha")
    back = decode(encode(make.ranking(plan, "a", "b")), plan)
    assert back.results == make.ranking(plan, "a", "b").results
    assert len(back.outcomes[0].reply.hits) == 2


def test_scores_are_kept_to_the_last_digit(make):
    plan = make.plan("alpha")
    ranking = make.ranking(plan, "a", "b", "c")
    assert [r.score for r in decode(encode(ranking), plan).results] == [r.score for r in ranking.results]


def test_the_plan_is_that_of_the_one_who_asks(make):
    stored, asking = make.plan("alpha", text="Parse JSON?"), make.plan("alpha", text="parse JSON")
    assert decode(encode(make.ranking(stored, "a")), asking).plan is asking


@pytest.mark.spec("ENC-CACHE-5")
def test_depth_serves_what_is_not_deeper(make):
    plan = make.plan("alpha", depth=20)
    body = encode(make.ranking(plan, "a"))
    assert decode(body, plan._replace(depth=10)).results
    with pytest.raises(CorruptError, match="not deep enough"):
        decode(body, plan._replace(depth=21))


@pytest.mark.spec("ENC-CACHE-3")
def test_another_type_is_refused(make):
    body = encode(make.ranking(make.plan("alpha"), "a"))
    with pytest.raises(CorruptError, match="another query type"):
        decode(body, make.plan("alpha", type=QueryType.LIBRARY_DOCS))


def test_a_score_that_is_no_number_is_not_written(make):
    ranking = make.ranking(make.plan("alpha"), "a")
    share = ranking.results[0].shares[0]._replace(score=float("nan"))
    with pytest.raises(ValueError, match="JSON compliant"):
        encode(ranking._replace(results=(Ranked(Hit("a"), (share,)),)))


def spoilt(value):
    """The value with one place in it made wrong, in every way."""
    for wrong in (None, True, 7, "text", [], {}, [[]]):
        if wrong != value or type(wrong) is not type(value):
            yield wrong
    if isinstance(value, list):
        for place, item in enumerate(value):
            yield from ([*value[:place], other, *value[place + 1 :]] for other in spoilt(item))
            yield [*value[:place], *value[place + 1 :]]
    if isinstance(value, dict):
        for name, item in value.items():
            yield from ({**value, name: other} for other in spoilt(item))


@pytest.mark.spec("ENC-CACHE-8")
def test_any_spoilt_text_is_refused_or_a_ranking_never_a_crash(whole):
    hit = Hit("t", "u", "c", Locator("c", "p", "s", (1, 2), 3), "2026", "1", "i", "p", label=Label.INTERNAL)
    outcome = Outcome("a", Status.OK, Reply((Hit("t", "u"),), (), "r", "n"), 0.1, "why", False, 3.0)
    fusion = Fusion("scaled", 10.0, {"a": 1.0}, (Dropped("a", "t", "k", "r"),))
    ranking = whole.make((outcome,), (Ranked(hit, (Share("a", 1, 1.0, 0.5),)),), fusion, gap=("x",))
    refused = accepted = 0
    for body in spoilt(json.loads(encode(ranking))):
        try:
            back = decode(json.dumps(body), whole.plan)
        except CorruptError:
            refused += 1
        else:
            accepted += 1
            encode(back)
            assert all(result.source is not None for result in back.results)
    assert refused > 300
    assert accepted < refused / 2


@pytest.mark.parametrize(
    "body", ["", "{", "[]", "null", "[" * 100_000, '{"format": 1, "type": NaN}', '{"format": 99}', "\ud800"]
)
def test_what_is_no_ranking_is_refused(whole, body):
    with pytest.raises(CorruptError):
        decode(body, whole.plan)
