from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.stages.tokens import clean, compose, plain, quoted, splice, tokenise
from tests.prepared import TEXTS


def words(text: str) -> list[str]:
    return [token.text for token in tokenise(text)]


def free(text: str) -> list[str]:
    return [token.text for token in tokenise(text) if not token.protected]


@pytest.mark.spec("ENC-TOKEN-1")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("kubernetes pod limits", ["kubernetes", "pod", "limits"]),
        ("(pods), limits; what?", ["pods", "limits", "what"]),
        ("auth,cache,queue", ["auth", "cache", "queue"]),
        ("f(a,b) foo() (bar)", ["f(a,b)", "foo()", "bar"]),
        ("see node.js. And .net!", ["see", "node.js", "And", ".net"]),
        ("std:: error:", ["std::", "error"]),
        ("List<string> --foo -x => c++ c#", ["List<string>", "--foo", "-x", "=>", "c++", "c#"]),
        ('"exact phrase" «цитата»', ["exact", "phrase", "цитата"]),
        ("don't", ["don't"]),
        ("??? ... !", []),
        ("", []),
    ],
)
def test_words_without_the_punctuation_around_them(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.spec("ENC-TOKEN-2")
@pytest.mark.parametrize(
    "text",
    [
        *("numpy.asarray", "auth_user", "a/b", "--foo", "a:b", "user@example.org", "#tag", "c++", "c#", "f#", ".net", "x-y"),
        *("3.11", "v2", "k8s", "httpx2", "API", "OAuth", "Title", "numPy", "naïve", "中文", "العربية", "кириллица", "f(x)"),
        *("`word`", '"word"', "'word'", "“word”", "«word»", "„word“", "``word``", '"two words"', "(`code here`)"),
    ],
)
def test_what_carries_a_sign_of_being_meant_is_protected(text: str) -> None:
    assert free(text) == []


@pytest.mark.spec("ENC-TOKEN-2")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pods, limits", ["pods", "limits"]),
        ("don't users' data or rock 'n roll", ["don't", "users", "data", "or", "rock", "n", "roll"]),
        ('open "quote without end', ["open", "quote", "without", "end"]),
        ("one `code` two", ["one", "two"]),
        ("a `b c` d 'e f' g", ["a", "d", "g"]),
        ("I said so", ["I", "said", "so"]),
    ],
)
def test_plain_words_are_free(text: str, expected: list[str]) -> None:
    assert free(text) == expected


@pytest.mark.spec("ENC-TOKEN-1")
@given(TEXTS)
def test_offsets_are_true_and_in_order(text: str) -> None:
    end = 0
    for token in tokenise(text):
        assert token.text == text[token.start : token.end] != ""
        assert end <= token.start
        assert not any(char.isspace() for char in token.text)
        end = token.end


@pytest.mark.spec("ENC-TOKEN-1")
@given(TEXTS)
def test_nothing_but_punctuation_is_left_out(text: str) -> None:
    kept = bytearray(len(text))
    for token in tokenise(text):
        kept[token.start : token.end] = b"\1" * len(token.text)
    assert not any(char.isalnum() for char, inside in zip(text, kept, strict=True) if not inside)


@pytest.mark.spec("ENC-TOKEN-2")
@given(TEXTS)
def test_a_free_word_is_of_ascii_letters_and_outside_quotes(text: str) -> None:
    within = quoted(text)
    for token in tokenise(text):
        if not token.protected:
            assert not any(within[token.start : token.end])
            assert plain(token.text.replace("'", "")) or (len(token.text) == 1 and token.text.isascii())


@pytest.mark.spec("ENC-TOKEN-3")
@pytest.mark.parametrize(
    ("dirty", "shown"),
    [
        ("a\x00b", "ab"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("abc\u202edef\u202c", "abcdef"),
        ("\u2066a\u2069\u200b\ufeff\xad", "a"),
        ("x\ud800y", "xy"),
        ("t\U000e0041\U000e0042", "t"),
        ("\x9b31m", "31m"),
        ("می\u200cخواهم 👩\u200d💻", "می\u200cخواهم 👩\u200d💻"),
        ("a\tb\nc", "a\tb\nc"),
        ("plain", "plain"),
    ],
)
def test_what_is_not_seen_is_removed(dirty: str, shown: str) -> None:
    assert clean(dirty) == (shown, dirty != shown)


@pytest.mark.spec("ENC-TOKEN-3")
@given(st.text(alphabet=st.characters()))
def test_cleaned_text_can_be_encoded_and_is_stable(text: str) -> None:
    shown, _ = clean(text)
    shown.encode()
    assert "\x1b" not in shown
    assert clean(shown) == (shown, False)


def test_composed_form() -> None:
    assert compose("e\u0301") == "é"
    assert compose("plain") == "plain"


@pytest.mark.spec("ENC-TOKEN-4")
def test_insertions_go_after_the_first_free_token_of_a_word() -> None:
    text = '"limts" limts and limts, ok'
    spliced = splice(text, tokenise(text), {"limts": "limits", "absent": "x"}, lambda word: f"({word})")
    assert spliced == '"limts" limts(limits) and limts, ok'


@pytest.mark.parametrize("text", ["`" * 20_000, '"' * 20_000, "'a " * 7_000, "“" * 20_000, "(" * 20_000, "\x1b]" * 10_000])
def test_hostile_text_is_read_in_one_pass(text: str) -> None:
    # A pattern that ran twice over these would take minutes.
    assert len(tokenise(text)) <= len(text)
    assert len(clean(text)[0]) <= len(text)
