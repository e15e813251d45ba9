"""The vectors of one corpus, seen from its searches: used where there are some, filled in behind, never waited for."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from encyclopedia.model.errors import SourceTrouble
from encyclopedia_adapters.shared.text_index import IndexBusy
from encyclopedia_adapters.shared.text_index.passage import Filled

if TYPE_CHECKING:
    from collections.abc import Callable

    from encyclopedia.ports import Embedder
    from encyclopedia_adapters.engines.opening import Index

FEW = 300
"""Passages that are given vectors in passing; more are left to ``corpus index``."""

NEAR = 0.38
"""The cosine from which on a passage answers though it shares few words with the question. With all-MiniLM-L6-v2 over the
documentation of one library the best passage for 20 questions about it, in other words than its own, had .38 to .68; for 50
questions about other things .05 to .37."""

_LONG_LIVED = 2
"""Searches after which a source is taken for one that will be asked again: who asks once must not wait for its end."""


class Meaning:
    """Gives a search the embedder, if the corpus has vectors at all; without any nothing is loaded for them."""

    def __init__(self, text: Index, embedder: Callable[[], Embedder | None]) -> None:
        self._text, self._open = text, embedder
        self._behind: Behind | None = None
        self._searches = 0
        self._filled: tuple[object, Filled] = (None, Filled(0, 0))

    def embedder(self) -> Embedder | None:
        """The embedder for this search."""
        return self._open() if self._text.encoded() is not None else None

    def note(self) -> list[str]:
        """What the answer could not see for want of vectors; a small rest of them is made behind from the second time on."""
        self._searches += 1
        if (embedder := self.embedder()) is None:
            return []
        stamp = self._text.stamp()
        if stamp != self._filled[0]:
            self._filled = stamp, self._text.vectors(embedder)
        filled = self._filled[1]
        left = filled.total - filled.done
        if filled.problem or not left:
            return [filled.problem] if filled.problem else []
        if left <= FEW and self._searches >= _LONG_LIVED:
            self._behind = self._behind or Behind(self._text, embedder)
            self._behind.begin()
        return [f"{left} of {filled.total} passages have no vector yet and are found by their words only"]

    @property
    def idle(self) -> bool:
        """Whether nothing was begun that goes on behind."""
        return self._behind is None

    def close(self) -> None:
        """End the work behind; waits for the few passages that are under way."""
        if self._behind is not None:
            self._behind.close()


class Behind:
    """Makes the vectors that are missing in a thread of its own."""

    def __init__(self, text: Index, embedder: Embedder) -> None:
        import threading

        self._text, self._embedder = text, embedder
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Begin, unless it is going on or closed."""
        import threading

        if not self._stop.is_set() and (self._thread is None or not self._thread.is_alive()):
            self._thread = threading.Thread(target=self._fill, name="encyclopedia-vectors", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Stop after what is under way, and begin no more."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def _fill(self) -> None:
        with suppress(IndexBusy, OSError, ValueError, SourceTrouble):  # somebody else is at it, or the next search tries again
            self._text.fill(self._embedder, lambda *_: None, stop=self._stop.is_set, wait=0.0)
