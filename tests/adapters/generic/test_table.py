"""The parts of a table that programs and servers share."""

import pytest

from encyclopedia.model.errors import ConfigurationError
from encyclopedia_adapters.generic.table import TableReader


@pytest.mark.spec("ENC-ANSWER-3")
@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ()),
        ("Rate Limit|429", (("rate limit",), ("429",))),
        ("rate.*limit", (("rate", "limit"),)),
        (" a | b ", (("a",), ("b",))),
    ],
)
def test_limited_takes_words_alternatives_and_gaps(text, parts):
    assert TableReader("x", {"limited": text}).limited() == parts


@pytest.mark.spec("ENC-ANSWER-3")
@pytest.mark.parametrize("text", ["(a+)+$", r"\d+", "[ab]", "a||b", ".*", "a?"])
def test_what_could_make_looking_slow_is_refused(text):
    with pytest.raises(ConfigurationError, match="limited"):
        TableReader("x", {"limited": text}).limited()


@pytest.mark.spec("ENC-COMMAND-8")
def test_a_home_folder_is_filled_in_and_nothing_else(monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    assert TableReader("x", {"command": ["~/bin/p", "~", "$HOME"]}).command() == ("/home/me/bin/p", "~", "$HOME")
