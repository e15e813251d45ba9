"""Records what became of every source that was asked, and tells what their weights would be: the log behind the profile."""

from __future__ import annotations

import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING

from encyclopedia.engine.profile import OUTCOMES, Measured, replay, summed
from encyclopedia.engine.verdict import sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from encyclopedia.keeping import Ledger
    from encyclopedia.model.ranking import Ranking

BOUND = 1 << 16
"""Bytes by which the log may grow beyond its sum."""
GLANCE = 1.0
"""Seconds for which a look at the log is good."""
WAITING = 4096
"""Records that are held at most until they are written."""


class Profiler:
    """The profile of all sources over a ledger that processes share; one that fails costs nobody an answer.

    ``problem`` says in a sentence what is wrong with the ledger, if anything is.
    """

    bound: int = BOUND
    """The log is summed up whenever its size passes a multiple of so many bytes."""

    def __init__(self, ledger: Ledger, clock: Callable[[], float] = time.time) -> None:
        self._ledger, self._clock = ledger, clock
        self._waiting: deque[dict[str, object]] = deque(maxlen=WAITING)
        self._mark: object = None
        self._profile: dict[tuple[str, str], Measured] = {}
        self._looked: float | None = None
        self._followed = False
        self._long = False
        self.problem = ""

    def collect(self, ranking: Ranking) -> None:
        """Remember what became of the sources of a search that asked them; ``flush`` writes it down. Waits for nothing."""
        rows = asked(ranking)
        if rows:
            self._waiting.append({"at": round(self._clock()), "type": ranking.plan.question.type.value, "asked": rows})

    def vote(self, kind: str, sources: Sequence[str], on: str, value: int) -> None:
        """Remember that what these sources gave for a question was good (1) or bad (-1); ``on`` names what was voted on.

        Raises as the ledger does.
        """
        self._ledger.append([{"at": round(self._clock()), "type": kind, "vote": value, "of": list(sources), "on": on}])

    def flush(self) -> None:
        """Write down what was collected, in one piece; a log that has grown long is summed up."""
        self._write(self._ledger.append)
        if self._long:
            self._long = False
            self._try(lambda: self._ledger.rewrite(lambda kept: [summed(replay(kept))]))

    def flush_now(self) -> bool:
        """As ``flush`` where that takes some microseconds; whether everything is written down."""
        self._write(self._ledger.append_now)
        return not self._waiting

    def _write(self, append: Callable[[Sequence[Mapping[str, object]]], tuple[int, int] | None]) -> None:
        records = []
        with suppress(IndexError):  # another thread may take some of them
            while True:
                records.append(self._waiting.popleft())
        if records and not self._try(lambda: self._sized(append(records))):  # somebody holds it: with the next
            self._waiting.extendleft(reversed(records[: WAITING - len(self._waiting)]))

    def _sized(self, sizes: tuple[int, int] | None) -> None:
        if sizes is None:
            raise BlockingIOError
        self._long |= sizes[0] // self.bound != sizes[1] // self.bound

    def _try(self, change: Callable[[], None]) -> bool:
        """Whether nobody else held the ledger; ``problem`` says what went wrong."""
        try:
            change()
            self.problem = ""
        except BlockingIOError:
            return False
        except Exception as error:  # noqa: BLE001 - a store may raise what it likes; the answer does not depend on it
            self.problem = f"what sources did is not recorded: {sentence(error) or type(error).__name__}"
        return True

    def profile(self) -> Mapping[tuple[str, str], Measured]:
        """What is known of each source and type, as of a second ago at most; reads only what is new."""
        if not self._followed and (self._looked is None or not 0 <= self._clock() - self._looked <= GLANCE):
            self._read()
        return self._profile

    def _read(self) -> None:
        try:
            records, self._mark, anew = self._ledger.read(self._mark)
            self._profile = replay(records, None if anew else self._profile)
            self._looked = self._clock()
        except Exception as error:  # noqa: BLE001 - a store may raise what it likes; then the weights stay as they are
            self.problem = f"what sources did cannot be read: {sentence(error) or type(error).__name__}"

    def follow(self, each_round: Callable[[Callable[[], None]], None]) -> None:
        """Read what is new in the rounds of ``each_round`` and not when somebody asks, who then waits for nothing."""
        if not self._followed:
            self._read()
            self._followed = True
            each_round(self._read)

    def factors(self, kind: str) -> dict[str, float]:
        """The factor on the weight of each source that was measured for questions of this type."""
        return {source: made.factor for (source, type), made in self.profile().items() if type == kind}

    def reset(self) -> int:
        """Forget everything, so that every weight is the configured one; how many pairs of source and type were known."""
        known = len(self.profile())
        self._waiting.clear()
        if known:
            self._ledger.rewrite(lambda _: [])
        self._looked = None
        return known


def asked(ranking: Ranking) -> list[list[object]]:
    """A row for each source whose outcome tells of its quality: name, outcome, results, milliseconds, best place (0: none)."""
    places: dict[str, int] = {}
    for place, result in enumerate(ranking.results, 1):
        for share in result.shares:
            places.setdefault(share.source, place)
    rows: list[list[object]] = []
    for outcome in ranking.outcomes:
        if counted := OUTCOMES.get(outcome.status.value):
            results = len(outcome.reply.hits) + len(outcome.reply.alternatives)
            rows.append([outcome.source, counted, results, round(outcome.seconds * 1000), places.get(outcome.source, 0)])
    return rows
