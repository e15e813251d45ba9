"""A stored answer as a line of JSON, and what is refused of a file from elsewhere."""

from __future__ import annotations

import json
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.engine.cache_lines import LineError, read, written
from encyclopedia.engine.codec import encode
from encyclopedia.keeping import Kept
from encyclopedia.model.cached import CacheEntry
from encyclopedia.model.label import Label
from encyclopedia.model.query import QueryType

NOW = 1_800_000_000.0
KEY, GROUP = "a" * 64, "b" * 64


@pytest.fixture
def entry(make):
    plan = make.plan("alpha")
    return CacheEntry(KEY, QueryType.GENERAL_SEARCH, "Parse \u00fc?", encode(make.ranking(plan, "a", "b")), NOW, 0.0)


@pytest.mark.spec("ENC-CACHE-17")
def test_a_line_brings_back_what_was_written(entry):
    kept = Kept(GROUP, "parse", "mark", array("f", [0.5, 0.25]).tobytes())
    line = json.loads(written(entry, kept))
    assert (line["query"], line["query_type"], line["timestamp"]) == ("Parse \u00fc?", "general_search", NOW)
    assert [row["title"] for row in line["results"]] == ["a", "b"]
    assert (line["embedding"], line["embedder"]) == ([0.5, 0.25], "mark")
    back = read(json.dumps(line), NOW + 5, 3600)
    assert json.loads(back.entry.body) == json.loads(entry.body)
    assert back.entry._replace(body="") == entry._replace(body="")
    assert (back.scope, back.question) == (GROUP, "parse")
    assert read(written(entry, None), NOW, 3600).scope == ""


@pytest.mark.spec("ENC-CACHE-17")
@pytest.mark.parametrize("body", ["no JSON", "{}", "[" * 5000, '{"format": 3, "results": [[]]}'])
def test_what_could_not_be_served_is_no_line(entry, body):
    with pytest.raises(LineError, match="none of this program"):
        written(entry._replace(body=body), None)


@pytest.mark.spec("ENC-CACHE-17")
def test_a_line_past_its_lifetime_is_left_out(entry):
    line = written(entry, None)
    assert read(line, NOW + 3599, 3600)
    assert read(line, NOW + 3601, 3600) is None
    assert read(line, NOW - 3600, 3600) is None
    assert read(written(entry._replace(lifetime=10.0), None), NOW + 11, 3600) is None


@pytest.mark.spec("ENC-CACHE-17")
@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"format": 2}, "no stored answer"),
        ({"key": "../x"}, "which sources"),
        ({"key": None}, "which sources"),
        ({"answer": "text"}, "which sources"),
        ({"query_type": "everything"}, "missing"),
        ({"timestamp": "now"}, "missing"),
        ({"timestamp": True}, "missing"),
        ({"query": 5}, "missing"),
        ({"timestamp": 10**400}, "missing"),
        ({"timestamp": float("nan")}, "missing"),
        ({"lifetime": float("inf")}, "missing"),
        ({"lifetime": -5}, "missing"),
        ({"answer": {}}, "none of this program"),
        ({"query_type": "repository"}, "none of this program"),
    ],
)
def test_a_line_that_cannot_be_served_is_refused_with_a_reason(entry, change, why):
    with pytest.raises(LineError, match=why):
        read(json.dumps(json.loads(written(entry, None)) | change), NOW, 3600)


@pytest.mark.spec("ENC-CACHE-17")
def test_a_line_cannot_make_its_answer_last_longer(entry):
    line = written(entry._replace(lifetime=9e9), None)
    assert read(line, NOW, 3600).entry.lifetime == 3600
    assert read(line, NOW + 3601, 3600) is None


@pytest.mark.spec("ENC-CACHE-17")
def test_secret_empty_and_deep_answers_are_refused(entry, make):
    line = json.loads(written(entry, None))
    line["answer"]["results"][1][0][8] = Label.SECRET.value
    with pytest.raises(LineError, match="secret"):
        read(json.dumps(line), NOW, 3600)
    nothing = encode(make.ranking(make.plan("alpha")))
    with pytest.raises(LineError, match="empty"):
        read(written(entry._replace(body=nothing), None), NOW, 3600)
    assert read(written(entry._replace(body=nothing, lifetime=60.0), None), NOW, 3600)
    for depth in (50, 900, 990, 5000, 100_000):
        deep = json.dumps(line | {"answer": {"results": "here"}}).replace('"here"', "[" * depth + "]" * depth)
        with pytest.raises(LineError):
            read(deep, NOW, 3600)


@given(
    st.text()
    | st.recursive(st.none() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)).map(json.dumps)
)
def test_any_other_text_is_refused_and_nothing_else(text):
    with pytest.raises(LineError):
        read(text, NOW, 3600)
