"""So many results, so much text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.model.outcome import Hit, Locator
from encyclopedia.model.plan import Plan
from encyclopedia.model.query import Query, QueryType, Question
from encyclopedia.model.ranking import Ranked, Ranking, Share
from encyclopedia.stages.trim import cut, trim


def ranking_of(hits, limit=5, max_tokens=None):
    query = Query("words", limit=limit, max_tokens=max_tokens)
    plan = Plan(Question(query, "words", QueryType.GENERAL_SEARCH, "default"), ())
    results = tuple(Ranked(hit, (Share("s", rank, 1.0, 1 / rank),)) for rank, hit in enumerate(hits, 1))
    return Ranking(plan, (), results)


def size(ranking):
    return sum(len(r.hit.title) + len(r.hit.url) + len(r.hit.content) for r in ranking.results)


def texts(ranking):
    return [result.hit.content for result in ranking.results]


@pytest.mark.spec("ENC-TRIM-1")
@pytest.mark.parametrize("limit", [1, 2, 5, 100])
def test_at_most_limit_results_the_best_ones(limit):
    hits = [Hit(f"t{n}", content="text") for n in range(7)]
    assert [r.hit for r in trim(ranking_of(hits, limit)).results] == hits[:limit]


def test_what_fits_is_left_as_it_is():
    ranking = ranking_of([Hit("t", content="text")], max_tokens=50)
    assert trim(ranking) is ranking
    assert trim(ranking_of([], max_tokens=1)).results == ()


@pytest.mark.spec("ENC-TRIM-2")
def test_long_contents_are_cut_before_short_ones():
    trimmed = trim(ranking_of([Hit("one", content="word " * 100), Hit("two", content="a short one")], max_tokens=25))
    assert texts(trimmed)[1] == "a short one"
    assert texts(trimmed)[0].endswith("word…")
    assert 80 < size(trimmed) <= 100


@pytest.mark.spec("ENC-TRIM-2")
def test_contents_go_before_results_go():
    hits = [Hit("title " * 4, content="word " * 50) for _ in range(4)]
    trimmed = trim(ranking_of(hits, max_tokens=24))
    assert len(trimmed.results) == 4
    assert texts(trimmed) == [""] * 4
    assert len(trim(ranking_of(hits, max_tokens=13)).results) == 2


def test_one_result_always_stays_with_what_fits_of_its_title():
    trimmed = trim(ranking_of([Hit("several words here", "https://a.org", "text")], max_tokens=6))
    assert [(r.hit.title, r.hit.url, r.hit.content) for r in trimmed.results] == [("several…", "https://a.org", "")]


def test_the_place_in_a_corpus_counts_too():
    hit = Hit("t", content="word " * 20, locator=Locator("c", "p" * 30, "s" * 9))
    assert len(texts(trim(ranking_of([hit], max_tokens=15)))[0]) <= 20


@pytest.mark.spec("ENC-TRIM-2")
@given(
    st.lists(st.builds(lambda title, text: Hit(title, content=text), st.text(max_size=30), st.text(max_size=300)), max_size=8),
    st.integers(1, 9),
    st.integers(1, 400),
)
def test_the_bound_is_kept_and_nothing_but_text_changes(hits, limit, max_tokens):
    ranking = ranking_of(hits, limit, max_tokens)
    trimmed = trim(ranking)
    assert size(trimmed) <= max_tokens * 4
    assert bool(trimmed.results) == bool(hits)
    for before, after in zip(ranking.results, trimmed.results, strict=False):
        assert after.shares == before.shares
        assert before.hit.content.startswith(after.hit.content.removesuffix("…")) or after.hit.content == before.hit.content


@pytest.mark.parametrize(
    ("text", "length", "expected"),
    [
        ("one two three", 13, "one two three"),
        ("one two three", 12, "one two…"),
        ("one two three", 8, "one two…"),
        ("one two three", 7, "one…"),
        ("one two", 3, ""),
        ("one\ttwo\nthree", 9, "one\ttwo…"),
        ("x" * 60, 50, "x" * 49 + "…"),
        ("事件循环运行任务和回调", 6, "事件循环运…"),
        ("one two", 0, ""),
        ("", 0, ""),
    ],
)
def test_text_is_cut_between_words_where_there_are_words(text, length, expected):
    assert cut(text, length) == expected
