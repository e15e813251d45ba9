"""Paths that can be printed, bytes that are text, and what a forge's API gives of a file."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia_adapters.code.forge import MAX_FILE, base64_text, one_repository
from encyclopedia_adapters.code.git_files import decode, shown
from encyclopedia_adapters.code.github_file import file_hit, file_place


@pytest.mark.spec("ENC-GIT-6")
@pytest.mark.parametrize(
    ("raw", "path"),
    [
        (b"src/a b.py", "src/a b.py"),
        ("größe/中文.md".encode(), "größe/中文.md"),
        (b"caf\xe9", "caf\\xe9"),
        (b"a\tb\nc", "a\\tb\\nc"),
        (b"\x1b[31m", "\\x1b[31m"),
        ("a\u202eb\u200b".encode(), "a\\u202eb\\u200b"),
        (b"", ""),
    ],
)
def test_a_path_can_be_printed(raw, path):
    assert shown(raw) == path


@pytest.mark.spec("ENC-GIT-6")
@given(st.binary(max_size=50))
def test_any_path_can_be_printed(raw):
    assert shown(raw).isprintable()


@pytest.mark.spec("ENC-GIT-6")
@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"a\r\nb\rc\n", "a\nb\nc\n"),
        (b"\xef\xbb\xbfa", "a"),
        (b"caf\xe9", "caf\ufffd"),
        (b"a\0b", None),
        (b"x" * 6000, None),
        (b"x" * 4000, "x" * 4000),
        (b"word " * 40 + b"\n", "word " * 40 + "\n"),
        (b"", ""),
    ],
)
def test_what_is_text(raw, text):
    assert decode(raw) == text


@pytest.mark.spec("ENC-GITHUB-2")
@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({"encoding": "base64", "content": base64.encodebytes(b"a\r\nb" * 40).decode()}, "a\nb" * 40),
        ({"encoding": "base64", "content": ""}, ""),
        ({"encoding": "none", "content": "YQ=="}, ""),
        ({"encoding": "base64", "content": "YQ=" + "é"}, ""),
        ({"encoding": "base64", "content": "AAAA"}, ""),
        ({"encoding": "base64", "content": None}, ""),
        ({"encoding": "base64", "content": "Y" * (2 * MAX_FILE + 1)}, ""),
        ([], ""),
        (None, ""),
    ],
)
def test_a_file_in_base64_becomes_text_or_nothing(data, text):
    assert base64_text(data) == text


@pytest.mark.spec("ENC-GITHUB-3")
@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("acme/webkit", "acme/webkit"),
        ("acme/.github", "acme/.github"),
        ("acme", ""),
        ("", ""),
        ("a/../b", ""),
        ("a/b?c", ""),
        ("a/b#c", ""),
        ("https://github.com/a/b", ""),
        ("äcme/webkit", ""),
    ],
)
def test_what_may_stand_in_an_address(name, found):
    assert one_repository(name) == found


def item(**more):
    return {
        "path": "src/a b.py",
        "html_url": f"https://github.com/acme/kit/blob/{'a' * 40}/src/a%20b.py",
        "repository": {"full_name": "acme/kit"},
        **more,
    }


@pytest.mark.spec("ENC-GITHUB-2")
@pytest.mark.parametrize(
    ("more", "path"),
    [
        ({}, f"/repos/acme/kit/contents/src/a%20b.py?ref={'a' * 40}"),
        ({"html_url": None}, "/repos/acme/kit/contents/src/a%20b.py"),
        ({"html_url": "https://github.com/acme/kit/blob/main&x=1/a.py"}, "/repos/acme/kit/contents/src/a%20b.py"),
        ({"path": "a?ref=x#y"}, f"/repos/acme/kit/contents/a%3Fref%3Dx%23y?ref={'a' * 40}"),
        ({"repository": None}, ""),
        ({"repository": {"full_name": "acme/kit/../../user"}}, ""),
        ({"path": ["a"] * 3}, f"/repos/acme/kit/contents/a%2C%20a%2C%20a?ref={'a' * 40}"),
        ({"path": 7}, f"/repos/acme/kit/contents/7?ref={'a' * 40}"),
        ({"path": None}, ""),
    ],
)
def test_where_a_found_file_is_read(more, path):
    assert file_place(item(**more)) == path


@pytest.mark.spec("ENC-GITHUB-2")
@pytest.mark.parametrize(
    "matches", [None, "x", [], [1], [{"property": "path", "fragment": "src"}], [{"property": "content", "fragment": " "}]]
)
def test_a_file_without_fragments_is_still_a_hit(matches):
    hit = file_hit(item(text_matches=matches), "whole file")
    assert (hit.title, hit.content) == ("acme/kit > src/a b.py", "")
    assert "#" not in hit.url
