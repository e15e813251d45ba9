"""Stored answers, read and written: to the very words, then to words that ask the same, then past their lifetime."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.engine.keys import group_of, key_in, key_of
from encyclopedia.engine.verdict import sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from encyclopedia.keeping import CacheStore, NearTier
    from encyclopedia.model.cached import CacheEntry
    from encyclopedia.model.plan import Plan
    from encyclopedia.model.ranking import CacheUse, Ranking

    Found = tuple[Ranking | None, CacheUse]


class Lifetimes(NamedTuple):
    """Seconds that an answer may be shown past its lifetime, and that it is known that nothing was found; 0 is never."""

    stale: float = 0.0
    nothing: float = 0.0


NEVER = Lifetimes()


class Recall:
    """Finds answers in a store and puts them there; a store or a near tier that fails costs nobody an answer."""

    def __init__(
        self,
        store: CacheStore | None,
        near: NearTier | None = None,
        *,
        absent: str = "",
        lifetimes: Lifetimes = NEVER,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.store, self.near, self.lifetimes = store, near, lifetimes
        self._absent, self._clock = absent, clock
        self.distant: bool = getattr(store, "distant", False)

    def off(self) -> CacheUse:
        """What is told where there is no store."""
        from encyclopedia.model.ranking import CacheUse

        return CacheUse("off", reason=self._absent)

    def exact(self, plan: Plan) -> Found:
        """The answer to the very words; loads no model."""
        from encyclopedia.model.ranking import CacheUse

        if self.store is None:
            return None, self.off()
        try:
            return self._serve(plan, self.store.get(key_of(plan))), CacheUse("miss")
        except Exception as error:  # noqa: BLE001 - a store may raise what it likes; we work without it
            return None, CacheUse("off", reason=_why("the cache cannot be read", error))

    def similar(self, plan: Plan) -> Found:
        """The answer to words that ask the same; slow where a model has to be loaded."""
        from encyclopedia.model.ranking import CacheUse

        if self.store is None or self.near is None:
            return None, CacheUse("miss")
        try:
            return self._similar(self.store, self.near, plan)
        except Exception as error:  # noqa: BLE001 - the near tier is a rib: without it only the very words are found
            return None, CacheUse("miss", reason=_why("no look for similar questions", error))

    def _similar(self, store: CacheStore, near: NearTier, plan: Plan) -> Found:
        from encyclopedia.model.ranking import CacheUse

        group = group_of(plan)
        for found in near.find(group, plan.question.text):
            if found.refused_by:
                return None, CacheUse("miss", found.query, found.similarity, refused_by=found.refused_by)
            # what stands in the index is not believed: the key must be that of those words in this very group
            if found.key == key_in(group, found.query):
                ranking = self._serve(plan, store.get(found.key), found.similarity)
                if ranking:
                    return ranking, ranking.cache
        return None, CacheUse("miss")

    def late(self, plan: Plan) -> Ranking | None:
        """The answer to the very words that is past its lifetime, where every source allows that and it is not too old."""
        if self.store is None or not plan.stale or not self.lifetimes.stale:
            return None
        try:
            found = self._serve(plan, self.store.get(key_of(plan), self.lifetimes.stale))
        except Exception:  # noqa: BLE001 - a store may raise what it likes; then the sources are asked
            return None
        return found._replace(cache=found.cache._replace(stale=True)) if found else None

    def peek(self, plan: Plan) -> str:
        """What a search would find for the very words: hit, miss, bypass or off; leaves no mark that it was looked at.

        It is unknown where the answers lie elsewhere: who plans asks nobody.
        """
        if self.store is None:
            return "off"
        if not plan.query.read_cache:
            return "bypass"
        if self.distant:
            return "unknown"
        try:
            return "miss" if self._serve(plan, self.store.peek(key_of(plan))) is None else "hit"
        except Exception:  # noqa: BLE001 - a store may raise what it likes; we work without it
            return "off"

    def keep_all(self, answers: Sequence[tuple[Plan, Ranking]]) -> str:
        """Store the answers; why that did not work, or nothing. That nothing was found is kept for a lifetime of its own."""
        if self.store is None:
            return ""
        try:
            entries = [self._entry(plan, ranking) for plan, ranking in answers]
            self.store.put(*entries)
        except Exception as error:  # noqa: BLE001 - a store may raise what it likes; the answer is there all the same
            return _why("the answer could not be stored", error)
        try:
            for (plan, _), entry in zip(answers, entries, strict=True):
                if self.near is not None and not entry.lifetime:
                    self.near.add(group_of(plan), plan.question.text, entry.key)
        except Exception as error:  # noqa: BLE001 - the near tier is a rib: the very words are found without it
            return _why("the answer is stored for the very words only", error)
        return ""

    def _entry(self, plan: Plan, ranking: Ranking) -> CacheEntry:
        from encyclopedia.engine.codec import encode
        from encyclopedia.model.cached import CacheEntry

        lifetime = 0.0 if ranking.results else self.lifetimes.nothing
        return CacheEntry(key_of(plan), plan.question.type, plan.query.text, encode(ranking), self._clock(), lifetime)

    def _serve(self, plan: Plan, entry: CacheEntry | None, similarity: float = 1.0) -> Ranking | None:
        """The entry as an answer to the plan, if it is one."""
        if entry is None or entry.type != plan.question.type:
            return None
        from encyclopedia.engine.codec import CorruptError, decode
        from encyclopedia.model.ranking import CacheUse

        try:
            ranking = decode(entry.body, plan)
        except CorruptError:
            return None  # the next answer takes its place
        age = max(0.0, self._clock() - entry.stored_at)
        return ranking._replace(cache=CacheUse("hit", entry.query, similarity, age))


def _why(what: str, error: Exception) -> str:
    return f"{what}: {sentence(error) or type(error).__name__}"
