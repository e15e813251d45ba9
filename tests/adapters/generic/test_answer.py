"""Answers whose shape nobody has described, and what is no answer."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encyclopedia.model.errors import RateLimited, SourceTrouble, Unavailable
from encyclopedia_adapters.generic.answer import Answers, Described
from encyclopedia_adapters.generic.guess import from_text, parsed

ROWS = [{"title": "A", "url": "https://example.org/a", "snippet": "one"}, {"name": "B", "link": "https://example.org/b"}]
TWO = [("A", "https://example.org/a", "one"), ("B", "https://example.org/b", "")]
SHAPES = [
    (json.dumps(ROWS), TWO),
    (json.dumps({"data": {"web": ROWS}, "meta": [1]}), TWO),
    ("\n".join(map(json.dumps, ROWS)), TWO),
    (json.dumps({"result": "Title: A\nURL: https://example.org/a\none"}), [("A", "https://example.org/a", "one")]),
    (json.dumps({"results": []}), []),
    ("Title: A\nDescription: one\nURL: https://example.org/a\n\nTitle: B\nURL: https://example.org/b", TWO),
    ("### A\n\nSource: https://example.org/a\n\none\n\n------\n\n### B\n\nSource: https://example.org/b\n", TWO),
    ("No results were found", []),
    ("", []),
    ("plain\nwords", [("plain words", "", "plain\nwords")]),
    ("note: to self\nsource: my head", [("note: to self source: my head", "", "note: to self\nsource: my head")]),
]


def answers(limited=(), fields=None, results="@"):
    return Answers(Described("x", results, fields or {}, "guess", limited))


@pytest.mark.spec("ENC-ANSWER-1")
@pytest.mark.parametrize(("text", "hits"), SHAPES, ids=range(len(SHAPES)))
def test_lists_labels_and_plain_text_become_hits(text, hits):
    assert [(hit.title, hit.url, hit.content) for hit in answers().reply(text, 5).hits] == hits


@pytest.mark.spec("ENC-ANSWER-1")
def test_the_limit_is_kept_and_ids_without_address_name_the_page():
    found = answers().reply(json.dumps([{"id": at, "title": "t", "text": "x"} for at in range(9)]), 2).hits
    assert [hit.page for hit in found] == ["x:0", "x:1"]


@pytest.mark.spec("ENC-ANSWER-2")
def test_an_error_is_no_result():
    with pytest.raises(Unavailable):
        answers().reply('{"error": "my orders"}', 5)
    with pytest.raises(Unavailable):
        answers().reply("Error: the repository could not be cloned", 5)
    assert answers().reply("Error: no results found", 5).hits == ()
    assert answers().reply("Error: what it means and how to mend it. " * 20, 5).hits
    assert answers().reply('{"error": "no results found"}', 5).hits == ()
    assert answers(fields={"title": "t"}).reply("no results found", 5).hits == ()
    assert answers().reply(json.dumps({"error": "", "results": ROWS}), 5).hits


@pytest.mark.spec("ENC-ANSWER-4")
def test_a_path_that_finds_nothing_is_noted():
    paths = {"title": "title || name", "content": "summary"}
    told = answers(fields=paths, results="found").reply(json.dumps({"found": ROWS}), 5)
    assert [hit.title for hit in told.hits] == ["A", "B"]
    assert told.note == "fields.content = 'summary' finds nothing in the results"
    assert not answers(fields=paths | {"content": "snippet"}).reply(json.dumps(ROWS), 5).note
    assert not answers(fields=paths).reply("[]", 5).note
    assert not answers().reply(json.dumps(ROWS), 5).note


@pytest.mark.spec("ENC-ANSWER-3")
def test_limits_are_looked_for_in_short_texts_only():
    told = answers(limited=(("quota",), ("rate", "limit")))
    for text in ("Quota used up", "RATE of calls: limit", '"the quota"', '{"error": "quota"}'):
        with pytest.raises(RateLimited):
            told.reply(text, 5)
    assert told.reply("limit the rate", 5).hits
    assert told.reply("an article about quota and more " * 40, 5).hits


@pytest.mark.spec("ENC-ANSWER-1")
@settings(max_examples=300, deadline=None)
@given(
    st.one_of(
        st.text(),
        st.lists(st.sampled_from(["Title: ", "URL: https://e.org/", "---\n", "\n\n", "{", "[", "# ", "a\n"])).map("".join),
    )
)
def test_no_text_crashes(text):
    assert len(from_text("x", text, 3)) <= 3
    parsed(text)


@pytest.mark.spec("ENC-ANSWER-1")
@settings(max_examples=200, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.sampled_from(["title", "url", "text", "results", "error", "id"]), inner)
        ),
    )
)
def test_no_value_crashes(value):
    try:
        assert len(answers().reply(json.dumps(value), 3).hits) <= 3
    except SourceTrouble as trouble:
        assert "x" in str(trouble)
