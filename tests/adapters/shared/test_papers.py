import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia_adapters.shared.papers import citation, date_of_parts, doi_url, members

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
    lambda v: st.lists(v) | st.dictionaries(st.text(), v),
)


@pytest.mark.spec("ENC-PAPER-1")
@pytest.mark.parametrize(
    ("doi", "url"),
    [
        ("10.5555/abc", "https://doi.org/10.5555/abc"),
        ("https://doi.org/10.5555/abc", "https://doi.org/10.5555/abc"),
        ("http://dx.doi.org/10.5555/abc", "https://doi.org/10.5555/abc"),
        ("doi: 10.5555/abc", "https://doi.org/10.5555/abc"),
        ("10.1000.10/123", "https://doi.org/10.1000.10/123"),
        ("10.5555/a?b#c%d", "https://doi.org/10.5555/a%3Fb%23c%25d"),
        ("10.5555/a b", ""),
        ("https://example.org/10.5555/abc", ""),
        ("", ""),
        (None, ""),
        (3, ""),
    ],
)
def test_a_doi_becomes_its_address(doi, url):
    assert doi_url(doi) == url


@pytest.mark.spec("ENC-PAPER-2")
@pytest.mark.parametrize(
    ("parts", "found"),
    [
        ({"date-parts": [[2026, 1, 2]]}, ("2026-01-02", "2026")),
        ({"date-parts": [[2026, 1]]}, ("", "2026")),
        ({"date-parts": [[2026]]}, ("", "2026")),
        ({"date-parts": [[None]]}, ("", "")),
        ({"date-parts": []}, ("", "")),
        ({"date-parts": [[10**9, 1, 1]]}, ("", "")),
        (None, ("", "")),
        ([2026], ("", "")),
    ],
)
def test_only_a_whole_date_is_one(parts, found):
    assert date_of_parts(parts) == found


@pytest.mark.spec("ENC-PAPER-2")
@pytest.mark.parametrize(
    ("authors", "more", "line"),
    [
        (["A"], ("J", 2026), "A, J, 2026"),
        (["A", "B", "C"], ("", None), "A, B, C"),
        (["A", "B", "C", "D"], ("", ""), "A, B, C and 1 more"),
        ([None, " "], ("J", ""), "J"),
        ([], ("", ""), ""),
    ],
)
def test_who_wrote_it_is_one_line(authors, more, line):
    assert citation(authors, *more) == line


@pytest.mark.spec("ENC-PAPER-2")
@given(JSON)
def test_any_value_is_taken(value):
    assert isinstance(doi_url(value), str)
    assert isinstance(citation(members(value, "name"), value, value), str)
    assert len(date_of_parts(value)) == 2
