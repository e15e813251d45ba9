"""The nearest known name to one that is not known."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

ALIKE = 0.6
"""The least likeness (Ratcliff and Obershelp, 0 to 1) at which a name can be a slip of the pen for another."""
MOST_NAMES = 20


def nearest(name: str, known: Iterable[str]) -> str:
    """A remedy: the nearest of ``known``, or what there is where none is near. Leading dashes count for nothing."""
    names = sorted(known)
    if close := closest(name, names):
        return f"did you mean {close}?"
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"known: {', '.join(names[:MOST_NAMES])}{more}" if names else "there are none"


def closest(name: str, known: Iterable[str]) -> str:
    """The one of ``known`` that is most like ``name``, in any case of letters; empty if none is near."""
    from difflib import get_close_matches

    bare = {each.lstrip("-").lower(): each for each in sorted(known, reverse=True)}
    given = name.lstrip("-").lower()
    close = get_close_matches(given, bare, n=1, cutoff=ALIKE) or [each for each in bare if _is_part(given, each)]
    return bare[close[0]] if close else ""


def _is_part(given: str, whole: str) -> bool:
    """Whether it is one of the words of a name: ``docs`` of ``library_docs``."""
    return given in whole.replace("-", "_").replace(".", "_").split("_")
