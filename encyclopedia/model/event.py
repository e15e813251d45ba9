"""Something that others may want to know."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Event(NamedTuple):
    """Something worth telling others: ``at`` in UTC wall-clock seconds, ``id`` its own, ``correlation`` that of the search.

    Names: ``encyclopedia.search.started`` and ``.completed``, ``encyclopedia.cache.hit`` and ``.miss``,
    ``encyclopedia.source.degraded`` and ``.restored``.
    """

    name: str
    at: float
    correlation: str
    data: Mapping[str, object] = MappingProxyType({})
    id: str = ""

    def to_dict(self) -> dict[str, object]:
        """The JSON form, with the time as ISO 8601."""
        from datetime import UTC, datetime

        at = datetime.fromtimestamp(self.at, UTC).isoformat(timespec="milliseconds")
        return {"id": self.id, "name": self.name, "at": at, "correlation": self.correlation, "data": dict(self.data)}
