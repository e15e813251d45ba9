from __future__ import annotations

import jmespath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia_adapters.generic.paths import Paths
from encyclopedia_adapters.shared.sanitize import clean_url

WORDS = st.text(alphabet="abc <&", max_size=8)
ELEMENT = st.dictionaries(
    st.sampled_from(["title", "url", "content", "other"]), WORDS | st.none() | st.lists(WORDS, max_size=2), max_size=4
)


@pytest.mark.spec("ENC-JSON-4")
@given(st.lists(ELEMENT, max_size=6))
def test_a_plain_name_finds_what_the_same_path_in_quotes_finds(elements: list[dict[str, object]]) -> None:
    data = {"results": elements}
    plain = {"title": "title", "url": "url", "content": "content"}
    quoted = {name: f'"{path}"' for name, path in plain.items()}
    assert jmespath.search("results[]", data) == elements
    short, long = Paths("x", "results", plain, "text"), Paths("x", '"results"', quoted, "text")
    assert short.hits(data, 10) == long.hits(data, 10)
    assert bool(short.note(data)) == bool(long.note(data))


@pytest.mark.spec("ENC-JSON-4")
@pytest.mark.parametrize(
    ("given_url", "clean"),
    [
        ("https://example.org/a?b=c#d", "https://example.org/a?b=c#d"),
        ("https://example.org:8080", "https://example.org:8080"),
        ("https://example.org:80800/", ""),
        ("https://user:key@example.org/", "https://example.org/"),
        ("https://example.org/a b", "https://example.org/a%20b"),
        ('https://example.org/"<x>', "https://example.org/%22%3Cx%3E"),
        ("https://exa\u202emple.org/", "https://example.org/"),
        ("https:///path", ""),
        ("javascript:alert(1)//https://example.org", ""),
        ("https://example.org/" + "a" * 3000, ""),
    ],
)
def test_the_short_way_of_an_address_cleans_as_the_long_one(given_url: str, clean: str) -> None:
    assert clean_url(given_url) == clean
