import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.answering.words import content, fold, hard, negations, shown, stem, stems


@pytest.mark.spec("ENC-ASK-2")
@pytest.mark.parametrize(
    "same",
    [
        ("create", "creates", "created", "creating", "creation"),
        ("observer", "observers", "observed", "observing"),
        ("cache", "caches", "cached", "caching"),
        ("retry", "retries", "retried", "retrying"),
        ("stop", "stopped", "stopping"),
        ("implement", "implements", "implementation", "implementations"),
        ("dependency", "dependencies"),
        ("class", "classes"),
    ],
)
def test_endings_of_a_word_do_not_matter(same):
    assert len({stem(word) for word in same}) == 1, {word: stem(word) for word in same}


@pytest.mark.spec("ENC-ASK-2")
def test_names_with_digits_and_marks_stay_whole():
    assert [stem(word) for word in ("HTTP2", "python3.11", "max_retries", "C++")] == [
        "http2",
        "python3.11",
        "max_retries",
        "c++",
    ]
    assert "retries" not in content("max_retries")


@pytest.mark.spec("ENC-ASK-2")
def test_words_that_only_ask_are_no_content():
    assert content("How do I stop a class from being instantiated more than once?") == ("stop", "class", stem("instantiated"))
    assert content("データベースの移行")


@pytest.mark.spec("ENC-ASK-2")
def test_parts_of_compound_names_count_too():
    assert {stem("time"), "out"} <= stems("time_out") & stems("TimeOut")
    assert stem("sourcing") in stems("event-sourcing")


@pytest.mark.spec("ENC-ASK-2")
def test_quotations_are_folded_and_nothing_else_is():
    assert fold("“It’s  ﬁne”\n – said") == '"It\'s fine" - said'
    assert fold("3.11") != fold("3.12")


@pytest.mark.spec("ENC-ASK-2")
def test_code_keeps_its_lines_where_a_quotation_is_shown():
    assert shown("Do  this:\n\n```py\na = 1\n  b\n```\nand\nthat.") == "Do this:\n```py\na = 1\n  b\n```\nand that."


@pytest.mark.spec("ENC-ASK-4")
def test_hard_words_are_numbers_versions_identifiers_and_names():
    found = hard("The RetryPolicy of HTTPX 0.28 does not use Tenacity when max_retries=3 or python3.11")
    assert {"0.28", "3", "python3.11", "max_retries", stem("RetryPolicy"), stem("HTTPX"), stem("Tenacity")} <= found
    assert hard("The client waits for the answer") == frozenset()


@pytest.mark.spec("ENC-ASK-4")
def test_negations_are_counted_in_all_their_forms():
    assert [negations(text) for text in ("it does", "it doesn't", "it doesn’t", "never without", "nothing")] == [0, 1, 1, 2, 1]


@pytest.mark.spec("ENC-ASK-2")
@given(st.text(max_size=300))
def test_any_text_can_be_folded_and_cut(text):
    assert fold(fold(text)) == fold(text)
    assert all(content(text))
    assert isinstance(hard(text), frozenset)


@pytest.mark.spec("ENC-ASK-2")
def test_items_of_a_list_keep_their_lines_and_prose_does_not():
    assert shown("It has\nparts:\n\n- one,\n  which runs on\n- two") == "It has parts:\n- one, which runs on\n- two"
    assert fold(shown("a\n* b")) == fold("a\n* b")
