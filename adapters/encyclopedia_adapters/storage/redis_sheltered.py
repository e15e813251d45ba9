"""Answers and the questions beside them: the shared ones, and those of this machine for as long as the server is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.storage.redis_link import Gone

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from encyclopedia.keeping import CacheStore, Kept, NearIndex, NearQuestion
    from encyclopedia.model.cached import CacheEntry
    from encyclopedia.model.query import QueryType
    from encyclopedia_adapters.storage.redis_answers import RedisAnswers


class ShelteredAnswers:
    """The shared answers while the server is there, and those of this machine while it is not."""

    distant = True

    def __init__(self, shared: RedisAnswers, local: CacheStore) -> None:
        self._shared, self._local = shared, local

    @property
    def problem(self) -> str:
        """What is wrong with either, in a sentence; empty if nothing is."""
        return self._shared.problem or str(getattr(self._local, "problem", ""))

    def get(self, key: str, stale: float = 0.0) -> CacheEntry | None:
        """As ``CacheStore`` has it; so are the others."""
        try:
            return self._shared.get(key, stale)
        except Gone:
            return self._local.get(key, stale)

    def peek(self, key: str) -> CacheEntry | None:
        """As ``get``, without leaving a mark."""
        try:
            return self._shared.peek(key)
        except Gone:
            return self._local.peek(key)

    def put(self, *entries: CacheEntry) -> None:
        """Store each; those of this machine are for as long as the server is gone."""
        try:
            self._shared.put(*entries)
        except Gone:
            self._local.put(*entries)

    def entries(self) -> Iterator[CacheEntry]:
        """Every good entry, the oldest first. Raises ``Gone`` if the server goes in the midst of it."""
        found = self._shared.entries()
        try:
            first = next(found, None)
        except Gone:
            yield from self._local.entries()
            return
        if first:
            yield first
            yield from found

    def stats(self) -> Mapping[str, object]:
        """As those of the store that is in use."""
        try:
            return self._shared.stats()
        except Gone:
            return self._local.stats()

    def clear(self, type: QueryType | None = None) -> int:
        """Remove all entries, those of this machine too; the number removed. Raises ``Gone`` where the shared ones stay."""
        here = self._local.clear(type)
        return self._shared.clear(type) + here

    def forget(self, corpus: str) -> int:
        """Remove every answer with a passage of the corpus, here too. Raises ``Gone`` where the shared ones stay."""
        here = self._local.forget(corpus)
        return self._shared.forget(corpus) + here

    def close(self) -> None:
        """Tell what was used, and close the files of this machine."""
        _close(self._shared, self._local)


class ShelteredNear:
    """The questions beside the shared answers while the server is there, and those of this machine while it is not."""

    def __init__(self, shared: NearIndex, local: NearIndex) -> None:
        self._shared, self._local = shared, local

    def holds(self, group: str) -> bool:
        """As ``NearIndex`` has it; so are the others."""
        try:
            return self._shared.holds(group)
        except Gone:
            return self._local.holds(group)

    def pending(self, group: str, mark: str, dimension: int, most: int) -> Sequence[tuple[str, str]]:
        """Key and words of at most ``most`` questions that have no vector of this embedder yet."""
        try:
            return self._shared.pending(group, mark, dimension, most)
        except Gone:
            return self._local.pending(group, mark, dimension, most)

    def fill(self, group: str, mark: str, found: Sequence[tuple[str, str]], rows: Any) -> None:
        """Keep the vectors of pending questions, one row for each."""
        try:
            self._shared.fill(group, mark, found, rows)
        except Gone:
            self._local.fill(group, mark, found, rows)

    def nearest(self, group: str, mark: str, vector: Any, most: int) -> Sequence[NearQuestion]:
        """The nearest questions, best first."""
        try:
            return self._shared.nearest(group, mark, vector, most)
        except Gone:
            return self._local.nearest(group, mark, vector, most)

    def add(self, group: str, key: str, text: str) -> None:
        """Remember that ``key`` answers ``text``."""
        try:
            self._shared.add(group, key, text)
        except Gone:
            self._local.add(group, key, text)

    def all(self) -> Mapping[str, Kept]:
        """Every stored question by the key of its answer."""
        try:
            return self._shared.all()
        except Gone:
            return self._local.all()

    def counted(self) -> tuple[int, int]:
        """How many questions are stored, and how many of them have a vector."""
        try:
            return self._shared.counted()
        except Gone:
            return self._local.counted()

    def close(self) -> None:
        """Give back what both hold."""
        _close(self._shared, self._local)


def _close(*stores: object) -> None:
    for store in stores:
        close = getattr(store, "close", None)
        if close is not None:
            close()
