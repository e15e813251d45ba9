"""Slips of the pen: a word that nobody knows, one letter away from a word that all know."""

from __future__ import annotations

from string import ascii_lowercase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from encyclopedia.model.wording import Wording

TYPO = 6
"""Letters from which on a word may be a misspelt one."""


def near(a: str, b: str) -> bool:
    """Whether one letter more, less, other, or two that changed places make ``b`` of ``a``."""
    if abs(len(a) - len(b)) > 1:
        return False
    start = next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    a, b = a[start:], b[start:]
    return a[1:] == b or a == b[1:] or a[1:] == b[1:] or (a[:2] == b[:2][::-1] and a[2:] == b[2:])


def knows(word: str, wording: Wording) -> bool:
    """Whether the word, or what it is a form of, is spelt rightly."""
    forms = (word, word[:-1], word[:-2], word[:-3], f"{word[:-3]}e") if len(word) >= TYPO else (word,)
    return any(form in wording.known for form in forms)


def spelt(word: str, wording: Wording) -> str:
    """The one known word that a long unknown one is a slip away from; else the word itself."""
    if len(word) < TYPO or knows(word, wording) or not (word.isascii() and word.isalpha()):
        return word
    slips = set(_neighbours(word))
    found = slips & wording.known or {other for other in slips if knows(other, wording)}
    return found.pop() if len(found) == 1 else word


def _neighbours(word: str) -> Iterator[str]:
    """All words with the same first letter that are one slip away."""
    for at in range(1, len(word) + 1):
        head, tail = word[:at], word[at:]
        yield head + tail[1:]
        yield head + tail[1:2] + tail[:1] + tail[2:]
        for letter in ascii_lowercase:
            yield head + letter + tail
            yield head + letter + tail[1:]
