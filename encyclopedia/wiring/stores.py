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
from encyclopedia.wiring.requirements import Absent, installed, load, plugin

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from encyclopedia.engine.cache import AnswerCache
    from encyclopedia.engine.profiler import Profiler
    from encyclopedia.keeping import CacheStore, History, NearTier, RecordStore
    from encyclopedia.ports import Embedder
    from encyclopedia.wiring.events import Search
    from encyclopedia.wiring.memories import Memories
    from encyclopedia.wiring.settings import Loaded

GROUP = "encyclopedia.stores"
NEAR = "near cache"
"""The name of the stage that finds answers to other words."""
NOT_THERE = Absent("it is not registered: install encyclopedia-search again")


class Stores(NamedTuple):
    """The circuit and the call counts over its records, and what may be missing: the answer cache with its store, the history.

    ``events`` is the bus, ``behind`` writes what no answer waits for. ``absent`` names the stages that are missing, each with
    its reason; ``near`` is the near tier of the cache. ``profiler`` records what sources did, ``memories`` what is asked often;
    either may be missing.
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
    absent: tuple[tuple[str, str], ...] = ()
    near: NearTier | None = None
    profiler: Profiler | None = None
    memories: Memories | None = None

    async def aclose(self) -> None:
        """Let what is being stored come to its end, and close the files that are open."""
        await self.answers.settle()
        await self.behind.settle()
        self.close()

    def close(self) -> None:
        """Write down what is to be, let events arrive, and close the files that are open."""
        self._flush()
        self.events.close()
        for store in (self.records, self.cache, self.near):
            close = getattr(store, "close", None)
            if close is not None:
                close()

    @property
    def records_problem(self) -> str:
        """What is wrong with the file of breaker records, in a sentence; empty if nothing is."""
        return str(getattr(self.records, "problem", ""))

    def _flush(self) -> None:
        if self.profiler:
            self.profiler.flush()

    def record(self, body: Mapping[str, Any], search: Search) -> str:
        """Add a search to the history; why that was not possible, or nothing."""
        return self._write_down([(body, self._session(body, search))])

    def record_behind(self, body: Mapping[str, Any], search: Search) -> str:
        """As ``record``, behind the answer: what went wrong with an earlier one, or nothing."""
        self.behind.put("history", self._write_down, (body, self._session(body, search)))
        return self.behind.problem("history")

    def _session(self, body: Mapping[str, Any], search: Search) -> Mapping[str, object]:
        return session(body, search.seconds, id=search.id, matched=search.matched) if self.history else {}

    def _write_down(self, records: Sequence[tuple[Mapping[str, Any], Mapping[str, object]]]) -> str:
        problem = self.keep(*(record for _, record in records))
        if self.memories and not problem:
            for body, _ in records:
                self.memories.remember(body)
        return problem

    def forget(self, corpus: str) -> str:
        """Remove the stored answers that quote a corpus; why that was not possible, or nothing."""
        if self.cache is None:
            return ""
        try:
            self.cache.forget(corpus)
        except Exception as error:  # noqa: BLE001 - a store may raise what it likes; the corpus is gone all the same
            return f"stored answers that quote {corpus} are still there ({type(error).__name__}): `encyclopedia cache clear`"
        return ""

    def keep(self, *records: Mapping[str, object]) -> str:
        """Add records to the history, and write down what sources did; why the former was not possible, or nothing."""
        self._flush()
        if self.history is None:
            return ""
        try:
            self.history.append(*records)
        except OSError as error:
            return f"this search is not in the history: {error.strerror or type(error).__name__}"
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
    records, memory = _store(found, "records"), _store(found, "memory")
    pair = (records(places.state(home)), memory())
    circuit = Circuit(pair, settings.breaker, machine=machine, notify=announcer.breaker)
    cache, reason = None, "switched off"
    if settings.cache.enabled:
        cache, reason = _cache(found, loaded, absent)
    history = (
        _store(found, "history")(places.sessions(home), entries=settings.history.entries, days=settings.history.days)
        if settings.history.enabled
        else None
    )
    lease = _store(found, "lease")(places.state(home)) if cache is not None else None
    if cache is not None and near is None:
        near, lacking = near_of(loaded, found, embedder)
        if lacking:
            absent.append((NEAR, lacking))
    behind = WriteBehind()
    recall = load("encyclopedia.engine.recall:Recall")(cache, near, absent=reason, lifetimes=_lifetimes(loaded))
    kept: AnswerCache = load("encyclopedia.engine.cache:AnswerCache")(recall, lease=lease, behind=behind)
    learning = _learning(found, loaded, history)
    return Stores(circuit, pair[0], kept, cache, history, log, Budget(pair), announcer, behind, tuple(absent), near, *learning)


def _learning(found: Mapping[str, str], loaded: Loaded, history: History | None) -> tuple[Profiler | None, Memories | None]:
    """What is learnt from searches, over ledgers that are made with their first record."""
    if "ledger" not in found:
        return None, None
    profiler: Profiler = load("encyclopedia.engine.profiler:Profiler")(_store(found, "ledger")(places.profile(loaded.home)))
    if history is None or not loaded.settings.synergy.memories:
        return profiler, None
    ledger = _store(found, "ledger")(places.memories(loaded.home))
    return profiler, load("encyclopedia.wiring.memories:Memories")(ledger, history)


def _lifetimes(loaded: Loaded) -> Any:
    return load("encyclopedia.engine.recall:Lifetimes")(loaded.settings.cache.stale, loaded.settings.cache.negative_ttl)


def _cache(found: Mapping[str, str], loaded: Loaded, absent: list[tuple[str, str]]) -> tuple[Any, str]:
    settings = loaded.settings.cache
    if not installed("diskcache"):
        absent.append(("cache", "diskcache is not installed"))
        return None, "diskcache is not installed"
    return _store(found, "cache")(
        places.cache(loaded.home), ttl=settings.ttl, entries=settings.entries, stale=settings.stale
    ), ""


def _store(found: Mapping[str, str], name: str) -> Any:
    made = plugin(found[name]) if name in found else NOT_THERE
    if isinstance(made, Absent):
        from encyclopedia.model.errors import ConfigurationError

        raise ConfigurationError(
            f"the store for {name} cannot be opened: {made.reason}", "pip install --force-reinstall encyclopedia-search"
        )
    return made


def session(body: Mapping[str, Any], seconds: float, *, id: str = "", matched: str = "") -> dict[str, object]:
    """The record of one search: what was asked, what became of each source, what was found; no text of results.

    ``matched`` is the question whose stored answer was served.
    """
    from datetime import UTC, datetime

    return {
        "id": id,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "query": body["query"],
        "query_type": body["query_type"],
        "code": body.get("code", 0),
        "degraded": body["degraded"],
        "cached": body["cached"],
        **({"matched_query": matched} if matched and matched != body["query"] else {}),
        "ms": round(seconds * 1000),
        "left_out": [row["source"] for row in body.get("degradation", {}).get("missing", ())],
        "outcomes": [{key: row[key] for key in ("source", "status", "results", "ms")} for row in body["outcomes"]],
        "results": [_kept(row) for row in body["results"]],
    }


def _kept(row: Mapping[str, Any]) -> dict[str, object]:
    """What is kept of a result; of a secret one neither title nor section, which may be part of the secret."""
    kept = {key: row[key] for key in ("title", "url", "source", "locator")}
    kept["found_by"] = [share["source"] for share in row.get("fused_from", ())]
    if row.get("label") == "secret":
        kept |= {"title": "(secret)", "locator": row["locator"] and {**row["locator"], "section": None}}
    return kept
