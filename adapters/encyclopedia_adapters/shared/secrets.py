"""Finds credentials in text by their shape: keys, tokens, passwords that are given a value."""

from __future__ import annotations

import re
from functools import cache
from math import log2
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOKENS = {
    r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b": ("AKIA", "ASIA", "ABIA", "ACCA"),
    r"\bgh[pousr]_[A-Za-z0-9]{36,255}\b": ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    r"\bgithub_pat_\w{60,255}\b": ("github_pat_",),
    r"\bglpat-[\w-]{20,255}": ("glpat-",),
    r"\bxox[abeoprs]-[A-Za-z0-9-]{20,255}": ("xox",),
    r"hooks\.slack\.com/services/T\w{6,40}/B\w{6,40}/\w{16,80}": ("hooks.slack.com/services/",),
    r"\bAIza[\w-]{35}": ("AIza",),
    r"\bGOCSPX-[\w-]{28}": ("GOCSPX-",),
    r"\b[rs]k_live_[A-Za-z0-9]{20,255}": ("sk_live_", "rk_live_"),
    r"\bnpm_[A-Za-z0-9]{36}\b": ("npm_",),
    r"\bpypi-AgE[\w-]{50,500}": ("pypi-AgE",),
    r"\bhf_[A-Za-z0-9]{30,60}\b": ("hf_",),
    r"\bSG\.[\w-]{20,30}\.[\w-]{40,50}": ("SG.",),
    r"\beyJ[\w-]{10,4000}\.eyJ[\w-]{10,8000}\.[\w-]{20,2000}": ("eyJ",),
    r"\bsk-(?=[\w-]{0,80}\d)(?=[\w-]{0,80}[A-Z])[\w-]{24,255}": ("sk-",),
}
_KEYS = ("api", "access", "private", "auth", "signing", "encryption")
_NAMES = (
    *("passw", "passphrase", "pwd", "secret", "token"),
    *(f"{kind}{joint}key" for kind in _KEYS for joint in ("", "_", "-", " ")),
)
_GIVEN = (
    r"[\w-]{0,20}[\"'`*]{0,3}[ \t]{0,9}(?::=|=>|[:=|]|is\b)[ \t]{0,9}[\"'`*]{0,3}"
    r"(?P<value>[^\s\"'`,;<>(){}\[\]$|]{8,200}+)(?!\()"
)
_ADDRESS = r"://[^\s/:@\"'`<>]{1,100}:(?P<value>[^\s/@\"'`<>]{6,200})@[\w.-]"
_KEY = r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
_HARMLESS = re.compile(
    r"example|sample|dummy|placeholder|change.?me|your|redacted|fake|x{4}|\*{3}|\.{3}|…|12345678|password|passwd|secret|env\b|os\.",
    re.IGNORECASE,
)
_BASE64 = re.compile(r"[A-Za-z0-9+/=]{32,}")
_KEY_LINES = 200
_DENSE = 3.0
"""Bits a character (Shannon) that a password has at least; words and repetitions have fewer."""


class _Shape(NamedTuple):
    """A pattern, and the texts with one of which whatever fits it begins: a search for these is fifty times faster."""

    begins: tuple[str, ...]
    pattern: re.Pattern[str]
    any_case: bool = False


@cache
def _shapes() -> tuple[_Shape, ...]:
    tokens = (_Shape(begins, re.compile(pattern)) for pattern, begins in _TOKENS.items())
    names = re.compile(f"(?:{'|'.join(_NAMES)}){_GIVEN}", re.IGNORECASE)
    return (*tokens, _Shape(("://",), re.compile(_ADDRESS)), _Shape(_NAMES, names, any_case=True))


@cache
def _key() -> re.Pattern[str]:
    return re.compile(_KEY)


def secret_lines(text: str) -> set[int]:
    """The lines (from 0) that hold part of a credential."""
    found = {text.count("\n", 0, start) for start in _starts(text)}
    for match in _key().finditer(text) if "PRIVATE KEY" in text else ():
        first = text.count("\n", 0, match.start())
        found.update(range(first, first + _key_length(text, match.end())))
    return found


def _starts(text: str) -> Iterator[int]:
    lower = text.lower()
    lower = lower if len(lower) == len(text) else "".join(char.lower()[:1] for char in text)
    for shape in _shapes():
        whole = lower if shape.any_case else text
        for begin in shape.begins:
            at = whole.find(begin)
            while at >= 0:
                if (match := shape.pattern.match(text, at)) and _is_secret(match):
                    yield at
                at = whole.find(begin, at + 1)


def _is_secret(match: re.Match[str]) -> bool:
    value = match.groupdict().get("value")
    if value is None:
        return not _HARMLESS.search(match[0])
    mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return mixed and entropy(value) >= _DENSE and not _HARMLESS.search(value)


def _key_length(text: str, start: int) -> int:
    """How many lines a key takes, its first one included; 0 if it is only spoken of."""
    lines = text[start : start + 100 * _KEY_LINES].split("\n")[1 : _KEY_LINES + 1]
    if not any(_BASE64.search(line) for line in lines[:5]):
        return 0
    end = next((at for at, line in enumerate(lines, 1) if "-----END" in line), None)
    return 1 + (end if end is not None else len(lines))


def entropy(text: str) -> float:
    """Bits for each character, by how often each occurs in the text (Shannon)."""
    counts = [text.count(char) for char in set(text)]
    return -sum(count / len(text) * log2(count / len(text)) for count in counts)
