"""What may be asked of a graph: texts, names and numbers within their bounds. All raise ``UsageError``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence


def asked(text: object, name: str) -> str:
    """A text with something in it; what is far too long is cut."""
    if not isinstance(text, str) or not text.strip():
        raise UsageError(f"{name} is empty", "say in some words what you look for")
    return text[:20_000].encode("utf-8", "replace").decode()


def ids(names: Sequence[str], what: str) -> list[str]:
    """Each name once."""
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise UsageError(f"{what} is no list of ids", "give a list of texts")
    return list(dict.fromkeys(names))


def between(name: str, value: int, least: int, most: int) -> int:
    """A whole number within its bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise UsageError(f"{name} cannot be {value!r}", f"it takes a whole number from {least} to {most}")
    return value


def share(name: str, value: float) -> float:
    """A number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise UsageError(f"{name} cannot be {value!r}", "it takes a number from 0 to 1")
    return float(value)
