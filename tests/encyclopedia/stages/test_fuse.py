"""Fusion: scores explain themselves, order does not matter, one vote per source and page."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.outcome import Hit, Locator, Outcome, Outcomes, Reply
from encyclopedia.model.plan import Ask, Plan, Request
from encyclopedia.model.query import Query, QueryType, Question
from encyclopedia.model.settings import FusionSettings
from encyclopedia.model.status import Status
from encyclopedia.stages.dedupe import dedupe
from encyclopedia.stages.fuse import fuse
from encyclopedia.stages.trim import trim

SCALED = FusionSettings()
CLASSIC = FusionSettings(formula="classic")
REQUEST = Request("words", QueryType.GENERAL_SEARCH, 10, 5.0)


def outcomes_of(lists, weights=None, alternatives=None, limit=5):
    """Outcomes from ``{source: hits}``; a hit may be given as a letter, which is a page of that name."""
    weights = weights or dict.fromkeys(lists, 1 / len(lists))
    asks = tuple(Ask(name, REQUEST, weight) for name, weight in weights.items())
    query = Query("words", limit=limit)
    plan = Plan(Question(query, "words", QueryType.GENERAL_SEARCH, "default"), asks)
    given = [Reply(_hits(hits), _hits((alternatives or {}).get(name, ()))) for name, hits in lists.items()]
    return Outcomes(plan, tuple(Outcome(name, Status.OK, reply) for name, reply in zip(lists, given, strict=True)))


def _hits(hits):
    return tuple(hit if isinstance(hit, Hit) else page(hit) for hit in hits)


def page(name, **fields):
    return Hit(f"Title {name}", f"https://example.org/{name}", f"text of {name}", **fields)


def titles(ranking):
    return [result.hit.title.removeprefix("Title ") for result in ranking.results]


def recomputed(share, fusion):
    if fusion.formula == "classic":
        return share.weight / (fusion.k + share.rank)
    return 1 / (fusion.k + share.rank / (share.weight / max(fusion.weights.values())))


PAGES = st.lists(st.sampled_from("abcdefghijkl"), max_size=8)
WEIGHTS = st.sampled_from((0.0, 0.01, 0.1, 0.35, 0.4, 1.0))


@st.composite
def worlds(draw):
    names = draw(st.lists(st.sampled_from(("exa", "kagi", "notes", "docs", "wiki")), min_size=1, max_size=5, unique=True))
    lists = {name: draw(PAGES) for name in names}
    weights = {name: draw(WEIGHTS) for name in names}
    alternatives = {name: draw(st.lists(st.sampled_from("abcdxyz"), max_size=6)) for name in names}
    return lists, weights, alternatives


@pytest.mark.spec("ENC-FUSE-1")
@given(worlds(), st.sampled_from((SCALED, CLASSIC, FusionSettings(k=0.0), FusionSettings(k=60.0))))
def test_every_score_can_be_computed_again_from_what_is_printed(world, given_settings):
    lists, weights, alternatives = world
    for ranking in (fused := fuse(outcomes_of(lists, weights, alternatives), settings=given_settings), dedupe(fused)):
        for result in ranking.results:
            assert [s.score for s in result.shares] == [recomputed(s, ranking.fusion) for s in result.shares]
            assert result.score == sum(s.score for s in result.shares)
            assert [s.score for s in result.shares] == sorted((s.score for s in result.shares), reverse=True)
            assert all(s.weight == ranking.fusion.weights[s.source] for s in result.shares)
        scores = [result.score for result in ranking.results]
        assert scores == sorted(scores, reverse=True)


@pytest.mark.spec("ENC-FUSE-2")
@settings(max_examples=60)
@given(worlds(), st.randoms(use_true_random=False))
def test_the_order_of_outcomes_and_sources_changes_no_byte(world, chance):
    lists, weights, alternatives = world
    given = outcomes_of(lists, weights, alternatives)
    shuffled = list(given.outcomes)
    chance.shuffle(shuffled)
    one = trim(dedupe(fuse(given, settings=SCALED)))
    assert repr(trim(dedupe(fuse(Outcomes(given.plan, tuple(shuffled)), settings=SCALED)))) == repr(one)
    names = list(lists)
    chance.shuffle(names)
    other = outcomes_of({n: lists[n] for n in names}, {n: weights[n] for n in names}, alternatives)
    again = trim(dedupe(fuse(other, settings=SCALED)))
    assert repr((again.results, again.fusion)) == repr((one.results, one.fusion))


@pytest.mark.spec("ENC-FUSE-3")
@pytest.mark.parametrize(
    "hits",
    [
        [Hit("A", "https://a.org/x"), Hit("A", "http://www.a.org/x/?utm_source=y"), Hit("A", "https://m.a.org/x#part")],
        [Hit("A", content=str(n), locator=Locator("c", "a.md", str(n), (n, n))) for n in range(1, 5)],
        [Hit("A", f"https://a.org/{n}", page="one") for n in range(4)],
        [Hit("A", content="same text"), Hit("a", content=" Same  text")],
    ],
)
def test_addresses_and_chunks_of_one_page_are_one_vote(hits):
    ranking = fuse(outcomes_of({"s": hits, "t": ["z"]}), settings=SCALED)
    mine = [result for result in ranking.results if result.source == "s"]
    assert len(mine) == 1
    assert [(s.source, s.rank) for s in mine[0].shares] == [("s", 1)]
    assert [d.source for d in ranking.fusion.dropped] == ["s"] * (len(hits) - 1)


def test_the_vote_counts_at_the_best_rank_and_the_rank_is_the_place_in_the_list():
    ranking = fuse(outcomes_of({"s": ["a", "a", "b", "a", "c"]}), settings=SCALED)
    assert [(titles(ranking)[i], r.shares[0].rank) for i, r in enumerate(ranking.results)] == [("a", 1), ("b", 3), ("c", 5)]


def test_agreement_beats_a_single_first_place():
    assert titles(fuse(outcomes_of({"s": ["a", "c"], "t": ["b", "c"]}), settings=SCALED))[0] == "c"


@pytest.mark.spec("ENC-FUSE-4")
def test_a_lighter_list_is_interleaved_by_the_default_and_sinks_by_the_classic_form():
    lists = {"heavy": "abcdefghij", "light": "klmnopqrst"}
    weights = {"heavy": 0.6, "light": 0.4}
    classic = titles(fuse(outcomes_of(lists, weights), settings=CLASSIC))
    scaled = titles(fuse(outcomes_of(lists, weights), settings=SCALED))
    assert classic == list("abcdefghijklmnopqrst")
    assert scaled.index("k") == 1
    assert [scaled[:5].count(x) for x in "abckl"] == [1, 1, 1, 1, 1]


@pytest.mark.spec("ENC-FUSE-5")
@given(worlds())
def test_a_weight_of_0_silences(world):
    lists, weights, alternatives = world
    ranking = fuse(outcomes_of(lists, weights, alternatives), settings=SCALED)
    assert all(weights[share.source] > 0 for result in ranking.results for share in result.shares)
    loud = [name for name in lists if weights[name] > 0]
    assert {r.hit.url for r in ranking.results} >= {page(p).url for name in loud for p in lists[name]}


def test_a_weight_that_is_nothing_beside_the_largest_is_silent_and_breaks_nothing():
    assert titles(fuse(outcomes_of({"s": "a", "t": "b"}, {"s": 1.0, "t": 5e-324}), settings=SCALED)) == ["a"]


@pytest.mark.spec("ENC-FUSE-6")
def test_ties_fall_the_same_way_by_rank_then_source():
    lists = {name: [name] for name in ("b", "c", "a")}
    assert titles(fuse(outcomes_of(lists), settings=SCALED)) == ["a", "b", "c"]


@pytest.mark.spec("ENC-FUSE-7")
@settings(max_examples=150)
@given(worlds(), st.sampled_from(("scaled", "classic")), st.sampled_from((0.01, 0.5, 1.0, 7.0)))
def test_nothing_found_only_by_expansion_stands_above_an_original(world, formula, discount):
    lists, weights, alternatives = world
    given = outcomes_of(lists, weights, alternatives)
    ranking = dedupe(fuse(given, settings=FusionSettings(formula=formula, expansion_weight=discount)))
    only = [all(share.expansion for share in result.shares) for result in ranking.results]
    assert only == sorted(only)
    originals = [r.score for r, extra in zip(ranking.results, only, strict=True) if not extra]
    expanded = [r.score for r, extra in zip(ranking.results, only, strict=True) if extra]
    assert not originals or not expanded or max(expanded) < min(originals)


@pytest.mark.spec("ENC-FUSE-7")
def test_five_sources_that_agree_on_an_expansion_do_not_lift_it_over_a_last_original():
    names = ("s", "t", "u", "v", "w")
    lists = {name: [f"{name}{n}" for n in range(10)] for name in names}
    weights = dict(zip(names, (0.4, 0.4, 0.4, 0.4, 0.001), strict=True))
    ranking = fuse(outcomes_of(lists, weights, dict.fromkeys(names, "x")), settings=SCALED)
    assert titles(ranking)[-1] == "x"
    assert [share.expansion for share in ranking.results[-1].shares] == [True] * 5


@pytest.mark.spec("ENC-FUSE-8")
@given(worlds())
def test_without_alternatives_nothing_changes_and_with_them_no_original_is_lost(world):
    lists, weights, alternatives = world
    plain = fuse(outcomes_of(lists, weights), settings=SCALED)
    unheard = fuse(outcomes_of(lists, weights, alternatives), settings=FusionSettings(expansion_weight=0.0))
    assert repr((unheard.results, unheard.fusion)) == repr((plain.results, plain.fusion))
    more = fuse(outcomes_of(lists, weights, alternatives), settings=SCALED)
    assert {r.hit.url for r in plain.results} <= {r.hit.url for r in more.results}
    shares = {(r.hit.url, s) for r in more.results for s in r.shares if not s.expansion}
    assert shares == {(r.hit.url, s) for r in plain.results for s in r.shares}


def test_a_hit_in_both_lists_of_a_source_has_one_vote_and_another_source_s_expansion_may_lift_it():
    ranking = fuse(outcomes_of({"s": "ab", "t": "c"}, alternatives={"s": "bb", "t": "b"}), settings=SCALED)
    found = ranking.results[titles(ranking).index("b")]
    assert sorted((s.source, s.expansion) for s in found.shares) == [("s", False), ("t", True)]


def test_the_discount_pushes_expansions_down_and_never_up():
    ranks = {}
    for discount in (0.25, 0.5, 1.0, 9.0):
        given = outcomes_of({"s": "a"}, alternatives={"s": "xy"})
        ranking = fuse(given, settings=FusionSettings(expansion_weight=discount))
        ranks[discount] = [r.shares[0].rank for r in ranking.results if r.shares[0].expansion]
    assert ranks[1.0] == ranks[9.0]
    assert ranks[0.25] > ranks[0.5] > ranks[1.0]
    assert ranks[0.5][1] - ranks[0.5][0] == 2


@pytest.mark.spec("ENC-FUSE-9")
def test_the_copy_takes_the_title_of_the_best_the_richest_content_and_what_is_there():
    short = page("a", published="", version="")
    long = Hit("Other", "http://www.example.org/a?utm_source=x", "a much longer text of a", Locator("c", "p"), "2024", "1", "i")
    bare = Hit("Third", "https://example.org/a", "", None, "2020", "", "j")
    for version in ("", "1"):
        best = Hit(short.title, short.url, short.content, version=version)
        lists = {"s": [best], "t": [Hit(long.title, long.url, long.content, long.locator, "2024", version, "i")], "u": [bare]}
        weights = {"s": 0.5, "t": 0.3, "u": 0.2}
        result = dedupe(fuse(outcomes_of(lists, weights), settings=SCALED)).results[0]
        assert result.hit == Hit("Title a", "https://example.org/a", long.content, Locator("c", "p"), "2024", version, "i")
        assert [share.source for share in result.shares] == ["s", "t", "u"]


def test_of_a_source_s_own_chunks_the_best_is_shown_however_long_the_others():
    ranking = fuse(outcomes_of({"s": [page("a"), Hit("A", "https://example.org/a#z", "long " * 50)]}), settings=SCALED)
    assert ranking.results[0].hit == page("a")


@pytest.mark.spec("ENC-FUSE-10")
def test_an_address_is_shown_as_given_unless_the_page_came_from_several():
    dirty = "http://www.example.org/a?utm_source=x&id=1#part"
    alone = fuse(outcomes_of({"s": [Hit("A", dirty)]}), settings=SCALED)
    twice = fuse(outcomes_of({"s": [Hit("A", dirty)], "t": [Hit("A", dirty)]}), settings=SCALED)
    anchors = fuse(outcomes_of({"s": [Hit("A", dirty), Hit("A", dirty.replace("#part", "#other"))]}), settings=SCALED)
    assert [r.results[0].hit.url for r in (alone, twice, anchors)] == [dirty] * 3
    merged = fuse(outcomes_of({"s": [Hit("A", dirty)], "t": [Hit("A", "https://example.org/a?id=1")]}), settings=SCALED)
    assert merged.results[0].hit.url == "https://www.example.org/a?id=1#part"
    same_source = fuse(outcomes_of({"s": [Hit("A", dirty), Hit("A", "https://example.org/a/?id=1")]}), settings=SCALED)
    assert same_source.results[0].hit.url == "https://www.example.org/a?id=1#part"


@pytest.mark.parametrize("formula", ["", "borda", "SCALED"])
def test_an_unknown_formula_is_a_configuration_error(formula):
    with pytest.raises(ConfigurationError, match="fusion formula"):
        fuse(outcomes_of({"s": "a"}), settings=FusionSettings(formula=formula))


@pytest.mark.parametrize("k", [-1.0, math.nan, math.inf])
def test_an_impossible_k_is_a_configuration_error(k):
    with pytest.raises(ConfigurationError, match="fusion"):
        fuse(outcomes_of({"s": "a"}), settings=FusionSettings(k=k))


def test_nothing_in_nothing_out_and_the_rest_is_handed_on():
    given = outcomes_of({"s": [], "t": []})
    ranking = fuse(given, settings=CLASSIC)
    assert ranking.results == ()
    assert (ranking.fusion.formula, ranking.fusion.k) == ("classic", 60.0)
    assert ranking.fusion.weights == {"s": 0.5, "t": 0.5}
    assert ranking.plan is given.plan
    assert ranking.outcomes == given.outcomes


def test_outcomes_come_out_in_the_order_of_the_plan():
    given = outcomes_of({"s": "a", "t": "b", "u": "c"})
    ranking = fuse(Outcomes(given.plan, given.outcomes[::-1]), settings=SCALED)
    assert ranking.outcomes == given.outcomes


def test_shares_of_equal_lists_do_not_depend_on_hash_seeds():
    names = [f"s{n}" for n in range(20)]
    random.Random(1).shuffle(names)
    ranking = fuse(outcomes_of(dict.fromkeys(names, "a")), settings=SCALED)
    assert [share.source for share in ranking.results[0].shares] == sorted(names)


def passages(corpus, *texts):
    return [Hit(text, content=text, locator=Locator(corpus, f"{number}.md")) for number, text in enumerate(texts)]


def asked(text, lists, **options):
    given = outcomes_of(lists, **options)
    question = Question(Query(text), text, QueryType.LIBRARY_DOCS, "default")
    return Outcomes(Plan(question, given.plan.asks), given.outcomes)


@pytest.mark.spec("ENC-FUSE-12")
def test_of_equal_scores_the_one_that_mentions_more_of_the_question_stands_first():
    lists = {"a": [Hit("session", "https://a.org")], "b": [Hit("client session timeout", "https://b.org")]}
    ranking = fuse(asked("the client session timeout", lists), settings=SCALED, stop_words=frozenset(("the",)))
    assert titles(ranking) == ["client session timeout", "session"]
    assert ranking.results[0].score == ranking.results[1].score
    merged = dedupe(
        fuse(asked("client session", {**lists, "c": [Hit("client session", "https://c.org")] * 2}), settings=SCALED)
    )
    assert titles(merged)[-1] == "session"


@pytest.mark.spec("ENC-FUSE-13")
def test_a_collection_that_hardly_fits_stands_further_down_as_a_whole_and_says_so():
    lists = {
        "adr": passages("adr", "a decision on session cookies", "client session timeout, by chance the last", "x", "y"),
        "docs": passages("docs", "client session timeout", "client"),
        "wrong": passages("wrong", "the timeout of a deployment", "another timeout"),
        "web": [Hit("paraphrased", "https://web.org")],
    }
    ranking = fuse(asked("client session timeout", lists), settings=SCALED)
    shares = {result.hit.title: result.shares[0] for result in ranking.results}
    assert [(shares[hit.title].rank, shares[hit.title].weak) for hit in lists["wrong"]] == [(6, True), (7, True)]
    assert {share.rank for share in shares.values() if not share.weak} == {1, 2, 3, 4}
    assert all(share.score == recomputed(share, ranking.fusion) for share in shares.values())
    assert titles(ranking)[-2:] == ["the timeout of a deployment", "another timeout"]


@pytest.mark.spec("ENC-FUSE-13")
def test_a_collection_alone_or_one_that_is_no_worse_than_the_others_keeps_its_places():
    for lists in (
        {"notes": passages("notes", "timeout")},
        {"notes": passages("notes", "timeout"), "docs": passages("docs", "session")},
        {"notes": passages("notes", "nothing"), "web": [Hit("client session timeout", "https://web.org")]},
    ):
        ranking = fuse(asked("client session timeout", lists), settings=SCALED)
        assert {result.shares[0].rank for result in ranking.results} == {1}
        assert not any(result.shares[0].weak for result in ranking.results)


@pytest.mark.spec("ENC-FUSE-7")
def test_what_only_expansion_found_stands_below_a_collection_that_was_moved_down():
    lists = {"docs": passages("docs", "client session timeout"), "wrong": passages("wrong", "the timeout")}
    ranking = fuse(asked("client session timeout", lists, alternatives={"docs": ["x"], "wrong": ["y"]}), settings=SCALED)
    assert titles(ranking)[:2] == ["client session timeout", "the timeout"]
    assert all(result.shares[0].expansion for result in ranking.results[2:])
