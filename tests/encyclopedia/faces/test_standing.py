"""How a source stands and what to do about it, in words."""

from __future__ import annotations

import re

import pytest

from encyclopedia.faces.nobody import nobody
from encyclopedia.faces.standing import age, failure, in_words, reason_of, remedy
from encyclopedia.model.errors import ConfigurationError, NoSourceAnswered
from encyclopedia.model.outcome import Outcome
from encyclopedia.model.plan import Candidate, Declined, Health, Plan
from encyclopedia.model.query import Query, QueryType, Question, Scope
from encyclopedia.model.status import Status
from encyclopedia.ports import Card, Key, Package
from encyclopedia.wiring.catalog import Entry

NOW = 1_800_000_000.0
SERVES = {QueryType.LIBRARY_DOCS: 0.4}


def entry(options: dict[str, object] | None = None, **card: object) -> Entry:
    return Entry(Card("wiki", SERVES, **card), options or {}, Candidate("wiki", SERVES))


def plan(*declined: Declined, health: dict[str, Health] | None = None, **scope: tuple[str, ...]) -> Plan:
    question = Question(Query("q", scope=Scope(**scope)), "q", QueryType.LIBRARY_DOCS, "default")
    return Plan(question, (), declined, health=health or {})


@pytest.mark.spec("ENC-CLI-17")
@pytest.mark.parametrize(
    ("health", "pattern"),
    [
        (Health(), ""),
        (Health(last_error="401", failed_at=NOW - 120), "the last call failed 2 min ago: 401"),
        (Health("open", NOW + 300, "503", NOW, 3), r"left alone until \d\d:\d\d after 3 failures: 503"),
        (Health("open", NOW + 30, "503", NOW, 1), r"left alone until \d\d:\d\d:\d\d after 1 failure: 503"),
        (Health("open", NOW + 30), r"left alone until \d\d:\d\d:\d\d after repeated failures"),
        (Health("rate_limited", NOW + 90_000, "429"), r"rate limited until \d{4}-\d\d-\d\d \d\d:\d\d: 429"),
        (Health("probing", NOW + 5, "503"), "failed before, and another call is trying it just now: 503"),
    ],
)
def test_what_the_breaker_knows_in_words(health: Health, pattern: str) -> None:
    assert re.fullmatch(pattern, in_words(health, NOW))


@pytest.mark.spec("ENC-LAW-3")
@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Outcome("wiki", Status.UNAVAILABLE, reason="no route"), "wiki: unavailable — no route"),
        (Outcome("wiki", Status.RATE_LIMITED, reason="asked to wait"), "wiki: rate limited — asked to wait"),
        (Outcome("wiki", Status.ERROR, reason="error"), "wiki: error"),
        (Outcome("wiki", Status.AUTH), "wiki: auth"),
    ],
)
def test_a_failure_has_status_and_reason(outcome: Outcome, words: str) -> None:
    assert failure(outcome) == words


KEY = {"requires": (Package("aiohttp"), Key("WIKI_TOKEN"))}


@pytest.mark.parametrize(
    ("made", "outcome", "words"),
    [
        (entry(**KEY), Outcome("wiki", Status.AUTH), "check WIKI_TOKEN: it is not accepted"),
        (entry(), Outcome("wiki", Status.AUTH), "check its credentials"),
        (entry({"kind": "json"}), Outcome("wiki", Status.ERROR), "[sources.wiki] in the configuration file"),
        (entry(), Outcome("wiki", Status.ERROR), "whoever maintains wiki"),
        (entry({"kind": "json"}), Outcome("wiki", Status.UNAVAILABLE), "network and [sources.wiki]"),
        (entry(), Outcome("wiki", Status.RATE_LIMITED, retry_after=120.0), "ask again in 2 min"),
        (entry(), Outcome("wiki", Status.REFUSED), "ask again later"),
        (entry(), Outcome("wiki", Status.TIMEOUT), "longer timeout"),
        (entry(), Outcome("wiki", Status.QUOTA), "calls"),
        (entry(), Outcome("wiki", Status.CANCELLED), "ask again"),
        (entry(corpus=True), Outcome("wiki", Status.ERROR), "`encyclopedia corpus check wiki`"),
        (entry({"kind": "json"}, **KEY), None, "check [sources.wiki] in the configuration file and WIKI_TOKEN"),
        (entry(), None, "the next search asks it again"),
    ],
)
def test_each_failure_has_its_remedy(made: Entry, outcome: Outcome | None, words: str) -> None:
    assert words in remedy(made, outcome)


def test_who_is_left_alone_is_not_said_to_be_asked_by_the_next_search() -> None:
    assert remedy(entry(), held=True) == "the first search after that asks it again"


def test_who_is_held_back_is_told_with_the_last_error() -> None:
    left = Declined("wiki", "circuit open", refused=True)
    held = plan(left, health={"wiki": Health("open", NOW + 300, "503", NOW, 3)})
    assert reason_of(held, left).endswith("after 3 failures: 503")
    assert reason_of(plan(left), left) == "circuit open"
    error = nobody(held)
    assert isinstance(error, NoSourceAnswered)
    assert str(error).endswith("after 3 failures: 503)")


@pytest.mark.spec("ENC-CLI-4")
@pytest.mark.parametrize(
    ("scope", "message", "hint"),
    [
        ({"tags": ("infra",), "sources": ("packages",)}, "packages cannot be restricted to tags", "leave --tag out"),
        ({"tags": ("infra",)}, "none of the sources can be restricted to tags", "corpus add"),
        ({}, "no source for library_docs is configured", "encyclopedia sources"),
    ],
)
def test_why_nobody_can_be_asked(scope: dict[str, tuple[str, ...]], message: str, hint: str) -> None:
    error = nobody(plan(Declined("packages", "packages cannot be restricted to tags"), **scope))
    assert isinstance(error, ConfigurationError)
    assert str(error) == message
    assert hint in error.hint
    assert error.details["degradation"]["missing"][0]["source"] == "packages"


@pytest.mark.parametrize(("seconds", "words"), [(0, "0 s"), (59, "59 s"), (60, "1 min"), (3540, "59 min"), (7200, "2 h")])
def test_ages(seconds: float, words: str) -> None:
    assert age(seconds) == words
