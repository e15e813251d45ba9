import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encyclopedia.model.errors import Garbled
from encyclopedia_adapters.shared.body import decode, encode, is_json_type, is_type, parse_json, read_capped


def body(*parts):
    reader = asyncio.StreamReader()
    for part in parts:
        reader.feed_data(part)
    reader.feed_eof()
    return reader


class Endless:
    async def read(self, n):
        return b"x" * min(n, 1000)


@pytest.mark.spec("ENC-BODY-1")
async def test_reading_stops_at_the_limit():
    assert await read_capped(body(b"ab", b"cd"), 4) == (b"abcd", True)
    assert await read_capped(body(b"ab", b"cde"), 4) == (b"abcd", False)
    raw, whole = await read_capped(Endless(), 2500)
    assert (len(raw), whole) == (2500, False)


@pytest.mark.spec("ENC-BODY-2")
@pytest.mark.parametrize(
    "type",
    [
        "application/json",
        "application/json; charset=utf-8",
        "application/problem+json",
        "text/json",
        "application/x-javascript",
        "text/javascript",
        "Application/JSON",
        "application/vnd.api+json",
        "application/x-suggestions+json",
        "",
    ],
)
def test_these_types_promise_json(type):
    assert is_json_type(type)


@pytest.mark.spec("ENC-BODY-2")
@pytest.mark.parametrize(
    "type", ["text/html", "text/plain", "application/octet-stream", "application/xml", "application/jsonp"]
)
def test_these_do_not(type):
    assert not is_json_type(type)


@pytest.mark.spec("ENC-BODY-3")
@pytest.mark.parametrize(
    ("raw", "charset", "text"),
    [
        ("é".encode(), None, "é"),
        ("é".encode("latin-1"), "iso-8859-1", "é"),
        ("é".encode("latin-1"), None, "\ufffd"),
        ("é".encode("cp1252"), "windows-1252", "é"),
        ("中".encode("gb18030"), "gb18030", "中"),
        ("é".encode("utf-8-sig"), "utf-8", "é"),
        ('{"a": 1}'.encode("utf-16"), None, '{"a": 1}'),
        (b"ab", "nonsense", "ab"),
        (b"ab", "utf-99", "ab"),
        (b"ab", "zlib", "ab"),
        (b"\\u0041", "unicode_escape", "\\u0041"),
        (b"", None, ""),
    ],
)
def test_text_is_read_in_its_charset_or_by_what_it_shows(raw, charset, text):
    assert decode(raw, charset) == text


@pytest.mark.spec("ENC-BODY-4")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "<html>",
        "{",
        "nonsense",
        '{"a": NaN}',
        "[Infinity]",
        "[-Infinity]",
        "[" * 100000,
        "[" * 100 + "]" * 100,
        "{}{}",
        "1" * 5000,
        json.dumps([0] * 250000),
    ],
)
def test_what_is_not_reasonable_json_is_garbled(text):
    with pytest.raises(Garbled, match=r"^example.org answered"):
        parse_json("example.org", text)


@pytest.mark.spec("ENC-BODY-4")
@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_json_comes_through_as_it_is(value):
    assert parse_json("example.org", json.dumps(value)) == value


@pytest.mark.spec("ENC-BODY-2")
def test_other_types_pass_where_they_are_asked_for():
    media = ("application/atom+xml", "text/xml")
    assert is_type("Application/Atom+XML; charset=UTF-8", media)
    assert is_type("", media)
    assert not is_type("application/json", media)
    assert not is_type("text/html", media)


@pytest.mark.spec("ENC-BODY-5")
@pytest.mark.parametrize(
    ("value", "written"),
    [
        ({"q": "ü 中 😀"}, '{"q": "ü 中 😀"}'),
        ({"q": "a\ud800b"}, '{"q": "a?b"}'),
        ({"n": 1, "l": [True, None]}, '{"n": 1, "l": [true, null]}'),
    ],
)
def test_json_is_written_in_utf8_without_lone_surrogates(value, written):
    assert encode(value).decode() == written
