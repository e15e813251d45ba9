"""What is asked of a knowledge catalog."""

from __future__ import annotations

from typing import NamedTuple

SCORINGS = ("default", "classic")
FLOOR = 18
"""The additive score below which the best catalog match is weak, and the bodies are read too."""


class TopicLoad(NamedTuple):
    """A topic, and how its entities are to be found.

    ``n`` entities match at most; ``terms`` are words that count like those of the topic; ``expand`` adds at most ``n``
    neighbours of what matches. ``explain`` adds the traces of the scores, ``bodies`` the text of the pages. ``scoring`` is one
    of ``SCORINGS``; ``body_search`` and ``tier2_floor`` say when its classic form reads the bodies.
    """

    topic: str
    n: int = 10
    type: str = ""
    terms: tuple[str, ...] = ()
    expand: int = 0
    explain: bool = False
    body_search: bool = False
    tier2_floor: int = FLOOR
    scoring: str = "default"
    bodies: bool = True
