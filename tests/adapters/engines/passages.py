"""Passages for the tests of engines."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.shared.text_index import Match, Passage

if TYPE_CHECKING:
    from encyclopedia_adapters.engines.opening import Index

WORDS = [
    "river",
    "bridge",
    "stone",
    "water",
    "market",
    "winter",
    "garden",
    "letter",
    "window",
    "mountain",
    "paper",
    "silver",
    "engine",
    "signal",
    "harbour",
    "forest",
    "lantern",
    "copper",
    "journey",
    "shadow",
    "thunder",
    "village",
    "feather",
    "mirror",
    "compass",
    "anchor",
    "meadow",
    "orchard",
    "pepper",
    "saddle",
    "timber",
    "velvet",
    "whisper",
]


def passage(id: str, body: str, **more: Any) -> Passage:
    more = {"title": "", **more}
    return Passage(id=id, document=more.pop("document", id), body=body, **more)


def fill(index: Index, *passages: Passage, state: str = "s") -> None:
    with index.update() as writer:
        for each in passages:
            writer.put(each.document, [each], state)


def ids(matches: Iterable[Match]) -> list[str]:
    return [match.id for match in matches]


def library(size: int, seed: int = 3) -> list[Passage]:
    """Passages of words that are rare and common as in a language, in two kinds."""
    chance = random.Random(seed)
    weights = [1 / rank for rank in range(1, len(WORDS) + 1)]
    return [
        passage(
            f"d{number:04}",
            " ".join(chance.choices(WORDS, weights, k=chance.randint(10, 60))),
            title=" ".join(chance.choices(WORDS, k=2)),
            tags=("even" if number % 2 == 0 else "odd",),
        )
        for number in range(size)
    ]


PETS = (
    passage("cat", "The cat sleeps on the warm stove.", title="Cats", tags=("animal", "home")),
    passage("dog", "The dog chases the cat around the house.", title="Dogs", tags=("animal",), also="hound"),
    passage("oak", "An oak grows for three hundred years.", title="Trees", tags=("plant",), data={"lines": [1, 2]}),
)
