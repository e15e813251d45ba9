import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encyclopedia_adapters.shared.markup import clean_html, looks_like_html

FIXTURES = Path(__file__).parents[2] / "fixtures"


def pairs(name):
    lines = (FIXTURES / name).read_text(encoding="utf-8").splitlines()
    cases = [line.split('" => "') for line in lines if line and not line.startswith("#")]
    return [(json.loads(f'{before}"'), json.loads(f'"{after}')) for before, after in cases]


@pytest.mark.spec("ENC-HTML-1")
@pytest.mark.parametrize(("before", "after"), pairs("clean_html.txt"))
def test_html_becomes_the_text_that_a_reader_sees(before, after):
    assert clean_html(before) == after


PIECES = st.lists(
    st.sampled_from(
        [
            "<script>",
            "</script>",
            "<b>",
            "</b>",
            "<div hidden>",
            "</div>",
            "<!--",
            "-->",
            "&lt;",
            "&amp;",
            "&#60;",
            "<pre>",
            "</pre>",
            "<a href='",
            "'>",
            "x",
            " ",
            "\n",
            "<",
            ">",
            "vector<int>",
            "&",
            "<p style='display:none'>",
            "<td>",
            "<!doctype x>",
        ]
    )
).map("".join)


@pytest.mark.spec("ENC-HTML-1")
@settings(deadline=None)
@given(PIECES | st.text())
def test_no_html_crashes_it_or_leaves_a_script(html):
    clean = clean_html(html)
    assert not re.search(r"</?script(?!\w)", clean, re.IGNORECASE)
    assert len(clean) <= 8192


@pytest.mark.spec("ENC-HTML-2")
@settings(deadline=None)
@given(st.text(st.characters(categories=("L", "N")), min_size=1).filter(lambda text: len(text) < 2000))
def test_hidden_text_does_not_come_through(text):
    for element in ("<span hidden>{}</span>", "<i style='visibility:hidden'>{}</i>", "<script>{}</script>", "<!--{}-->"):
        assert clean_html("before " + element.format(text) + " after") == "before after"


@pytest.mark.spec("ENC-HTML-3")
@pytest.mark.parametrize("text", ["a <b>c</b>", "<em class=x>hit</em> text", "one<br/>two", "<P>x</P>"])
def test_markup_is_recognised_by_what_opens_and_closes(text):
    assert looks_like_html(text)


@pytest.mark.spec("ENC-HTML-3")
@pytest.mark.parametrize("text", ["vector<int>", "a<b and c>d", "the <b> tag", "Map<String, A> x </A>", "5 < 6", "plain"])
def test_generics_and_comparisons_are_no_markup(text):
    assert not looks_like_html(text)


@pytest.mark.spec("ENC-HTML-1")
def test_the_length_is_bounded():
    assert len(clean_html("<p>word</p>" * 10**5, 100)) <= 100
