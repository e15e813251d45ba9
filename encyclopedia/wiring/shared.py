"""The state that replicas share, if there is any: opened at its address, and what is said when it cannot be had."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from encyclopedia.wiring.requirements import UNREGISTERED, Absent, lacking, plugin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from encyclopedia.keeping import CacheStore, History, Lease, Ledger, NearIndex, RecordStore
    from encyclopedia.wiring.log import Log
    from encyclopedia.wiring.settings import Loaded

SHARED = "shared state"
"""What it is called wherever it is said that it is missing."""
INSTEAD = "this machine goes on with what it knows itself"


class SharedState(Protocol):
    """What replicas share. While it cannot be had, each of its stores is what this machine has in its place."""

    @property
    def place(self) -> str:
        """Where it lies, without credentials."""
        ...

    @property
    def problem(self) -> str:
        """Why it cannot be had just now, in a sentence; empty if all is well, or nobody has asked it yet."""
        ...

    def watch(self, changed: Callable[[str], None]) -> None:
        """Have ``changed`` told each time that it is lost (why) and back (nothing)."""
        ...

    def stay(self) -> None:
        """From now on looking at a record waits for nobody; blocks for the first look."""
        ...

    def look(self) -> str:
        """Ask it now: what it is, in a few words. Raises ``OSError`` if it cannot be had."""
        ...

    def each_round(self, work: Callable[[], None]) -> None:
        """Have ``work`` done about twice a second in a thread while it is there."""
        ...

    def answers(self, local: CacheStore, *, ttl: float, entries: int, stale: float) -> CacheStore:
        """The stored answers: ``entries`` for each query type, for ``ttl`` seconds and ``stale`` more for those who ask."""
        ...

    def near(self, local: NearIndex) -> NearIndex:
        """The questions beside the answers, with their vectors."""
        ...

    def lease(self, local: Lease | None) -> Lease:
        """What keeps two replicas from working on one question at once."""
        ...

    def counts(self) -> RecordStore:
        """Records that are shared or not there: this machine has none in their place."""
        ...

    def records(self, local: RecordStore) -> RecordStore:
        """The records of all breakers."""
        ...

    def votes(self, local: RecordStore) -> RecordStore:
        """What people said of two questions, as records."""
        ...

    def ledger(self, name: str, local: Ledger) -> Ledger:
        """What is added up under a name: ``profile`` or ``memories``."""
        ...

    def history(self, local: History, *, entries: int, days: float) -> History:
        """The record of searches, the newest ``entries`` for ``days`` (0: for ever)."""
        ...

    def close(self) -> None:
        """Give the connections back."""
        ...


def open_shared(loaded: Loaded, found: Mapping[str, str], log: Log) -> tuple[SharedState | None, str]:
    """The shared state that the settings name, or ``None`` and why there is none; empty where none is wanted.

    Asks nobody. Raises ``ConfigurationError`` for an address that is none.
    """
    url = loaded.settings.state_url.strip()
    if not url:
        return None, ""
    from encyclopedia.ports import Package

    opener: Any = plugin(found["shared"]) if "shared" in found else UNREGISTERED
    if isinstance(opener, Absent):
        return None, f"{opener.reason}; {INSTEAD}"
    shared: SharedState = opener(url)
    if missing := lacking((Package("redis", extra="redis"),)):
        return None, f"{missing.reason} ({missing.hint}); {INSTEAD}"

    def changed(problem: str) -> None:
        log.tell("warning", f"{SHARED} is {'lost' if problem else 'back'}", place=shared.place, reason=problem)

    shared.watch(changed)
    return shared, ""


class Absences:
    """The stages that are missing, each with its reason, and the shared state as long as it is."""

    def __init__(self, fixed: tuple[tuple[str, str], ...], shared: SharedState) -> None:
        self._fixed, self._shared = fixed, shared

    def __iter__(self) -> Iterator[tuple[str, str]]:
        yield from self._fixed
        if problem := self._shared.problem:
            yield SHARED, f"{problem}; {INSTEAD}"
