"""Everything that replicas share over one link, each with what this machine has in its place while the server is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.storage.redis_link import open_link

if TYPE_CHECKING:
    from collections.abc import Callable

    from encyclopedia.keeping import CacheStore, History, Lease, Ledger, NearIndex, RecordStore
    from encyclopedia_adapters.storage.redis_link import Link
    from encyclopedia_adapters.storage.redis_records import SharedRecords

YEAR = 365 * 86_400
SECONDS = {"profile": YEAR // 4, "memories": YEAR, "votes": YEAR}
"""For how long what nobody adds to is kept."""


def open_state(url: str) -> RedisState:
    """The shared state at an address; asks nobody yet. Raises ``ConfigurationError`` for what is no such address."""
    return RedisState(open_link(url))


class RedisState:
    """The shared state; ``link`` is the way to it."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self._records: SharedRecords | None = None

    @property
    def place(self) -> str:
        """Where it lies, without credentials."""
        return self.link.address.place

    @property
    def problem(self) -> str:
        """Why it cannot be had just now, in a sentence; empty if all is well, or nobody has asked it yet."""
        return self.link.problem

    def watch(self, changed: Callable[[str], None]) -> None:
        """Have ``changed`` told each time that it is lost (why) and back (nothing)."""
        self.link.changed = changed

    def stay(self) -> None:
        """Keep what looks are made at up to date in a thread: from now on looking waits for nobody. Asks it at once."""
        self._counts().mirror()

    def look(self) -> str:
        """Ask it now: what it is, in a few words. Raises ``OSError`` if it cannot be had."""
        if not self.link.look():
            raise OSError(self.link.problem)
        told: Any = self.link.run(lambda client: client.info("server"))
        kind = "Valkey" if told.get("server_name") == "valkey" or "valkey_version" in told else "Redis"
        return f"{kind} {told.get('valkey_version') or told.get('redis_version', '')} at {self.place}"

    def each_round(self, work: Callable[[], None]) -> None:
        """Have ``work`` done about twice a second in a thread while it is there."""
        self.link.each_round(work)

    def _counts(self) -> SharedRecords:
        from encyclopedia_adapters.storage.redis_records import SharedRecords

        if self._records is None:
            self._records = SharedRecords(self.link, "records")
        return self._records

    def answers(self, local: CacheStore, *, ttl: float, entries: int, stale: float) -> CacheStore:
        """The stored answers: ``entries`` for each query type, for ``ttl`` seconds and ``stale`` more for those who ask."""
        from encyclopedia_adapters.storage.redis_answers import open_store
        from encyclopedia_adapters.storage.redis_sheltered import ShelteredAnswers

        return ShelteredAnswers(open_store(self.link, ttl=ttl, entries=entries, stale=stale), local)

    def near(self, local: NearIndex) -> NearIndex:
        """The questions beside the answers, with their vectors."""
        from encyclopedia_adapters.storage.redis_near import open_index
        from encyclopedia_adapters.storage.redis_sheltered import ShelteredNear

        return ShelteredNear(open_index(self.link), local)

    def lease(self, local: Lease | None) -> Lease:
        """What keeps two replicas from working on one question at once."""
        from encyclopedia_adapters.storage.redis_lease import open_lease

        return open_lease(self.link, local)

    def counts(self) -> RecordStore:
        """Records that are shared or not there: this machine has none in their place."""
        return self._counts()

    def records(self, local: RecordStore) -> RecordStore:
        """The records of all breakers."""
        return self._sheltered(self._counts(), local)

    def votes(self, local: RecordStore) -> RecordStore:
        """What people said of two questions, as records."""
        from encyclopedia_adapters.storage.redis_records import SharedRecords

        return self._sheltered(SharedRecords(self.link, "votes", SECONDS["votes"]), local)

    def _sheltered(self, shared: SharedRecords, local: RecordStore) -> RecordStore:
        from encyclopedia_adapters.storage.redis_records import ShelteredRecords

        made = ShelteredRecords(shared, local)
        self.link.when_back(made.give_back)
        return made

    def ledger(self, name: str, local: Ledger) -> Ledger:
        """What is added up under a name: ``profile`` or ``memories``."""
        from encyclopedia_adapters.storage.redis_lines import SharedLedger, ShelteredLedger

        made = ShelteredLedger(SharedLedger(self.link, name, SECONDS[name]), local)
        self.link.when_back(made.pay)
        return made

    def history(self, local: History, *, entries: int, days: float) -> History:
        """The record of searches."""
        from encyclopedia_adapters.storage.history_age import Age
        from encyclopedia_adapters.storage.redis_history import SharedHistory, ShelteredHistory

        made = ShelteredHistory(SharedHistory(self.link, entries, Age(days)), local)
        self.link.when_back(made.pay)
        return made

    def close(self) -> None:
        """Give the connections back."""
        self.link.close()
