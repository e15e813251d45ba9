import json
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from encyclopedia_adapters.shared.sanitize import clean_line, clean_text, clean_url

FIXTURES = Path(__file__).parents[2] / "fixtures"


def pairs(name):
    lines = (FIXTURES / name).read_text(encoding="utf-8").splitlines()
    cases = [line.split('" => "') for line in lines if line and not line.startswith("#")]
    return [(json.loads(f'{before}"'), json.loads(f'"{after}')) for before, after in cases]


@pytest.mark.spec("ENC-CLEAN-1")
@pytest.mark.parametrize(("before", "after"), pairs("clean_text.txt"))
def test_text_loses_what_acts_and_keeps_what_is_read(before, after):
    assert clean_text(before) == after


HOSTILE = st.text(
    st.sampled_from(
        [*list("ab <>/=;'\"\n\t0[]m\\cript{}"), "\x1b", "\x9b", "\x9d", "\x90", "\x9c", "\x07", "\x00", "\u202e", "\u200b"]
    )
    | st.sampled_from(["\u0301", "\u0323", "é", "\ud800", "\udc00", "\ufe0f", "\U000e0041", "K", "K", "ſ", "中"])
)
PIECES = st.lists(
    st.sampled_from(
        ["<script", ">", "</script>", "<", "script", "/", " onerror=", "javascript:", "<img", "<svg", "x", "\x00", " "]
    )
).map("".join)


@pytest.mark.spec("ENC-CLEAN-1")
@settings(deadline=None)
@given(HOSTILE | PIECES | st.text(st.characters(codec=None)))
@example("<scr<script>ipt>alert(1)</script>")
def test_no_text_leaves_with_controls_or_scripts(text):
    clean = clean_text(text)
    assert not any(unicodedata.category(char) in ("Cc", "Cs") and char not in "\t\n" for char in clean)
    assert not set(clean) & set("\u202a\u202e\u2066\u2069\u200b\u200e\u2060\ufeff")
    assert not re.search(r"</?script(?!\w)", clean, re.IGNORECASE)
    assert len(clean) <= 8192


@pytest.mark.spec("ENC-CLEAN-2")
@settings(deadline=None)
@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)).filter(lambda text: "<" not in text))
def test_plain_text_stays_as_it_is(text):
    assert clean_text(text) == text.strip()


@pytest.mark.spec("ENC-CLEAN-3")
@settings(deadline=None)
@given(HOSTILE.map(lambda text: text * 50), st.integers(1, 60))
def test_lengths_are_bounds(text, limit):
    assert len(clean_text(text, limit)) <= limit
    assert len(clean_line(text, limit)) <= limit
    assert "\n" not in clean_line(text, limit)


@pytest.mark.spec("ENC-CLEAN-3")
def test_a_cut_text_says_so():
    assert clean_text("x" * 20, 10) == "x" * 9 + "…"
    assert clean_text("word \u200d" + "y" * 20, 6) == "word…"
    assert len(clean_text("x" * 10**6)) == 8192
    assert clean_line("a\n b\t\tc") == "a b c"


@pytest.mark.spec("ENC-CLEAN-4")
def test_marks_are_put_in_order_but_not_by_the_thousand():
    clean = clean_text("a" + "\u0323\u0301" * 5000)
    assert unicodedata.is_normalized("NFC", clean)
    assert sum(unicodedata.combining(char) > 0 for char in clean) <= 30
    assert clean_text("─" * 200) == "─" * 200


@pytest.mark.spec("ENC-CLEAN-5")
@pytest.mark.parametrize(("before", "after"), pairs("clean_url.txt"))
def test_an_address_is_one_that_may_be_followed_or_none(before, after):
    assert clean_url(before) == after


@pytest.mark.spec("ENC-CLEAN-5")
@settings(deadline=None)
@given(st.text() | st.builds("https://{}".format, HOSTILE))
def test_no_address_holds_controls_spaces_or_credentials(text):
    clean = clean_url(text)
    assert clean == "" or clean.lower().startswith(("http://", "https://"))
    assert not any(char.isspace() or unicodedata.category(char) in ("Cc", "Cs") for char in clean)
    assert not set(clean) & set('<>"`\\')
    assert "@" not in clean.split("/")[2] if clean else True


@pytest.mark.spec("ENC-CLEAN-5")
def test_a_long_address_is_none_since_half_of_one_is_wrong():
    assert clean_url("https://example.org/" + "a" * 3000) == ""
