from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.faces.cli.visible import escaped, one_line, visible

DANGEROUS = [
    ("clear \x1b[2J screen", r"clear \x1b[2J screen"),
    ("\x1b]8;;https://evil.example\x07link", r"\x1b]8;;https://evil.example\x07link"),
    ("\x9b31m red", r"\x9b31m red"),
    ("a\x00b\x7f", r"a\x00b\x7f"),
    ("gpj\u202etxt", r"gpj\u202etxt"),
    ("a\u2066b\u2069", r"a\u2066b\u2069"),
    ("zero\u200bwidth\ufeff", r"zero\u200bwidth\ufeff"),
    ("tag\U000e0041", r"tag\U000e0041"),
    ("lone \udc80", r"lone \udc80"),
    ("back\x08space\rreturn", r"back\x08space\rreturn"),
]
HARMLESS = [
    "plain",
    "two\nlines\tand a tab",
    "кириллица 中文 العربية",
    "क्\u200dष",
    "👩\u200d💻",
    "vector<int> [bold]x[/bold]",
    "",
]


@pytest.mark.spec("ENC-CLI-12")
@pytest.mark.parametrize(("text", "shown"), DANGEROUS)
def test_what_would_act_on_a_terminal_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.spec("ENC-CLI-12")
@pytest.mark.parametrize(("text", "shown"), DANGEROUS)
def test_json_holds_it_in_escapes_and_gives_it_back(text: str, shown: str) -> None:
    written = escaped(json.dumps({"a": text}, ensure_ascii=False))
    assert json.loads(written) == {"a": text}
    assert visible(written) == written


@pytest.mark.spec("ENC-CLI-12")
@pytest.mark.parametrize("text", HARMLESS)
def test_json_of_what_is_harmless_stays(text: str) -> None:
    written = json.dumps({"a": text}, ensure_ascii=False)
    assert escaped(written) == written


@pytest.mark.spec("ENC-CLI-12")
@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_harmless_stays(text: str) -> None:
    assert visible(text) == text


@pytest.mark.spec("ENC-CLI-12")
@given(st.text(alphabet=st.characters()))
def test_nothing_dangerous_is_left_in_any_text(text: str) -> None:
    shown = visible(text)
    assert not any(ord(char) < 32 and char not in "\n\t" for char in shown)
    assert not any(0x7F <= ord(char) < 0xA0 or 0x202A <= ord(char) <= 0x202E or 0xD800 <= ord(char) < 0xE000 for char in shown)
    shown.encode("utf-8")


@given(st.text())
def test_one_line_is_one_line(text: str) -> None:
    shown = one_line(text)
    assert shown.splitlines() in ([], [shown])
    assert "  " not in shown
