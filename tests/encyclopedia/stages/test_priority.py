"""The retreat: no fusion, the heaviest source first."""

import pytest

from encyclopedia.model.outcome import Hit, Locator, Outcome, Outcomes, Reply
from encyclopedia.model.plan import Ask, Plan, Request
from encyclopedia.model.query import Query, QueryType, Question
from encyclopedia.model.status import Status
from encyclopedia.stages.priority import priority

REQUEST = Request("words", QueryType.GENERAL_SEARCH, 10, 5.0)


def page(name):
    return Hit(f"Title {name}", f"https://example.org/{name}")


def outcomes_of(lists, weights, alternatives=None):
    asks = tuple(Ask(name, REQUEST, weight) for name, weight in weights.items())
    plan = Plan(Question(Query("words"), "words", QueryType.GENERAL_SEARCH, "default"), asks)
    replies = {name: Reply(tuple(hits), tuple((alternatives or {}).get(name, ()))) for name, hits in lists.items()}
    return Outcomes(plan, tuple(Outcome(name, Status.OK, reply) for name, reply in replies.items()))


@pytest.mark.spec("ENC-FUSE-11")
def test_the_heaviest_source_comes_first_and_exact_duplicates_are_dropped():
    a, b, c, q, x = (page(name) for name in "abcqx")
    lists = {"s": [a, b], "t": [c, a], "mute": [q]}
    given = outcomes_of(lists, {"s": 0.3, "t": 0.7, "mute": 0.0}, {"t": [x, b]})
    ranking = priority(given)
    assert [result.hit for result in ranking.results] == [c, a, b, x]
    assert [result.source for result in ranking.results] == ["t", "t", "s", "t"]
    assert [result.score for result in ranking.results] == [1, 1 / 2, 1 / 3, 1 / 4]
    assert [result.shares[0].expansion for result in ranking.results] == [False, False, False, True]
    assert ranking.fusion.formula == "priority"
    assert ranking.fusion.weights == {"mute": 0.0, "s": 0.3, "t": 0.7}
    assert repr(priority(Outcomes(given.plan, given.outcomes[::-1]))) == repr(ranking)


def test_passages_without_an_address_stay_apart_unless_they_are_the_same():
    one, two = (Hit("t", content=text, locator=Locator("c", "a")) for text in ("one", "two"))
    assert len(priority(outcomes_of({"s": [one, two, one]}, {"s": 1.0})).results) == 2


def test_versions_of_a_page_stay_apart():
    hits = [Hit("t", "https://a.org", version=version) for version in ("1", "2", "1")]
    assert len(priority(outcomes_of({"s": hits}, {"s": 1.0})).results) == 2


def test_an_outcome_that_is_missing_costs_the_others_nothing():
    given = outcomes_of({"s": [page("a")]}, {"s": 0.5, "gone": 0.5})
    assert len(priority(given).results) == 1
