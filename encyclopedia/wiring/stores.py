"""What an engine remembers: breaker records, answers, the history of searches; each may be missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.engine.budget import Budget
from encyclopedia.engine.circuit import Circuit, load_machine
from encyclopedia.engine.write_behind import WriteBehind
from encyclopedia.ports import no_embedder
from encyclopedia.wiring import places
from encyclopedia.wiring.events import Announcer
from encyclopedia.wiring.log import Log
from encyclopedia.wiring.near import near_of
from encyclopedia.wiring.requirements import UNREGISTERED, Absent, installed, load, plugin
from encyclopedia.wiring.shared import SHARED, Absences, open_shared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from encyclopedia.engine.cache import AnswerCache
    from encyclopedia.engine.profiler import Profiler
    from encyclopedia.keeping import CacheStore, History, Lease, Ledger, NearTier, RecordStore
    from encyclopedia.ports import Embedder
    from encyclopedia.wiring.memories import Memories
    from encyclopedia.wiring.settings import Loaded
    from encyclopedia.wiring.shared import SharedState

GROUP = "encyclopedia.stores"
NEAR = "near cache"
"""The name of the stage that finds answers to other words."""


class Stores(NamedTuple):
    """The circuit and the call counts over its records, and what may be missing: the answer cache with its store, the history.

    ``events`` is the bus, ``behind`` writes what no answer waits for. ``absent`` names the stages that are missing, each with
    its reason; ``near`` is the near tier of the cache. ``profiler`` records what sources did, ``memories`` what is asked often;
    either may be missing. ``shared`` is the state that replicas share.
    """

    circuit: Circuit
    records: RecordStore
    answers: AnswerCache
    cache: CacheStore | None
    history: History | None
    log: Log
    budget: Budget
    events: Announcer
    behind: WriteBehind
    absent: Iterable[tuple[str, str]] = ()
    near: NearTier | None = None
    profiler: Profiler | None = None
    memories: Memories | None = None
    shared: SharedState | None = None

    def stay(self) -> None:
        """For whoever asks more than once: what is being stored is not waited for, and no look at what is shared waits.

        Blocks for the first look, if something is shared.
        """
        self.answers.patient = False
        if self.shared:
            self.shared.each_round(self.budget.recount)  # before it is seen what the server may have lost
            self.shared.stay()
            if self.profiler:
                self.profiler.follow(self.shared.each_round)

    async def aclose(self) -> None:
        """Let what is being stored come to its end, and close the files that are open."""
        await self.answers.settle()
        await self.behind.settle()
        if not self.shared:
            return self.close()
        import asyncio

        try:
            asyncio.get_running_loop()
        except RuntimeError:  # a command that needed none: there is nobody whom the closing would hold up
            return self.close()
        return await asyncio.to_thread(self.close)

    def close(self) -> None:
        """Write down what is to be, let events arrive, and close the files that are open."""
        if self.profiler:
            self.profiler.flush()
        self.events.close()
        for store in (self.records, self.cache, self.near, self.shared):
            close = getattr(store, "close", None)
            if close is not None:
                close()

    @property
    def records_problem(self) -> str:
        """What is wrong with the file of breaker records, in a sentence; empty if nothing is."""
        return str(getattr(self.records, "problem", ""))

    def forget(self, corpus: str) -> str:
        """Remove the stored answers that quote a corpus; why that was not possible, or nothing."""
        if self.cache is None:
            return ""
        try:
            self.cache.forget(corpus)
        except Exception as error:  # noqa: BLE001 - a store may raise what it likes; the corpus is gone all the same
            return f"stored answers that quote {corpus} are still there ({type(error).__name__}): `encyclopedia cache clear`"
        return ""


def open_stores(
    loaded: Loaded,
    groups: Mapping[str, Mapping[str, str]],
    near: NearTier | None,
    embedder: Callable[[], Embedder | None] = no_embedder,
) -> Stores:
    """Open what is there; nothing is created before it is written to. ``near`` stands for the near tier that ships with us."""
    found = groups.get(GROUP, {})
    settings, home, absent = loaded.settings, loaded.home, list[tuple[str, str]]()
    machine = load_machine if installed("pybreaker") else None
    if machine is None:
        absent.append(("circuit", "pybreaker is not installed"))
    log = Log(settings.log_level)
    announcer = Announcer(groups.get("encyclopedia.events", {}), log)
    shared, lacking = open_shared(loaded, found, log)
    if lacking:
        absent.append((SHARED, lacking))
    local, memory = _store(found, "records")(places.state(home)), _store(found, "memory")()
    records: RecordStore = shared.records(local) if shared else local
    kind: type[Circuit] = load("encyclopedia.engine.distant:DistantCircuit") if shared else Circuit
    circuit = kind((records, memory), settings.breaker, machine=machine, notify=announcer.breaker)
    budget = Budget((shared.counts(), None) if shared else (local, memory))
    cache, reason = None, "switched off"
    if settings.cache.enabled:
        cache, reason = _cache(found, loaded, absent, shared)
    lease = _lease(found, loaded, shared) if cache is not None else None
    if cache is not None and near is None:
        near, without = near_of(loaded, found, embedder, shared)
        if without:
            absent.append((NEAR, without))
    behind, history = WriteBehind(), _history(found, loaded, shared)
    recall = load("encyclopedia.engine.recall:Recall")(cache, near, absent=reason, lifetimes=_lifetimes(loaded))
    kept: AnswerCache = load("encyclopedia.engine.cache:AnswerCache")(recall, lease=lease, behind=behind)
    missing = Absences(tuple(absent), shared) if shared else tuple(absent)
    learning = _learning(found, loaded, history, shared)
    return Stores(circuit, records, kept, cache, history, log, budget, announcer, behind, missing, near, *learning, shared)


def _history(found: Mapping[str, str], loaded: Loaded, shared: SharedState | None) -> History | None:
    if not loaded.settings.history.enabled:
        return None
    kept: dict[str, Any] = {"entries": loaded.settings.history.entries, "days": loaded.settings.history.days}
    local: History = _store(found, "history")(places.sessions(loaded.home), **kept)
    return shared.history(local, **kept) if shared else local


def _learning(
    found: Mapping[str, str], loaded: Loaded, history: History | None, shared: SharedState | None
) -> tuple[Profiler | None, Memories | None]:
    """What is learnt from searches, over ledgers that are made with their first record."""
    if "ledger" not in found:
        return None, None

    def ledger(name: str, path: str) -> Ledger:
        local: Ledger = _store(found, "ledger")(path)
        return shared.ledger(name, local) if shared else local

    profiler: Profiler = load("encyclopedia.engine.profiler:Profiler")(ledger("profile", places.profile(loaded.home)))
    if history is None or not loaded.settings.synergy.memories:
        return profiler, None
    memories = ledger("memories", places.memories(loaded.home))
    return profiler, load("encyclopedia.wiring.memories:Memories")(memories, history)


def _lifetimes(loaded: Loaded) -> Any:
    return load("encyclopedia.engine.recall:Lifetimes")(loaded.settings.cache.stale, loaded.settings.cache.negative_ttl)


def _cache(
    found: Mapping[str, str], loaded: Loaded, absent: list[tuple[str, str]], shared: SharedState | None
) -> tuple[CacheStore | None, str]:
    if not installed("diskcache"):
        absent.append(("cache", "diskcache is not installed"))
        return None, "diskcache is not installed"
    settings = loaded.settings.cache
    kept: dict[str, Any] = {"ttl": settings.ttl, "entries": settings.entries, "stale": settings.stale}
    local: CacheStore = _store(found, "cache")(places.cache(loaded.home), **kept)
    return shared.answers(local, **kept) if shared else local, ""


def _lease(found: Mapping[str, str], loaded: Loaded, shared: SharedState | None) -> Lease | None:
    local: Lease | None = _store(found, "lease")(places.state(loaded.home))
    return shared.lease(local) if shared else local


def _store(found: Mapping[str, str], name: str) -> Any:
    made = plugin(found[name]) if name in found else UNREGISTERED
    if isinstance(made, Absent):
        from encyclopedia.model.errors import ConfigurationError

        raise ConfigurationError(
            f"the store for {name} cannot be opened: {made.reason}", "pip install --force-reinstall encyclopedia-search"
        )
    return made
