"""Something that others may want to know."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Event:
    """Something worth telling others: ``name`` as in the product page, ``at`` in UTC wall-clock seconds."""

    name: str
    at: float
    correlation: str
    data: Mapping[str, object] = field(default_factory=dict)
