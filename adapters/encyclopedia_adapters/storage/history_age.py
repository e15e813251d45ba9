"""For how long a search stays in the record of searches."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

DAY = 86_400


class Age:
    """A number of days (0: for ever) counted from now; a record that does not tell its time has no age."""

    def __init__(self, days: float, clock: Callable[[], float] = time.time) -> None:
        self.days, self._clock = days, clock

    @property
    def seconds(self) -> int:
        """The days in seconds; 0 is for ever."""
        return max(1, round(self.days * DAY)) if self.days else 0

    def oldest(self, more: float = 0.0) -> str:
        """The UTC time before which a record is too old, or would be ``more`` days later; empty if none ever is."""
        if not self.days:
            return ""
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(max(0.0, self._clock() - (self.days + more) * DAY)))

    def young(self, record: Mapping[str, object]) -> bool:
        """Whether the time of a record is not over."""
        at = record.get("at")
        return not isinstance(at, str) or at >= self.oldest()
