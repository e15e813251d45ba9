"""Whom to ask: a table of plans, and the laws that every plan keeps."""

import math
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.model.errors import ConfigurationError, UsageError
from encyclopedia.model.plan import Candidate, Health, Role
from encyclopedia.model.query import Correction, Expansion, Form, Query, QueryType, Question, Scope, Wording
from encyclopedia.model.settings import Settings
from encyclopedia.stages.route import NAMED_FACTOR, route
from encyclopedia.stages.tokens import tokenise

DOCS, GENERAL, CODE, REPOSITORY = QueryType
TYPES = {"docs": DOCS, "general": GENERAL, "code": CODE, "repository": REPOSITORY}
OPEN = Health("open", 1000.0, "503")
KNOWN = (
    Candidate("packages", {DOCS: 0.4, CODE: 0.15}),
    Candidate("context7", {DOCS: 0.41, CODE: 0.16}, form=Form.LIBRARY, timeout=4.0),
    Candidate("exa", {GENERAL: 0.36, DOCS: 0.3, CODE: 0.2, REPOSITORY: 0.2}, optional=False),
    Candidate("perplexity", {GENERAL: 0.35, DOCS: 0.2, CODE: 0.15}, form=Form.QUESTION),
    Candidate("kagi", {GENERAL: 0.2, DOCS: 0.1}),
    Candidate("git", {CODE: 0.4, REPOSITORY: 0.7}, repository=True),
    Candidate("wikipedia", {GENERAL: 0.15}, keyless=True),
    Candidate("stackexchange", {CODE: 0.1}, keyless=True),
    Candidate("notes", {DOCS: 0.39}, corpus=True, tags=True, alternatives=True, timeout=50.0),
)
FIXTURE = Path(__file__).parents[2] / "fixtures" / "route.txt"


def question(text="how do I", type=DOCS, repository="", unsure=False, **options):
    return Question(Query(text, **options), text, type, "default", repository=repository, unsure=unsure)


def plan(given=None, candidates=KNOWN, health=None, settings=None, state=""):
    settings = settings or Settings()
    return route(given or question(), candidates=candidates, health=health or {}, settings=settings, state=state)


def asked(given_plan):
    return [ask.source for ask in given_plan.asks]


def without(*names, reason="KEY not found", hint="set KEY"):
    return tuple(c._replace(missing=reason, hint=hint) if c.name in names else c for c in KNOWN)


def candidate(name, /, **fields):
    return next(c for c in KNOWN if c.name == name)._replace(**fields)


def parsed(options):
    words = options.split()
    values = dict(word.split("=") for word in words if "=" in word)
    scope = Scope(*(tuple(filter(None, values.get(key, "").split(","))) for key in ("sources", "corpora", "tag")))
    asking = question(type=TYPES[words[0]], repository=values.get("repo", ""), unsure="unsure" in words, scope=scope)
    missing = [word[1:] for word in words if word.startswith("-")]
    return asking, without(*missing), {word[1:]: OPEN for word in words if word.startswith("!")}


ROWS = [line.split("|") for line in FIXTURE.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]


@pytest.mark.spec("ENC-ROUTE-1")
@pytest.mark.parametrize(("options", "expected", "declined"), ROWS, ids=[row[0].strip() for row in ROWS])
def test_the_table_of_plans(options, expected, declined):
    asking, candidates, health = parsed(options)
    made = plan(asking, candidates, health)
    assert [f"{ask.source}:{ask.role}" for ask in made.asks] == expected.split()
    assert [left.source for left in made.declined] == declined.split()
    roles = {ask.role for ask in made.asks}
    assert (made.fallback_used, made.widened) == (Role.FALLBACK in roles, Role.WIDENED in roles)


OPTIONS = st.sampled_from([row[0] for row in ROWS])


@pytest.mark.spec("ENC-ROUTE-2")
@given(OPTIONS, st.randoms(use_true_random=False))
def test_weights_add_up_to_1_and_the_order_of_candidates_does_not_matter(options, chance):
    asking, candidates, health = parsed(options)
    made = plan(asking, candidates, health)
    assert not made.asks or math.isclose(sum(ask.weight for ask in made.asks), 1.0)
    assert [ask.weight for ask in made.asks] == sorted((ask.weight for ask in made.asks), reverse=True)
    assert not set(asked(made)) & {left.source for left in made.declined}
    assert set(asked(made)) | {left.source for left in made.declined} == set(made.health)
    shuffled = list(candidates)
    chance.shuffle(shuffled)
    assert repr(plan(asking, tuple(shuffled), health)) == repr(made)


def test_a_request_holds_what_the_source_needs_to_know():
    asking = question("fetch a page", limit=30, scope=Scope(version="2.1", tags=("work",)), timeout=7.0)._replace(
        library="httpx",
        expanded="fetch OR get a page",
        wordings=(Wording(Form.KEYWORD, "fetch page"),),
        repository="a/b",
    )
    made = plan(asking)
    request = made.asks[0].request
    assert (made.asks[0].source, made.deadline, made.depth) == ("notes", 7.0, 30)
    assert (request.text, request.expanded, request.type) == ("fetch page", "fetch OR get a page", DOCS)
    assert (request.limit, request.timeout) == (30, 7.0)
    assert (request.library, request.version, request.repository, request.tags) == ("httpx", "2.1", "a/b", ("work",))


@pytest.mark.spec("ENC-ROUTE-3")
def test_each_source_is_asked_in_its_own_words_and_time():
    wordings = (Wording(Form.QUESTION, "How do I?"), Wording(Form.LIBRARY, "httpx: how"))
    made = plan(question()._replace(wordings=wordings, expanded="more"))
    requests = {ask.source: ask.request for ask in made.asks}
    assert [requests[s].text for s in ("perplexity", "context7", "exa")] == ["How do I?", "httpx: how", "how do I"]
    assert [requests[s].timeout for s in ("context7", "exa", "notes")] == [4.0, 5.0, 9.95]
    assert [requests[s].limit for s in ("context7", "exa")] == [10, 10]
    assert {s for s, request in requests.items() if request.expanded} == {"notes"}
    unexpanded = plan(question(expand=False)._replace(expanded="more"))
    assert not any(ask.request.expanded for ask in unexpanded.asks)


@pytest.mark.spec("ENC-ROUTE-4")
def test_who_is_left_out_is_told_with_reason_and_remedy():
    candidates = (*without("exa", "kagi"), candidate("context7", name="mute", serves={DOCS: 0.0}))
    health = {"packages": OPEN, "context7": Health("rate_limited", 5.0), "perplexity": Health("probing")}
    left = {d.source: d for d in plan(candidates=candidates, health=health).declined}
    assert (left["exa"].reason, left["exa"].hint, left["exa"].optional, left["exa"].refused) == (
        "KEY not found",
        "set KEY",
        False,
        False,
    )
    assert left["kagi"].optional
    assert (left["mute"].reason, left["mute"].optional) == ("weight 0", True)
    assert [left[s].reason for s in ("packages", "context7", "perplexity")] == ["circuit open", "rate limited", "probing"]
    assert all(left[s].refused and not left[s].optional for s in ("packages", "context7", "perplexity"))
    assert left["packages"].hint == "last error: 503"


def test_a_source_that_needs_a_repository_or_knows_no_tags_says_so():
    assert "repository" in plan(question(type=CODE)).declined[0].reason
    declined = plan(question(scope=Scope(tags=("work",)))).declined
    assert all("cannot be restricted to tags" in left.reason and left.optional for left in declined)


@pytest.mark.spec("ENC-ROUTE-5")
def test_a_fallback_has_half_of_its_largest_weight():
    candidates = (candidate("wikipedia", serves={GENERAL: 0.2, CODE: 0.6}), candidate("exa", serves={GENERAL: 0.3}))
    made = plan(candidates=candidates)
    assert asked(made) == ["wikipedia", "exa"]
    assert made.asks[0].weight == pytest.approx(0.3 / 0.45)
    assert made.fallback_used
    assert not made.primaries
    silenced = plan(candidates=(candidate("wikipedia", serves={GENERAL: 0.2, DOCS: 0.0}),))
    assert silenced.asks == ()
    assert [left.reason for left in silenced.declined] == ["weight 0"]


def test_a_fallback_that_cannot_be_asked_is_no_fallback():
    for broken, health in ((candidate("wikipedia", missing="off"), {}), (candidate("wikipedia"), {"wikipedia": OPEN})):
        made = plan(candidates=(broken,), health=health)
        assert (made.asks, made.fallback_used) == ((), False)


@pytest.mark.spec("ENC-ROUTE-6")
def test_primaries_tells_whether_the_type_has_any_configured_source():
    assert plan().primaries
    assert plan(health={c.name: OPEN for c in KNOWN}).primaries
    assert not plan(candidates=without("packages", "context7", "exa", "perplexity", "kagi", "notes")).primaries
    assert not plan(candidates=()).primaries
    assert plan(question(scope=Scope(sources=("wikipedia",)))).primaries


@pytest.mark.spec("ENC-ROUTE-7")
def test_a_widened_source_has_less_weight():
    made = plan(question(unsure=True), settings=Settings(widen_weight=0.2))
    weights = {ask.source: ask.weight for ask in made.asks}
    assert weights["wikipedia"] / weights["exa"] == pytest.approx(0.15 * 0.2 / 0.3)
    assert "wikipedia" not in asked(plan(question(unsure=True), settings=Settings(widen_weight=0.0)))


@pytest.mark.spec("ENC-ROUTE-8")
@pytest.mark.parametrize(
    ("scope", "message", "hint"),
    [
        (Scope(sources=("exaa",)), "unknown source 'exaa'", "exa"),
        (Scope(sources=("exa", "contex7")), "unknown source 'contex7'", "context7"),
        (Scope(corpora=("note",)), "unknown corpus 'note'", "notes"),
        (Scope(corpora=("exa",)), "unknown corpus 'exa'", "notes"),
        (Scope(sources=("kagi",)), "KEY not found", "set KEY"),
    ],
)
def test_a_name_that_cannot_be_asked_is_a_configuration_error_with_the_nearest_known(scope, message, hint):
    with pytest.raises(ConfigurationError) as caught:
        plan(question(scope=scope), without("kagi"))
    assert caught.value.message == message
    assert hint in caught.value.hint


def test_no_corpus_at_all_is_told():
    with pytest.raises(ConfigurationError) as caught:
        plan(question(scope=Scope(corpora=("x",))), (candidate("exa"),))
    assert caught.value.hint == "there is no corpus yet"


def test_a_named_source_is_weighed_by_the_type_or_its_largest_weight_and_asked_once():
    made = plan(question(scope=Scope(sources=("wikipedia", "exa", "exa"))))
    assert {ask.source: ask.weight for ask in made.asks} == pytest.approx({"wikipedia": 0.15 / 0.45, "exa": 0.3 / 0.45})
    assert plan(question(scope=Scope(sources=("x",))), (candidate("exa", name="x", serves={DOCS: 0.0}),)).asks == ()


@pytest.mark.spec("ENC-ROUTE-9")
@pytest.mark.parametrize(
    "options",
    [
        {"limit": 0}, {"limit": 101}, {"limit": -1}, {"timeout": 0.0}, {"timeout": -1.0}, {"timeout": math.nan},
        {"timeout": math.inf}, {"max_tokens": 0},
    ],
)  # fmt: skip
def test_options_out_of_range_are_wrong_usage(options):
    with pytest.raises(UsageError, match=next(iter(options))):
        plan(question(**options))


@pytest.mark.parametrize("options", [{"limit": 1}, {"limit": 100}, {"timeout": 0.01}, {"max_tokens": 1}])
def test_options_at_the_edge_are_taken(options):
    assert plan(question(**options)).asks


BASE = question()
CHANGES = {
    "type": (BASE._replace(type=CODE), {}),
    "repository": (BASE._replace(repository="a/b"), {}),
    "correct": (question(correct=False), {}),
    "expand": (question(expand=False), {}),
    "sources": (question(scope=Scope(sources=("exa",))), {}),
    "corpora": (question(scope=Scope(corpora=("notes",))), {}),
    "tags": (question(scope=Scope(tags=("work",))), {}),
    "version": (question(scope=Scope(version="2")), {}),
    "depth": (question(limit=50), {}),
    "widened": (question(unsure=True), {}),
    "state": (BASE, {"state": "other"}),
    "configured": (BASE, {"candidates": without("exa")}),
    "weight": (BASE, {"candidates": (*KNOWN[1:], candidate("packages", serves={DOCS: 0.01}))}),
}


@pytest.mark.spec("ENC-ROUTE-10")
def test_whatever_changes_the_answer_changes_the_cache_key():
    keys = [plan(BASE).cache_key, *(plan(changed, **how).cache_key for changed, how in CHANGES.values())]
    assert len(set(keys)) == len(keys)


@pytest.mark.spec("ENC-ROUTE-14")
@pytest.mark.parametrize(
    ("deadline", "timeout", "given"),
    [(10.0, None, 5.0), (5.0, None, 4.95), (3.0, None, 2.95), (3.0, 2.9, 2.85), (3.0, 1.0, 1.0), (10.0, 4.9, 4.85), (0.1, None, 0.09)],
)  # fmt: skip
def test_a_source_with_all_its_time_is_late_before_the_query_is(deadline, timeout, given):
    made = plan(question(timeout=timeout), settings=Settings(deadline=deadline))
    assert {ask.source: ask.request.timeout for ask in made.asks}["exa"] == pytest.approx(given)
    assert made.deadline == (deadline if timeout is None else timeout)


@pytest.mark.spec("ENC-ROUTE-10")
def test_words_limit_within_the_depth_and_health_do_not_change_the_cache_key():
    key = plan(BASE).cache_key
    for other in (
        question("else"),
        question(limit=3),
        question(timeout=3.0),
        question(max_tokens=5),
        question(read_cache=False),
    ):
        assert plan(other).cache_key == key
    assert plan(health={"exa": OPEN}).cache_key == key
    twice = (question(scope=Scope(sources=names)) for names in (("exa", "kagi"), ("kagi", "exa")))
    assert len({plan(each).cache_key for each in twice}) == 1


def test_health_is_told_for_all_that_were_considered():
    made = plan(health={"exa": OPEN, "wikipedia": OPEN})
    assert set(made.health) == {"packages", "context7", "exa", "perplexity", "kagi", "notes"}
    assert (made.health["exa"], made.health["kagi"]) == (OPEN, Health())


def test_a_large_plan_is_made_of_all_its_sources():
    many = [Candidate(f"s{n}", {DOCS: 1.0 + n}) for n in range(200)]
    random.Random(3).shuffle(many)
    assert len(plan(candidates=tuple(many)).asks) == 200


@pytest.mark.spec("ENC-ROUTE-11")
@pytest.mark.parametrize(
    ("words", "library", "double"),
    [
        ("httpx timeouts", "", True),
        ("timeouts", "httpx", True),
        ("HTTPX timeouts", "", True),
        ("timeouts of httpxes", "", False),
    ],
)
@pytest.mark.parametrize("scope", [Scope(), Scope(corpora=("httpx", "notes"))])
def test_a_source_that_the_question_names_counts_double(words, library, double, scope):
    candidates = tuple(Candidate(name, {DOCS: 0.4}, corpus=True) for name in ("httpx", "notes"))
    asked = question(words, scope=scope)._replace(tokens=tokenise(words), library=library)
    weights = {ask.source: ask.weight for ask in plan(asked, candidates).asks}
    assert weights["httpx"] == pytest.approx(weights["notes"] * (NAMED_FACTOR if double else 1.0))


@pytest.mark.spec("ENC-ROUTE-12")
def test_each_source_is_told_what_stands_for_a_word():
    made = question("kuberntes jwt")._replace(
        corrections=(Correction("kuberntes", "kubernetes"),),
        expansions=(Expansion("jwt", ("json web token",)),),
    )
    for ask in plan(made).asks:
        assert ask.request.stands_for == (("kuberntes", ("kubernetes",)), ("jwt", ("json web token",)))
    assert all(ask.request.stands_for == () for ask in plan().asks)
