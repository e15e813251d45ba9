"""No bytes break a parser; ``make fuzz`` looks further, guided by coverage."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.parsers import TARGETS

PIECES = (
    *("---\n", "tags: [a, b]\n", "title: x\n", "# A\n", "```\n", "| a | b |\n|---|---|\n", "[[x|y]]", "#tag", "- [ ] ", "> "),
    *("<p>", "</p>", "<script>", "</script>", "<!--", "-->", "<a href='", "&lt;", "&#x1b;", "<pre>", "vector<int>", "<![CDATA["),
    *('{"results": [', '{"title": "', '"}', "]}", "[[[[", "1e999", "NaN", "\\ud800", "null", "\x1b[31m", "\x1b]8;;", "\u202e", "\x00"),
    *("NAME\n     x - y\n", ".TH A 1\n", "ls (1) - list\n", "a\x08a", "\r\n", "\ufeff", "https://me:secret@e.example/?key=abc", "Bearer x"),
)  # fmt: skip
BYTES = st.one_of(
    st.binary(max_size=300),
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=12)), max_size=20).map(lambda parts: "".join(parts).encode("utf-8", "surrogatepass")),
    st.recursive(st.none() | st.text(max_size=9) | st.floats(), lambda x: st.lists(x, max_size=4) | st.dictionaries(st.sampled_from(["title", "url", "content", "results"]), x), max_leaves=9).map(lambda value: json.dumps(value).encode()),
)  # fmt: skip


@pytest.mark.spec("ENC-FUZZ-1")
@pytest.mark.parametrize("name", TARGETS)
@given(raw=BYTES)
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_bytes_break_a_parser(name: str, raw: bytes) -> None:
    TARGETS[name](raw)
