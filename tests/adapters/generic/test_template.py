import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encyclopedia_adapters.generic.template import environment_names, fill, percent, placeholders, values
from tests.adapters.contract.stand_ins import request


def secret(name):
    return {"KEY": "k&y/1", "HOME": "{query}"}.get(name, "")


@pytest.mark.spec("ENC-JSON-2")
def test_each_mark_is_filled_once():
    known = {"query": "a ${KEY} {limit}", "limit": "5"}
    assert fill("{query}|{limit}|${KEY}|${HOME}|{other}|{", known, secret) == "a ${KEY} {limit}|5|k&y/1|{query}|{other}|{"
    assert fill("/{query}?k=${KEY}", {"query": "a/b c"}, secret, percent) == "/a%2Fb%20c?k=k%26y%2F1"


@pytest.mark.spec("ENC-JSON-2")
def test_marks_are_known_by_name():
    assert environment_names("${A}${B_2} ${A} {query}") == ("A", "B_2")
    assert placeholders("${A} {query}{limit}") == ("query", "limit")
    for bad in ("${}", "${1A}", "${A B}", "${A-B}"):
        with pytest.raises(ValueError):
            environment_names(bad)


@pytest.mark.spec("ENC-JSON-2")
@settings(deadline=None)
@given(st.text())
def test_no_value_leaves_its_place_in_the_url(text):
    encoded = percent(text)
    assert encoded.isascii()
    assert not set(encoded) & set("/?#&=@:\\ \n{}$")
    assert encoded not in (".", "..")


@pytest.mark.spec("ENC-JSON-2")
def test_a_request_fills_five_names():
    asked = request("q", limit=3, library="l", version="v", repository="o/r")
    assert values(asked) == {"query": "q", "limit": "3", "library": "l", "version": "v", "repository": "o/r"}
