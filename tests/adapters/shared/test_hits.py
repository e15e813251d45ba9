import pytest

from encyclopedia.model.outcome import Hit
from encyclopedia_adapters.shared.hits import as_text, clean_date, clean_hit


@pytest.mark.spec("ENC-HIT-1")
@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        ("a", "a"),
        (3, "3"),
        (2.5, "2.5"),
        (True, "true"),
        (["a", 1, None, "b"], "a, 1, b"),
        ([], ""),
        ({"a": 1}, ""),
        (float("inf"), ""),
        (float("nan"), ""),
        (10**400, str(10**400)),
        ([["deep"], "a"], "a"),
        (["x"] * 1000, ", ".join(["x"] * 50)),
    ],
)
def test_any_value_becomes_text_or_nothing(value, text):
    assert as_text(value) == text


@pytest.mark.spec("ENC-HIT-2")
@pytest.mark.parametrize(
    ("value", "date"),
    [
        ("2026-01-02", "2026-01-02"),
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"),
        (" 2026-01-02 ", "2026-01-02"),
        ("Fri, 02 Jan 2026 03:04:05 GMT", "2026-01-02T03:04:05+00:00"),
        (1767225600, "2026-01-01T00:00:00+00:00"),
        (1767225600000, "2026-01-01T00:00:00+00:00"),
        ("1767225600", "2026-01-01T00:00:00+00:00"),
        ("three days ago", ""),
        (None, ""),
        (True, ""),
        (-1, ""),
        (1e300, ""),
        (10**400, ""),
        (float("nan"), ""),
        ("2026", ""),
        ({}, ""),
        ("", ""),
        ("9" * 30, ""),
    ],
)
def test_dates_are_iso_or_none(value, date):
    assert clean_date(value) == date


@pytest.mark.spec("ENC-HIT-3")
def test_every_field_is_cleaned():
    raw = Hit(
        "a\nb\x1b[31m", "https://u:p@example.org/x", "c\u202ed", published="yesterday", version="1\x00", id="i\n", page="p"
    )
    assert clean_hit(raw) == Hit("a b", "https://example.org/x", "cd", version="1", id="i", page="p")


@pytest.mark.spec("ENC-HIT-3")
def test_a_hit_needs_a_title_or_a_content():
    assert clean_hit(Hit("", "https://example.org", "")) is None
    assert clean_hit(Hit("\x00", "", " ")) is None
    assert clean_hit(Hit("", "https://example.org/x", "text")) == Hit("https://example.org/x", "https://example.org/x", "text")
    assert clean_hit(Hit("", "", "text")) == Hit("text", "", "text")


@pytest.mark.spec("ENC-HIT-4")
def test_markup_is_taken_away_where_the_source_says_or_shows_it():
    raw = Hit("<b>T</b> &amp; x", "", "see <em>it</em> &amp; more")
    assert clean_hit(raw) == raw
    assert clean_hit(raw, markup="html") == Hit("T & x", "", "see it & more")
    assert clean_hit(raw, markup="guess") == Hit("T & x", "", "see it & more")
    plain = Hit("vector<int>", "", "a<b &amp; c>d")
    assert clean_hit(plain, markup="guess") == plain
