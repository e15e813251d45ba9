"""An index of texts on an engine, by words and by meaning: the same to its users as one in a folder."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.engines import words
from encyclopedia_adapters.engines.port import Scope, Standing
from encyclopedia_adapters.engines.writer import EngineWriter
from encyclopedia_adapters.shared.text_index import analyser, manifest, questions, vector_files
from encyclopedia_adapters.shared.text_index.coverage import Coverage, content_words
from encyclopedia_adapters.shared.text_index.passage import Filled, Match, match

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from encyclopedia.model.plan import StandsFor
    from encyclopedia.ports import Embedder, Progress
    from encyclopedia_adapters.engines.port import Engine

SCHEMA = 1
"""Raised with every change of what engines store."""

BATCH = 32
"""Passages that are encoded before they are stored: a run that is killed loses no more."""

_FRESH = 0.05
"""Seconds for which the standing of an index is taken as known: one search asks for it many times."""


class EngineIndex:
    """The index that ``engine`` holds. Reading creates nothing; whatever the engine raises is raised."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        # One value each, so that another thread never sees half of it.
        self._seen: tuple[float, Standing] = (float("-inf"), Standing())
        self._states: tuple[tuple[int, ...], Mapping[str, str]] = ((), {})

    @property
    def problem(self) -> str:
        """Why nothing can be found in an index that is there; `corpus index --rebuild` heals it."""
        made_by = self._standing().made_by
        differing = manifest.differing(made_by, _fingerprint()) if made_by else ""
        return f"the index was made by another version ({differing})" if differing else ""

    def count(self) -> int:
        """The number of passages."""
        return self._standing().passages

    def documents(self) -> Mapping[str, str]:
        """The documents with the ``state`` that was put with each, as of the last commit."""
        standing = self._standing()
        if not standing.made_by or self.problem:
            return {}
        if self._states[0] != standing.stamp:
            self._states = standing.stamp, self._engine.states()
        return self._states[1]

    def stamp(self) -> tuple[int, ...] | None:
        """Changes with every commit and with every vector."""
        return self._standing().stamp or None

    def changed_at(self) -> float:
        """Wall-clock seconds of the last commit, 0 without any."""
        return self._standing().changed_at

    def encoded(self) -> int | None:
        """How many vectors there are; ``None`` if there never were any."""
        standing = self._standing()
        return standing.encoded if standing.vectors else None

    def knows(self, _word: str, *, least: int = 1, beside: tuple[str, ...] = ()) -> bool:  # noqa: ARG002 - as of one in a folder
        """Nothing: this is asked before it is decided whom to ask, and then no network may be used."""
        return False

    def coverage(self, text: str, stands_for: StandsFor = ()) -> Coverage:
        """Tells of passages how much of ``text`` they hold, with the weights that its words have in this index."""
        standing = self._standing()
        terms = set(analyser.terms(content_words(text)).split())
        counts = self._engine.counts(terms) if standing.passages and terms and not self.problem else {}
        return Coverage(text, standing.passages, lambda term: counts.get(term, (0, 0))[0], stands_for)

    def search(
        self,
        text: str,
        *,
        limit: int,
        tags: tuple[str, ...] = (),
        documents: tuple[str, ...] = (),
        title: float = questions.TITLE,
        embedder: Embedder | None = None,
    ) -> tuple[Match, ...]:
        """As of an index in a folder: narrowed before anything is ranked, scored by words, or by words and meaning."""
        size = self.count()
        if not size or limit <= 0 or self.problem:
            return ()
        from encyclopedia_adapters.engines import ranking

        asked = ranking.Asked(text, words.question(self._engine, text, title, size), Scope(tags, documents), limit)
        vector = self._vector(text, embedder)
        if vector is None:
            return ranking.lexical(self._engine, asked)
        return ranking.both(self._engine, asked, vector, self.coverage(text))

    def _vector(self, text: str, embedder: Embedder | None) -> Any:
        """The vector of the question; ``None`` if there is nothing to compare it with."""
        standing = self._standing()
        if embedder is None or not standing.encoded or _unusable(standing, embedder):
            return None
        vector = embedder.embed([text])[0]
        return vector if vector.any() else None

    def vectors(self, embedder: Embedder) -> Filled:
        """How many texts have a vector of ``embedder``, and why they have none if others are there."""
        standing = self._standing()
        if not standing.made_by:
            return Filled(0, 0)
        done, total = self._engine.encoded_texts()
        problem = _unusable(standing, embedder)
        return Filled(0 if problem or not standing.vectors else done, total, problem)

    def passages(self, document: str) -> tuple[Match, ...]:
        """All passages of a document in the order of their ids, each with a score of 0."""
        return self._all(Scope(documents=(document,)))

    def tagged(self, tags: tuple[str, ...]) -> tuple[Match, ...]:
        """All passages with any of the tags in the order of their ids, each with a score of 0."""
        return self._all(Scope(tags=tags))

    def _all(self, scope: Scope) -> tuple[Match, ...]:
        if not any(scope) or not self._standing().made_by:
            return ()
        return tuple(sorted((match(entry, 0.0) for entry in self._engine.all_of(scope)), key=lambda found: found.id))

    def fill(
        self,
        embedder: Embedder,
        progress: Progress,
        *,
        stop: Callable[[], bool] = lambda: False,
        wait: float = 2.0,  # noqa: ARG002 - nobody waits: what others are at is left to them
    ) -> int:
        """Encode the texts that have no vector yet, some at a time until ``stop()``; the number encoded.

        Any number of processes may do so at once; each takes what no other is at.
        """
        if not self.count() or self.problem:
            return 0
        from encyclopedia_adapters.shared.text_index.filling import encoded

        self._engine.prepare_vectors(vector_files.wanted(embedder))
        before, total = self._engine.encoded_texts()
        done = 0
        for batch in self._engine.unencoded(BATCH):
            texts = dict(batch)
            progress(str(batch[0][1][0]["document"]), done, max(total - before, done))
            found = encoded(embedder, [questions.meaning(head["title"], body) for head, body in texts.values()])
            self._engine.add_vectors(list(texts), found)
            done += len(texts)
            if stop():
                break
        else:
            self._engine.settle()
        self._forget()
        return done

    @contextmanager
    def update(self, wait: float = 2.0) -> Iterator[EngineWriter]:
        """Change the index: one commit at the end, nothing at all if the block raises.

        Others may write other documents meanwhile: who wants to share asks the writer which it may have. Raises ``ValueError``
        for an index that another version has made, unless it is cleared.
        """
        if not self._standing().made_by:
            self._engine.prepare(_fingerprint())
            self._forget()
        before = dict(self.documents())
        with self._engine.writing(wait) as session:
            writer = EngineWriter(session, before, wait, self._clear)
            yield writer
            if problem := self.problem:
                raise ValueError(f"{problem}: `encyclopedia corpus index NAME --rebuild` makes it anew")
            writer.commit()
        self._forget()

    def _clear(self) -> None:
        self._engine.wipe()
        self._engine.prepare(_fingerprint())
        self._forget()

    def remove(self) -> None:
        """Remove the index with all that it holds."""
        self._engine.wipe()
        self._forget()

    def _standing(self) -> Standing:
        at, standing = self._seen
        if time.monotonic() - at > _FRESH:
            standing = self._engine.standing()
            self._seen = time.monotonic(), standing
        return standing

    def _forget(self) -> None:
        self._seen = float("-inf"), Standing()


def _fingerprint() -> dict[str, object]:
    """What decides what the rows of an index mean."""
    import Stemmer

    return {"schema": SCHEMA, "analyser": analyser.VERSION, "stemmer": Stemmer.version()}


def _unusable(standing: Standing, embedder: Embedder) -> str:
    """Why the vectors that are there are of no use with ``embedder``."""
    differing = manifest.differing(standing.vectors, vector_files.wanted(embedder)) if standing.vectors else ""
    return f"the vectors were made by another version ({differing})" if differing else ""
