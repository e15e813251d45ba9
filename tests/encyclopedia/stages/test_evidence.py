"""Words of the question that no result holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.model.outcome import Hit, Locator
from encyclopedia.model.plan import Plan
from encyclopedia.model.query import Correction, Expansion, Query, QueryType, Question, Token
from encyclopedia.model.ranking import Ranked, Ranking, Share
from encyclopedia.stages.evidence import evidence

STOP = frozenset(("how", "the", "with", "what", "and", "for", "does", "can"))


def gap(text, hits, stop_words=STOP, **fields):
    question = Question(Query(text), text, QueryType.LIBRARY_DOCS, "default", **fields)
    results = tuple(Ranked(hit, (Share("s", 1, 1.0, 1.0),)) for hit in hits)
    return evidence(Ranking(Plan(question, ()), (), results), stop_words=stop_words).evidence_gap


def tokens(text, *protected):
    words, place = [], 0
    for word in text.split():
        start = text.index(word, place)
        place = start + len(word)
        words.append(Token(word, start, place, word in protected))
    return tuple(words)


@pytest.mark.spec("ENC-EVIDENCE-1")
def test_missing_content_words_come_in_the_order_of_the_question():
    assert gap("How does zebra caching work with asyncio?", [Hit("asyncio", content="nothing else")]) == (
        "zebra",
        "caching",
        "work",
    )


@pytest.mark.spec("ENC-EVIDENCE-1")
@pytest.mark.parametrize(
    "hit",
    [
        Hit("About Zebras"),
        Hit("t", content="a ZEBRA"),
        Hit("t", url="https://a.org/zebra"),
        Hit("t", locator=Locator("c", "zebra.md")),
    ],
)
def test_a_word_may_stand_in_title_text_address_or_place(hit):
    assert gap("zebra", [Hit("other"), hit]) == ()


@pytest.mark.spec("ENC-EVIDENCE-1")
def test_what_is_not_shown_is_no_evidence():
    hits = [Hit(f"asyncio {number}") for number in range(5)]
    assert gap("zebra asyncio", [*hits, Hit("zebra")]) == ("zebra",)
    assert gap("zebra asyncio", [*hits[1:], Hit("zebra")]) == ()


@pytest.mark.spec("ENC-EVIDENCE-2")
@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("queries", "a query"), ("classes", "class"), ("tasks", "one task"), ("caching", "the cache"), ("cached", "a cache"),
        ("stopped", "stop it"), ("running", "run"), ("retry", "retrying"), ("asyncio.gather", "asyncio.gather()"),
        ("asyncio.gather", "gather of asyncio"), ("zebra's", "zebra"),
    ],
)  # fmt: skip
def test_endings_and_parts_of_names_are_tolerated(word, text):
    assert gap(word, [Hit(text)]) == ()


@pytest.mark.parametrize(("word", "text"), [("3.11", "3 and 11"), ("python3.11", "python 3.1"), ("task", "tas"), ("ring", "r")])
def test_numbers_and_stems_are_not_stretched(word, text):
    assert gap(word, [Hit(text)]) == (word,)


@pytest.mark.spec("ENC-EVIDENCE-2")
def test_a_misspelt_word_that_nothing_mentions_is_listed_as_its_correction():
    corrections = (Correction("kuberntes", "kubernetes"), Correction("podd", "pod"))
    assert gap("Kuberntes limits pod podd", [Hit("limits")], corrections=corrections) == ("kubernetes", "pod")


@pytest.mark.spec("ENC-EVIDENCE-2")
def test_corrections_and_alternatives_count_for_the_word():
    hits = [Hit("Kubernetes and asyncio")]
    assert gap("asyncoi k8s", hits) == ("asyncoi", "k8s")
    corrections, expansions = (Correction("asyncoi", "asyncio"),), (Expansion("k8s", ("kubernetes",)),)
    assert gap("Asyncoi k8s", hits, corrections=corrections, expansions=expansions) == ()


def test_short_words_count_only_where_they_are_identifiers():
    assert gap("go on os.x", [Hit("t")], tokens=tokens("go on os.x", "go")) == ("go", "os.x")
    assert gap("go on", [Hit("t")]) == ()


def test_stop_words_marks_contractions_and_repetitions_are_no_content():
    assert gap("What’s the ... --- don't Zebra zebra ZEBRA", [Hit("t")], STOP) == ("Zebra",)


def test_a_quotation_counts_word_by_word():
    text = '"exact zebra phrase"'
    assert gap(text, [Hit("exact phrase")], tokens=(Token(text, 0, len(text), True),)) == ("zebra",)


@pytest.mark.spec("ENC-EVIDENCE-3")
def test_without_results_every_content_word_is_missing_and_ten_are_the_most():
    assert gap("the alpha beta", []) == ("alpha", "beta")
    assert gap(" ".join(f"word{n}" for n in range(30)), []) == tuple(f"word{n}" for n in range(10))


@given(st.text(max_size=80), st.lists(st.text(max_size=40), max_size=3))
def test_no_text_crashes_and_each_word_is_the_question_s_own(text, titles):
    missing = gap(text, [Hit(title) for title in titles])
    assert all(word in text.replace("’", "'") for word in missing)
    assert gap(text, [Hit(text)]) == ()
