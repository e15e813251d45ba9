"""Which questions are the same one."""

from __future__ import annotations

import pathlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.engine.normal import normalised

LINES = (pathlib.Path(__file__).parents[2] / "fixtures" / "normalised.txt").read_text(encoding="utf-8").splitlines()
PAIRS = [line.split(" => ") for line in LINES if line and not line.startswith("#")]
words = st.text(st.characters(min_codepoint=97, max_codepoint=122), min_size=2, max_size=8)


@pytest.mark.spec("ENC-CACHE-2")
@pytest.mark.parametrize(("before", "after"), PAIRS, ids=[before for before, _ in PAIRS])
def test_the_table(before, after):
    assert normalised(before) == after


@pytest.mark.spec("ENC-CACHE-2")
@given(
    st.lists(words, min_size=1, max_size=6),
    st.sampled_from(["", "?", "!", ".", "?!", " ?"]),
    st.sampled_from([" ", "  ", "\t", "\n"]),
)
def test_plain_words_do_not_mind_capitals_blanks_or_the_final_mark(found, mark, blank):
    assert normalised(blank.join(word.title() for word in found) + mark) == normalised(" ".join(found))


@pytest.mark.spec("ENC-CACHE-2")
@given(words, words)
def test_an_identifier_keeps_its_case(one, two):
    name = one + two.title()
    assert normalised(f"what is {name}") != normalised(f"what is {name.lower()}")


@given(st.text())
def test_any_text_has_a_form(text):
    assert normalised(text) == normalised(text + "?")
    assert normalised(text) == normalised(f"  {text}")
