"""Giving vectors to the passages that have none, behind the back of those who search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.shared.text_index import questions, vector_files, vectors

if TYPE_CHECKING:
    from collections.abc import Callable

    from encyclopedia.ports import Embedder, Progress
    from encyclopedia_adapters.shared.text_index.view import View

BATCH = 32
"""Passages that are encoded before they are written: a run that is killed loses no more."""


def fill(place: tuple[str, float], view: View, embedder: Embedder, progress: Progress, stop: Callable[[], bool]) -> int:
    """Encode the passages of ``view`` that have no vector, until ``stop()``; the number encoded.

    ``place`` is the folder of the index, and the seconds to wait for another who fills it. Raises ``IndexBusy`` if that takes
    longer, ``ValueError`` if the embedder does not give what it should, ``OSError``, ``Damaged``.
    """
    folder, wait = place
    with vector_files.appending(folder, embedder, wait) as file:
        done, left = _encode(file, view, embedder, progress, stop)
        if not left:
            vectors.list_rows(folder, file.rows)
        return done


def _encode(
    file: vector_files.Appender, view: View, embedder: Embedder, progress: Progress, stop: Callable[[], bool]
) -> tuple[int, int]:
    """How many passages were encoded, and how many are left; vectors of passages that are gone are swept if they are many."""
    import numpy as np

    passages = dict(view.keys(questions.scoped(view.fields, None, {})))
    there = file.rows.keys
    known = set(there.tolist())
    missing = [key for key in passages if key not in known]
    live = np.isin(there, np.fromiter(passages, np.uint64, len(passages)))
    if live.sum() < len(there) and (len(there) <= vectors.FLAT or live.sum() * 2 < len(there)):
        file.keep(np.flatnonzero(live))
    done = 0
    while done < len(missing) and not stop():
        keys = missing[done : done + BATCH]
        entries = [view.entry(passages[key]) for key in keys]
        progress(str(entries[0][0]["document"]), done, len(missing))
        texts = [questions.meaning(head["title"], body) for head, body in entries]
        file.add(np.array(keys, np.uint64), encoded(embedder, texts))
        done += len(keys)
    return done, len(missing) - done


def encoded(embedder: Embedder, texts: list[str]) -> Any:
    """The vectors of texts, (n, dimension). Raises ``ValueError`` if the embedder gives anything else."""
    import numpy as np

    found = np.asarray(embedder.embed(texts), np.float32)
    if found.shape != (len(texts), embedder.dimension) or not np.isfinite(found).all():
        raise ValueError(f"the embedder gave {found.shape} instead of {(len(texts), embedder.dimension)}, or no numbers")
    return found
