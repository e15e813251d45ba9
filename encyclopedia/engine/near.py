"""The near tier of the cache: the stored question that asks the same in other words, if no guard forbids it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.model.cached import Near

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from encyclopedia.engine.guards.align import Pair
    from encyclopedia.engine.guards.question import Asked
    from encyclopedia.keeping import Kept, NearIndex, NearQuestion, Votes
    from encyclopedia.model.wording import Wording
    from encyclopedia.ports import Embedder

MOST = 8
"""Stored questions that are compared with the one that is asked."""
BATCH = 256
"""Stored questions that one look gives their vectors, at most."""
KEPT = 4096
"""Questions taken apart that are remembered."""
RECENT = 512
"""Vectors of questions that were asked and whose answers may be stored soon."""
TWIN = 1.0 - 1e-6
"""Cosine from which on two vectors are one: of texts that differ it tells that the embedder does not see the difference."""


class NoEmbedderError(LookupError):
    """There is no embedder, so nothing can be compared."""


class Limits(NamedTuple):
    """Cosines from which on a question is near: in any words, and in the same words; and the guards that are asked."""

    threshold: float = 0.92
    same_words: float = 0.80
    guards: Collection[str] = ()


class Nearness:
    """Finds stored questions in an index, minding the votes. Nothing is loaded while a group is empty.

    ``embedder`` and ``wording`` are made on first use. A vector is made when a question is first looked for among the stored
    ones, so that storing an answer costs no model; one that was made when the question was asked is stored with it.
    """

    def __init__(
        self,
        stores: tuple[NearIndex, Votes | None],
        embedder: Callable[[], Embedder | None],
        wording: Callable[[], Wording],
        limits: Limits,
    ) -> None:
        (self._index, self._votes), self._limits = stores, limits
        self._embedder, self._wording = embedder, wording
        self._asked: dict[str, Asked] = {}
        self._recent: dict[str, tuple[str, Any]] = {}

    def find(self, group: str, text: str) -> Sequence[Near]:
        """Stored questions of ``group`` that may answer ``text``, nearest first; if none may, the nearest that was refused.

        Raises ``NoEmbedderError``; whatever else an embedder, an index or a store raises.
        """
        place = digest(group)
        if not self._index.holds(place):
            return ()
        embedder = self._embedder()
        if embedder is None:
            raise NoEmbedderError("no embedder is installed: pip install 'encyclopedia-search[semantic]'")
        asked = self._read(text)
        vector = self._vector(place, asked, embedder)
        if vector is None:
            return ()
        if len(self._recent) >= RECENT:
            self._recent.clear()
        self._recent[text] = embedder.fingerprint, vector.copy()  # a view would keep the whole batch
        found = self._index.nearest(place, embedder.fingerprint, vector, MOST)
        judged = [self._judge(asked, text, near) for near in found]
        near = [one for one in judged if one is not None]
        return [one for one in near if not one.refused_by] or near[:1]

    def add(self, group: str, text: str, key: str) -> None:
        """Remember that ``key`` answers ``text``."""
        place = digest(group)
        self._index.add(place, key, text)
        if made := self._recent.pop(text, None):
            mark, vector = made
            self._index.fill(place, mark, [(key, text)], [vector])

    def kept(self) -> Mapping[str, Kept]:
        """Every stored question by the key of its answer."""
        return self._index.all()

    def counted(self) -> tuple[int, int]:
        """How many questions are stored, and how many of them have a vector."""
        return self._index.counted()

    def restore(self, key: str, kept: Kept) -> None:
        """Put back what ``kept`` gave; its vector is made anew."""
        self._index.add(kept.group, key, kept.text)

    def close(self) -> None:
        """Give back what the index and the votes hold."""
        for part in (self._index, self._votes):
            close = getattr(part, "close", None)
            if close is not None:
                close()

    def vote(self, text: str, other: str, vote: int) -> None:
        """Remember that one question's answer is the other's (1), never is (-1), or that nobody said so (0)."""
        if self._votes is not None:
            self._votes.cast(text, other, vote)

    def compare(self, text: str, other: str) -> Pair:
        """Two questions side by side."""
        from encyclopedia.engine.guards.align import align

        return align(self._read(text), self._read(other), self._wording())

    def _read(self, text: str) -> Asked:
        from encyclopedia.engine.guards.question import read

        if text not in self._asked:
            if len(self._asked) >= KEPT:
                self._asked.clear()
            self._asked[text] = read(text, self._wording())
        return self._asked[text]

    def _vector(self, place: str, asked: Asked, embedder: Embedder) -> Any:
        """The vector of the question; in the same run those of stored questions that have none yet."""
        if not asked.words:
            return None
        waiting = self._index.pending(place, embedder.fingerprint, embedder.dimension, BATCH)
        texts = [asked.text, *(self._read(text).text for _, text in waiting)]
        rows = embedder.embed(texts)
        if getattr(rows, "shape", None) != (len(texts), embedder.dimension):
            return None
        if waiting:
            self._index.fill(place, embedder.fingerprint, waiting, rows[1:])
        return rows[0]

    def _judge(self, asked: Asked, text: str, near: NearQuestion) -> Near | None:
        """The question with the name of what forbids to serve its answer; ``None`` if it is not near enough."""
        from encyclopedia.engine.guards.checks import refusal, same_words

        served = Near(near.key, near.text, min(near.similarity, 1.0))
        vote = self._votes.of(text, near.text) if self._votes is not None else 0
        if vote > 0:  # somebody said so, whatever the cosine
            return served
        if near.similarity < self._limits.same_words:
            return None
        pair = self.compare(text, near.text)
        if near.similarity < self._limits.threshold and not same_words(pair):
            return None
        twins = near.similarity >= TWIN and asked.text != pair.b.text
        refused = "feedback" if vote < 0 else refusal(pair, self._limits.guards) or ("embedder" if twins else "")
        return served._replace(refused_by=refused)


def digest(group: str) -> str:
    """The name under which a group is stored."""
    import hashlib  # only where there is something to look for

    return hashlib.sha256(group.encode("utf-8", "surrogatepass")).hexdigest()
