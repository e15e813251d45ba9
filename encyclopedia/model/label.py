"""How sensitive a text is: who may see it, and where it may be kept."""

from __future__ import annotations

from enum import IntEnum


class Label(IntEnum):
    """Public < internal < personal < secret; of several labels the highest holds, and none is ever lowered."""

    PUBLIC = 0
    INTERNAL = 1
    PERSONAL = 2
    SECRET = 3

    def __str__(self) -> str:
        """The name by which people and files call it."""
        return self.name.lower()


NAMES = tuple(str(label) for label in Label)


def named(name: str) -> Label | None:
    """The label of that name, in any case of letters; ``None`` if there is none."""
    return Label.__members__.get(name.strip().upper())
