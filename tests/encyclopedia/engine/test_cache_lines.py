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
    ],
)
def test_a_line_that_cannot_be_served_is_refused_with_a_reason(entry, change, why):
    with pytest.raises(LineError, match=why):
        read(json.dumps(json.loads(written(entry, None)) | change), NOW, 3600)


@given(
    st.text()
    | st.recursive(st.none() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)).map(json.dumps)
)
def test_any_other_text_is_refused_and_nothing_else(text):
    with pytest.raises(LineError):
        read(text, NOW, 3600)
