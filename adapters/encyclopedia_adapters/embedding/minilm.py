"""all-MiniLM-L6-v2 as a numpy forward pass: ready in a few tenths of a second, in a hundredth of the room that torch takes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.ports import Package
from encyclopedia_adapters.embedding import weights
from encyclopedia_adapters.embedding.fingerprint import fingerprint
from encyclopedia_adapters.embedding.wordpiece import MOST, WordPieces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from encyclopedia.model.settings import EmbedderSettings
    from encyclopedia.ports import Progress
    from encyclopedia_adapters.embedding.forward import Encoder

TOKENS = 1024
"""Tokens that are worked on together: enough for the matrices to pay, few enough for the cache."""
MANY = 3
"""Batches from which on they are shared out among the processors."""


class MiniLM:
    """The embedder; safe to use from several threads."""

    dimension = 384
    fingerprint = fingerprint(weights.FILES[weights.WEIGHTS].sha256, "mean", MOST)

    def __init__(self, folder: str) -> None:
        """Raises ``OSError`` and ``ValueError`` for files that are not what they should be."""
        from encyclopedia_adapters.embedding.forward import Encoder
        from encyclopedia_adapters.embedding.tensors import tensors

        self._pieces = WordPieces(os.path.join(folder, weights.WORDS))
        self._encoder: Encoder = Encoder(tensors(os.path.join(folder, weights.WEIGHTS)))

    def embed(self, texts: Sequence[str]) -> Any:
        """A float32 array of shape (texts, 384): rows of length 1, zeros for what has no words. Any text will do.

        Many texts take every processor, one batch each; the few of a query make one batch, and that takes one.
        """
        import numpy as np

        from encyclopedia_adapters.shared.threads import one_thread

        ids = self._pieces.ids(texts)
        rows = np.zeros((len(ids), self.dimension), np.float32)
        batches = list(_batches(ids))

        def fill(batch: list[int]) -> None:
            rows[batch] = self._encoder.run([ids[number] for number in batch])

        with one_thread():
            if len(batches) < MANY:
                for batch in batches:
                    fill(batch)
            else:
                _share_out(fill, batches)
        return rows


def _share_out(work: Callable[[list[int]], None], batches: Sequence[list[int]]) -> None:
    """Do the work of all batches, on as many at a time as there are processors."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_processors()) as pool:
        list(pool.map(work, batches))  # a list, so that what went wrong in one is raised here


def _processors() -> int:
    """How many the system lets us use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def _batches(ids: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """The numbers of the texts that have tokens, texts of like length together."""
    batch: list[int] = []
    size = 0
    for number in sorted((n for n, text in enumerate(ids) if text), key=lambda n: len(ids[n])):
        if batch and size + len(ids[number]) > TOKENS:
            yield batch
            batch, size = [], 0
        batch.append(number)
        size += len(ids[number])
    if batch:
        yield batch


class Kind:
    """How to come by the embedder."""

    requires = (Package("numpy", "semantic"), Package("tokenizers", "semantic"), Package("threadpoolctl", "semantic"))

    def open(self, settings: EmbedderSettings, home: str, *, bulk: bool = False) -> MiniLM:  # noqa: ARG002 - one way for both
        """The embedder with its weights mapped. Raises ``ConfigurationError``."""
        folder = weights.folder(settings.path, home)
        try:
            return MiniLM(folder)
        except (OSError, ValueError, KeyError) as error:
            raise ConfigurationError(f"the files in {folder} cannot be used: {error}", weights.REMEDY) from error

    def about(self, settings: EmbedderSettings, home: str) -> dict[str, object]:
        """What would be opened; reads the files and keeps nothing. Raises ``ConfigurationError``."""
        folder = weights.folder(settings.path, home, remember=False)
        return {
            "model": weights.MODEL,
            "weights": os.path.join(folder, weights.WEIGHTS),
            "fingerprint": MiniLM.fingerprint,
            "dimension": MiniLM.dimension,
            "max_tokens": MOST,
        }

    async def fetch(self, settings: EmbedderSettings, home: str, agent: str, progress: Progress) -> None:
        """Get the files from the hub. May raise what ``fetch.fetch`` may."""
        from encyclopedia_adapters.embedding.fetch import fetch

        await fetch(settings.hub, home, agent, progress)


KIND = Kind()
