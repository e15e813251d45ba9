"""When two addresses, places or texts are one page."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encyclopedia.model.outcome import Hit, Locator
from encyclopedia.stages.canonical import canonical_url, clean_url, page_key, plain_text

FIXTURE = Path(__file__).parents[2] / "fixtures" / "canonical.txt"
ROWS = [
    tuple(part.strip() for part in line.split(" | "))
    for line in FIXTURE.read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]

WORDS = """
http:// https:// // www. m. .m. amp. /amp/ s/ google.com a.cdn.ampproject.org /c/ index.html ? & = utm_x=1 %75 %2F % + # #! #/
amp amp=1 @ :80 :443 . / é ß arxiv.org /abs/2101.00001 v2 doi.org/10.48550/arXiv.2101.00001 github.com raw.githubusercontent.com
/A/B /blob/ refs/heads/ a B 1 [::1] xn-- 。 x
"""
PIECES = st.sampled_from([*WORDS.split(), " ", "\x00", "\u2028", "\ud800"])
ADDRESSES = st.one_of(
    st.lists(PIECES, max_size=12).map("".join),
    st.lists(PIECES, max_size=10).map(lambda parts: "https://" + "".join(parts)),
    st.text().map(lambda text: "https://" + text),
    st.text(),
)


def test_the_table_is_whole():
    assert len(ROWS) >= 60
    assert {row[0] for row in ROWS} == {"same", "other"}


@pytest.mark.spec("ENC-CANON-1")
@pytest.mark.parametrize(("verdict", "one", "other"), ROWS)
def test_pairs_of_addresses_meet_or_stay_apart(verdict, one, other):
    assert (canonical_url(one) == canonical_url(other)) == (verdict == "same")


@pytest.mark.spec("ENC-CANON-2")
@settings(max_examples=400)
@given(ADDRESSES)
def test_any_string_is_taken_and_the_form_is_its_own(address):
    form = canonical_url(address)
    assert canonical_url(form) == form
    assert isinstance(clean_url(address), str)


@pytest.mark.spec("ENC-CANON-2")
@settings(max_examples=200)
@given(st.lists(PIECES.filter(lambda piece: "//" not in piece), min_size=1, max_size=8).map("".join))
def test_the_short_way_for_plain_addresses_agrees_with_the_long_one(rest):
    # with a space before it an address is never plain, so that both ways are compared
    assert canonical_url("https://" + rest) == canonical_url(" https://" + rest)


def test_an_address_longer_than_any_real_one_is_left_alone():
    address = "https://www.google.com/amp/s/" * 5000
    assert canonical_url(address) == address


def test_what_is_no_web_address_is_left_alone():
    for address in ("file:///home/a", "urn:isbn:1", "doi:10.1/x", "example.com/a", "", "https://"):
        assert canonical_url(f" {address} ") == address


@pytest.mark.spec("ENC-CANON-3")
@pytest.mark.parametrize(
    ("given_url", "shown"),
    [
        ("http://www.Example.com/A/?utm_source=x&b=2&a=1#part", "https://www.Example.com/A/?b=2&a=1#part"),
        ("http://example.com:80/", "https://example.com/"),
        ("http://example.com:8080/a?fbclid=1", "http://example.com:8080/a"),
        ("https://example.com/a#x", "https://example.com/a#x"),
        ("https://example.com/a?gclid=1#x", "https://example.com/a#x"),
        ("file:///a?utm_source=x", "file:///a?utm_source=x"),
        ("", ""),
    ],
)
def test_a_clean_address_has_https_and_no_trackers_and_is_else_as_given(given_url, shown):
    assert clean_url(given_url) == shown


@pytest.mark.spec("ENC-CANON-4")
def test_a_page_is_known_by_name_else_address_else_place_else_text():
    place = Locator("notes", "a.md", "Top", (1, 3))
    assert page_key(Hit("t", "https://a.org/x", page="x"), "s") == "page:s:x@"
    assert page_key(Hit("t", "http://www.a.org/x/", locator=place)) == "url:https://a.org/x@"
    assert page_key(Hit("t", locator=place)) == page_key(Hit("u", locator=Locator("notes", "a.md", "Other")))
    assert page_key(Hit("t", locator=place)) != page_key(Hit("t", locator=Locator("other", "a.md", "Top", (1, 3))))
    assert page_key(Hit("A  title", content="Same\ntext")) == page_key(Hit("a title", content="same text"))
    assert page_key(Hit("A", content="one")) != page_key(Hit("A", content="two"))


def test_names_of_pages_belong_to_their_source():
    hit = Hit("t", page="1")
    assert page_key(hit, "a") != page_key(hit, "b")


@pytest.mark.spec("ENC-CANON-4")
def test_versions_are_different_pages():
    for one, other in [
        (Hit("t", "https://a.org/x", version="1"), Hit("t", "https://a.org/x", version="2")),
        (Hit("t", page="x", version="1"), Hit("t", page="x", version="2")),
        (Hit("t", content="c", version="1"), Hit("t", content="c", version="2")),
        (Hit("t", locator=Locator("c", "p"), version="1"), Hit("t", locator=Locator("c", "p"), version="2")),
    ]:
        assert page_key(one) != page_key(other)


def test_plain_text_folds_case_space_forms_and_quotes():
    assert plain_text("  “ﬁne”\tLine\n ") == '"fine" line'
    assert plain_text("don’t") == "don't"
    assert plain_text("x != y") != plain_text("x == y")
